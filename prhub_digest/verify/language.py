"""A sentence of a model is plain inline text in the digest's language, and neither a fragment nor a page."""

import re
import unicodedata

from prhub_digest.models.digest import Sentence
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.tokens import CODE_SPAN

SHORTEST, LONGEST = 8, 400
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
# Four words in a row are a clause; names such as `free list corrupted` are shorter.
_ENGLISH_CLAUSE = re.compile(r"[A-Za-z][a-z]+(?: [a-z]+){3,}")
_ENDS = (".", "!", "?", "。", "！", "？", "；", "…", "）", ")", "”", '"', "`")
_MARKDOWN = (
    (re.compile(r"!\[[^\]]*\]"), "an image"),
    (re.compile(r"\[[^\]\n]+\]\s?[(\[]"), "a link"),
    (re.compile(r"\bhttps?://|\bwww\.", re.IGNORECASE), "an address"),
    (re.compile(r"^\s{0,3}#{1,6}\s"), "a heading"),
    (re.compile(r"^\s{0,3}(?:[-*+>]\s|\d+[.)]\s)"), "a list or quotation"),
    (re.compile(r"^\s{0,3}```|~~~"), "a fence"),
    (re.compile(r"(?<![\w<])</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>|<!--"), "HTML"),
)
_BOLD = re.compile(r"\*\*|(?<!\w)__(?=[^\s_])[^_]*[^\s_]__(?!\w)")
_QUOTED = re.compile(r"[\"“「'‘][^\"”」'’]*[\"”」'’]")


def check(context: Context) -> Report:
    report = Report("language")
    for sentence in context.digest.sentences:
        report.checked += 1
        for char in sorted({char for char in sentence.text if _unprintable(char)} - _joiners(sentence.text)):
            name = f"U+{ord(char):04X}"
            report.error(sentence.item, "unprintable", f"the control character {name} stands in the text", name)
        if sentence.origin == "model":
            _check_form(sentence, report)
            _check_language(context, sentence, report)
            if context.digest.language == "zh":
                _check_glossary(context, sentence, report)
    return report


def _check_glossary(context: Context, sentence: Sentence, report: Report) -> None:
    """A term of the first thing that a sentence tells, or one that it leaves in English, has its Chinese name."""
    first = next((fact.text for fact in context.cited(sentence)), "")
    for term in context.inputs.glossary:
        if (term.stands_in(first) or term.stands_in(sentence.text)) and term.zh not in sentence.text:
            told = f"the glossary says {term.zh!r} for {term.en!r}"
            report.warning(sentence.item, "off_glossary", told, f"{term.en}: {term.zh}")


def _check_form(sentence: Sentence, report: Report) -> None:
    text = sentence.text.strip()
    if not SHORTEST <= len(text) <= LONGEST:
        report.error(sentence.item, "length", f"the sentence has {len(text)} characters, not {SHORTEST} to {LONGEST}")
    prose = CODE_SPAN.sub("x", text)
    for pattern, name in _MARKDOWN:
        if pattern.search(prose):
            report.error(sentence.item, "markup", f"the text holds {name}; it must be plain")
    if _BOLD.search(prose):
        report.warning(sentence.item, "markup", "the text holds bold marks")
    if not text.endswith(_ENDS):
        report.warning(sentence.item, "no_end_mark", "the sentence has no end mark")


def _check_language(context: Context, sentence: Sentence, report: Report) -> None:
    if context.digest.language == "zh":
        prose = CODE_SPAN.sub("", sentence.text)
        if not _CJK.search(prose):
            report.error(sentence.item, "other_language", "a Chinese sentence without a Chinese character")
        elif clause := _ENGLISH_CLAUSE.search(prose):
            report.error(sentence.item, "other_language", f"{clause[0]!r} stands in a Chinese sentence", clause[0])
        return
    told = context.told(sentence)
    prose = _QUOTED.sub("", CODE_SPAN.sub("", sentence.text))
    for words in _CJK.findall(prose):
        if words not in told:
            report.error(sentence.item, "other_language", f"{words!r} stands in an English sentence", words)


def _unprintable(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def _joiners(text: str) -> set[str]:
    """Joiners are part of some emoji and scripts; between ASCII characters they only hide something."""
    joined = re.findall(r"[^\x00-\x7f]([\u200c\u200d])(?=[^\x00-\x7f])", text)
    return {char for char in set(joined) if len(joined) == text.count("\u200c") + text.count("\u200d")}
