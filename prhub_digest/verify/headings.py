"""The heading of a theme: short, in the digest's language, about what stands below it, and nothing that is counted.

A heading states nothing, so that it needs no support word by word; but one that shares no word with the headlines of
its theme names another thing.
"""

import re

from prhub_digest.evidence import content_words
from prhub_digest.models.digest import Sentence
from prhub_digest.verify.clauses import stem
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.quantity_words import quantity_words
from prhub_digest.verify.tokens import code_tokens, digit_tokens
from prhub_digest.verify.trend_words import trend_words

MOST_WORDS, MOST_CHARACTERS = 8, 60
_CJK = re.compile(r"[\u3400-\u9fff]")
_MARKUP = re.compile(r"[\[\]<>*_#|\n\r\t]|https?:")
_STOPS = (".", "!", "?", ":", "。", "！", "？", "：")


def check(context: Context) -> Report:
    report = Report("headings")
    planned = {item.id: item for item in context.inputs.plan.items("headings")}
    for theme in context.digest.themes:
        if theme.heading is None:
            continue
        report.checked += 1
        item = planned.get(theme.heading.item)
        if item is None or item.facts != theme.heading.claims:
            report.error(
                theme.heading.item, "other_citation", "the heading is not one of the plan's, with the plan's facts"
            )
        for fault in _faults(context, theme.heading, theme.areas):
            report.error(theme.heading.item, "heading", fault)
    return report


def _faults(context: Context, heading: Sentence, areas: tuple[str, ...]) -> list[str]:
    text, chinese = heading.text, context.digest.language == "zh"
    faults = []
    if not 0 < len(text.split()) <= MOST_WORDS or len(text) > MOST_CHARACTERS:
        faults.append(f"a heading has at most {MOST_WORDS} words and {MOST_CHARACTERS} characters")
    if text.endswith(_STOPS):
        faults.append("a heading ends without a full stop")
    if _MARKUP.search(text) or not text.isprintable():
        faults.append("the heading holds markup or an address; it must be plain")
    if chinese != bool(_CJK.search(text)):
        faults.append("the heading is not in the language of the digest")
    faults += [f"the number {token.text!r} stands in a heading" for token in digit_tokens(text) if not token.options]
    names = (token for token in (*digit_tokens(text), *code_tokens(text)) if token.options)
    faults += [f"no pull request below holds {token.text!r}" for token in names if not context.backs(heading, token)]
    faults += [f"the quantity {words!r} stands in a heading" for words, _ in quantity_words(text)]
    faults += [f"{word!r} compares with earlier weeks" for word in trend_words(text)]
    if not chinese and not _names_its_theme(context, heading, areas):
        faults.append("the heading names nothing of what stands below it")
    return faults


def _names_its_theme(context: Context, heading: Sentence, areas: tuple[str, ...]) -> bool:
    below = "\n".join((*areas, *(fact.text for fact in context.cited(heading)), context.told(heading)))
    known = {stem(word) for word in content_words(re.sub(r"[-._/]", " ", below))}
    return any(stem(word) in known for word in content_words(re.sub(r"[-._/]", " ", heading.text)))
