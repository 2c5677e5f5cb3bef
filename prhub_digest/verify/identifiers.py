"""Names of code in a sentence stand in a pull request that it cites, or name an area or the repository."""

from collections.abc import Iterable

from prhub_digest.models.digest import Sentence
from prhub_digest.verify.context import Context
from prhub_digest.verify.copied import is_copied
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.occurrences import plain
from prhub_digest.verify.tokens import Token, code_tokens

# Values that every language of code has; how a pull request spells them says nothing.
_LITERALS = frozenset({"true", "false", "none", "null", "nil"})


def check(context: Context) -> Report:
    report = Report("identifiers")
    for sentence in context.digest.sentences:
        for token in _names(context, sentence):
            if token.text.casefold() in _LITERALS:
                continue
            report.checked += 1
            if not context.backs(sentence, token):
                told = f"no cited pull request holds the name {token.text!r}"
                report.error(sentence.item, "unknown_name", told, token.text)
    return report


def _names(context: Context, sentence: Sentence) -> Iterable[Token]:
    """Of a copied limit, such as `256 experts`, only the names in it: the fact may have worded the rest."""
    for token in code_tokens(sentence.text):
        span = f"`{token.text}`" in plain(sentence.text)
        if span and not context.backs(sentence, token) and is_copied(context, sentence, token.text, ""):
            yield from code_tokens(token.text)
        else:
            yield token
