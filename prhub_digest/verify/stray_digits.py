"""No number in a sentence but in a name that a cited pull request holds or a copied limit; no quantity in words."""

import re

from prhub_digest.models.digest import Sentence
from prhub_digest.verify.context import Context
from prhub_digest.verify.copied import is_copied
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.occurrences import Haystack, Needle, numbers, plain
from prhub_digest.verify.quantity_words import quantity_words
from prhub_digest.verify.tokens import CODE_SPAN, Token, digit_tokens

# What code counts: a number of these is never a pull request's own wording.
_COUNTED = re.compile(
    r"\s*(?:of the |merged |个|名|位)?\s*(?:PRs?\b|pull requests?|commits?\b|authors?|contributors?|reviewers?"
    r"|reviews?\b|threads?\b|weeks?\b|贡献者|作者|提交|评审|合并请求)",
    re.IGNORECASE,
)

# `--page-size 64`, `topk=1`, `topk > 1`, `size: int = 1`: a setting with its value; `438 ms` or `TTFT 412` is a figure.
_SETTING = re.compile(r"--?[A-Za-z][\w-]*[ =]\S+|[A-Za-z][\w.-]*(?:: ?\w+)?\s?(?:=|==|>=|<=|>|<)\s?\S+", re.ASCII)


def check(context: Context) -> Report:
    report = Report("stray_digits")
    for sentence in context.digest.sentences:
        report.checked += 1
        if sentence.origin == "model":
            _check_model(context, sentence, report)
        else:
            _check_template(context, sentence, report)
    return report


def _check_model(context: Context, sentence: Sentence, report: Report) -> None:
    for token in digit_tokens(_without_copies(context, sentence)):
        if not token.options:
            fault = f"the number {token.text!r} stands in the text; code adds numbers"
            report.error(sentence.item, "stray_number", fault, token.text)
        elif not context.backs(sentence, token):
            fault = f"{token.text!r} is no name that a cited pull request holds"
            report.error(sentence.item, "unknown_name", fault, token.text)
    told = Haystack(plain(context.told(sentence)))
    for words, rest in quantity_words(sentence.text):
        if _COUNTED.match(rest) or not _said(words, told):
            fault = f"the quantity {words!r} stands in the text; code adds numbers"
            report.error(sentence.item, "stray_quantity", fault, words)


def _without_copies(context: Context, sentence: Sentence) -> str:
    """The text without the settings with their values, and the numbers of versions and limits, that it copies."""
    text = plain(sentence.text)

    def kept(match: re.Match[str]) -> str:
        setting = Token(match[1], (frozenset({Needle("code", match[1])}),))
        if _SETTING.fullmatch(match[1]) and context.backs(sentence, setting):
            return ""
        if is_copied(context, sentence, match[1], text[match.end() :]):
            return " ".join(token.text for token in digit_tokens(match[1]) if token.options)
        return match[0]

    return CODE_SPAN.sub(kept, text)


def _said(words: str, told: Haystack) -> bool:
    """Whether a cited quote or title has the same words: then they describe the change, and are not counted here."""
    return told.holds(Needle("name", words))


def _check_template(context: Context, sentence: Sentence, report: Report) -> None:
    """Code copied this text from a fact: its numbers are those of the pull request, or the fact was wrong."""
    told = set(numbers(context.told(sentence)))
    for token in digit_tokens(sentence.text):
        if not told.issuperset(numbers(token.text)) and not context.backs(sentence, token):
            fault = f"{token.text!r} stands in no cited quote or title"
            report.error(sentence.item, "stray_number", fault, token.text)
