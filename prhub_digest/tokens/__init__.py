"""Token counts without a network: exact for OpenAI's current vocabulary, an estimate on the safe side for others."""

from prhub_digest.tokens.tokenizer import Tokenizer, tokenizer_for

__all__ = ["Tokenizer", "tokenizer_for"]
