r"""The o200k vocabulary, shipped as package data, since tiktoken would download it at first use.

`o200k_base.xz` holds what tiktoken's `o200k_base.tiktoken` holds. That file's SHA-256, written in tiktoken's source, is
446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d; `test_tokens.py` restores it and compares. There the
rank of a token is its line number, so the tokens in order are enough: first one byte per token with its length, then
all tokens, packed with xz. To make it anew from that file:

    tokens = [base64.b64decode(line.split()[0]) for line in raw.split(b"\n") if line]
    packed = lzma.compress(bytes(map(len, tokens)) + b"".join(tokens), preset=9 | lzma.PRESET_EXTREME)
"""

import hashlib
import lzma
from functools import cache
from importlib.resources import files
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from prhub_digest.errors import PrhubError

if TYPE_CHECKING:
    from tiktoken import Encoding

_TOKENS = 199_998
_CONTENT = "440741350e7cfa1c0f4869ce742d1b043550adbda5187adcac9e787edac6fba9"
# How text is split before merging, from tiktoken's definition of o200k_base (MIT licence).
_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def ranks() -> dict[bytes, int]:
    """Every token with its rank.

    Raises:
        PrhubError: the data file is not the one this version was shipped with.
    """
    try:
        content = lzma.decompress(files(__package__).joinpath("o200k_base.xz").read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise PrhubError(f"the token vocabulary cannot be read, install prhub_digest again: {error}") from error
    if hashlib.sha256(content).hexdigest() != _CONTENT:
        raise PrhubError("the token vocabulary is damaged, install prhub_digest again")
    bounds = accumulate(content[:_TOKENS], initial=_TOKENS)
    return {content[start:end]: rank for rank, (start, end) in enumerate(pairwise(bounds))}


@cache
def encoding() -> "Encoding":
    """The encoding, loaded once, at first use (about 0.3 s). It knows no special tokens: look-alikes are text."""
    import tiktoken  # noqa: PLC0415 - only when something is counted

    return tiktoken.Encoding("o200k_base", pat_str=_PATTERN, mergeable_ranks=ranks(), special_tokens={})
