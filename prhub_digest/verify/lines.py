"""Translated lines: each has what its English line has, and nothing that the English has not; and none is missing.

The English line is the standard, not the pull request: its statements were grounded when it was written. Here are form,
numbers, code and names; `line_counts`, `line_meaning` and `line_terms` compare what is said in words.
"""

import re
from collections import Counter
from collections.abc import Sequence

from prhub_digest.models.digest import Language
from prhub_digest.models.glossary import Term
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.line_counts import count_faults
from prhub_digest.verify.line_meaning import meaning_faults
from prhub_digest.verify.line_pairs import Translation
from prhub_digest.verify.line_terms import has_term, term_faults
from prhub_digest.verify.occurrences import Haystack, Needle, numbers, plain
from prhub_digest.verify.tokens import CODE_SPAN, code_tokens

_ROOM = 20
_CJK = re.compile(r"[\u3400-\u9fff]")
# As in a sentence: four words in a row are a clause.
_ENGLISH_CLAUSE = re.compile(r"[A-Za-z][a-z]+(?: [a-z]+){3,}")
_MARKUP = "[]<>*_#|~@\\"
_ADDRESS = re.compile(r"\bhttps?:|\bwww\.", re.IGNORECASE)
# `H200`, `Tern-2`, `fp32`, `factor=4`: a name, not a quantity such as `8x` or `32K`.
_WITH_DIGITS = re.compile(r"(?<![\w.-])[A-Za-z][A-Za-z_.=-]*\d[A-Za-z0-9_.]*", re.ASCII)
_LATIN = re.compile(r"[A-Za-z0-9.]*[A-Za-z0-9]")
_LOWER = re.compile(r"(?<![\w./=-])[a-z]{3,}(?![\w/=])", re.ASCII)


def check(context: Context) -> Report:
    report = Report("lines")
    english = {line: text for fact in context.inputs.plan.facts for line, text in fact.lines.items()}
    times = Counter(line.id for line in context.digest.lines)
    for line in context.digest.lines:
        report.checked += 1
        source = english.get(line.id)
        if source is None:
            report.error(line.id, "unplanned", f"the plan has no line {line.id!r}")
        if times.pop(line.id, 1) > 1:
            report.error(line.id, "repeated", f"the line {line.id!r} is translated more than once")
        if source is None or line.text is None:
            continue
        for fault in line_faults(source, line.text, context.digest.language, context.inputs.glossary):
            report.error(line.id, "unlike_english", fault)
        for term in context.inputs.glossary:
            if term.stands_in(source) and term.zh not in line.text:
                report.warning(
                    line.id, "off_glossary", f"the glossary says {term.zh!r} for {term.en!r}", f"{term.en}: {term.zh}"
                )
    _check_untranslated(context, report)
    return report


def _check_untranslated(context: Context, report: Report) -> None:
    """One warning for all lines, since a call that failed leaves forty of them. Stubs translate nothing."""
    told = {line.id for line in context.digest.lines if line.text is not None}
    left = [line for line in context.inputs.shown_lines if line not in told]
    if left and not context.digest.usage.stubs:
        message = f"{len(left)} of {len(context.inputs.shown_lines)} lines stay English: {', '.join(left)}"
        report.warning(None, "untranslated", message, str(len(left)))


def line_faults(english: str, text: str, language: Language, glossary: Sequence[Term] = ()) -> list[str]:
    """What a translation has lost, added, or is not, in words that the model can act on."""
    if language != "zh":
        return ["an English digest has no translated lines"]
    line = Translation(english, text)
    said = (*meaning_faults(line), *count_faults(line), *term_faults(line, glossary))
    return list(dict.fromkeys((*_form(english, text), *_copied(english, text), *said)))


def _form(english: str, text: str) -> list[str]:
    faults = []
    if not _fewest(english) <= len(text) <= len(english) + _ROOM:
        faults.append(f"it has {len(text)} characters, the English line {len(english)}")
    added = " ".join(sorted({f"“{char}”" for char in text if char in _MARKUP and char not in english}))
    if added or not text.isprintable():
        faults.append(f"it holds markup or control characters that the English line has not: {added}".rstrip(": "))
    if len(_ADDRESS.findall(text)) > len(_ADDRESS.findall(english)):
        faults.append("it holds an address")
    prose = CODE_SPAN.sub("", text)
    if not _CJK.search(prose):
        if not _only_names(english, text):
            faults.append("it is not in Chinese")
    elif clause := _ENGLISH_CLAUSE.search(prose):
        faults.append(f"{clause[0]!r} is left in English")
    return faults


def _only_names(english: str, text: str) -> bool:
    """`Petrel MoE 16x3B, TP1` may stay as it is: of such lines only what stands between the names is translated.

    A first word may have a capital without being a name, so one name at least is surely one.
    """
    prose = CODE_SPAN.sub(" ", english)
    word = _LOWER.search(prose) or has_term(prose)
    return not word and bool(_names(english)) and _LATIN.findall(plain(text)) == _LATIN.findall(plain(english))


def _fewest(english: str) -> int:
    """A short line may become two characters; of what is beyond forty, a fifth stays in the tersest Chinese."""
    return max(1, (len(english) - 40) // 5)


def _copied(english: str, text: str) -> list[str]:
    """Numbers, code and names stand in both."""
    faults = []
    given, wanted = Counter(numbers(text)), Counter(numbers(english))
    if given != wanted:
        lost, added = (", ".join(sorted(own.elements())) or "none" for own in (wanted - given, given - wanted))
        faults.append(f"its numbers differ from the English line's: lost {lost}; added {added}")
    spans, known = Counter(CODE_SPAN.findall(text)), Haystack(plain(english))
    faults += [f"the code `{span}` is lost" for span in Counter(CODE_SPAN.findall(english)) - spans]
    faults += [f"the code `{span}` is added" for span in spans if not known.holds(Needle("code", span))]
    if text.count("`") % 2:
        faults.append("a backtick is not closed")
    told = Haystack(plain(text))
    faults += [f"the name {name!r} is lost" for name in _names(english) if not _holds(told, name)]
    faults += [f"the name {name!r} is added" for name in _names(text) if not _holds(known, name)]
    return faults


def _names(text: str) -> list[str]:
    """Names of code, and of products that have digits; those in backticks are looked at as code."""
    prose = CODE_SPAN.sub(" ", plain(text))
    with_digits = (name.rstrip(".") for name in _WITH_DIGITS.findall(prose))
    return list(dict.fromkeys((*(token.text for token in code_tokens(prose)), *with_digits)))


def _holds(told: Haystack, name: str) -> bool:
    """A plural is none in Chinese: `LoRAs` is `LoRA`."""
    return any(told.holds(Needle("code", form)) for form in (name, f"{name}s", name.removesuffix("s")) if form)
