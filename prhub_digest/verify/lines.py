"""Translated lines: each has what its English line has, and nothing that the English has not.

The English line is the standard, not the pull request: its statements were grounded when it was written. A translation
can still turn a cause or a direction round; what code can hold are numbers, names, units, negations and limits.
"""

import re
from collections import Counter

from prhub_digest.models.digest import Language
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.occurrences import Haystack, Needle, numbers, plain
from prhub_digest.verify.tokens import CODE_SPAN, code_tokens

_ROOM = 20
_CJK = re.compile(r"[\u3400-\u9fff]")
# As in a sentence: four words in a row are a clause.
_ENGLISH_CLAUSE = re.compile(r"[A-Za-z][a-z]+(?: [a-z]+){3,}")
_MARKUP = "[]<>*_#|~\\"
_ADDRESS = re.compile(r"\bhttps?:|\bwww\.", re.IGNORECASE)
# What an English line says, and the ways to say it in Chinese.
_SAID: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (name, re.compile(english, re.IGNORECASE), re.compile(chinese))
    for name, english, chinese in (
        ("a negation", r"\b(?:not|never|no|none|without|cannot|neither|nor)\b|n't\b", r"[不未无没非勿否]|至多|最多|才"),
        ("“only”", r"\bonly\b", r"[仅只唯才单]|限于"),
        ("“by default”", r"\bby default\b", r"默认|缺省"),
        ("“unless” or “except”", r"\b(?:unless|except)\b", r"除|否则|不|未|才"),
        ("the unit %", r"%|\bper ?cent\b", r"[%％]|百分"),
        ("the unit ms", r"\d ?ms\b", r"ms|毫秒"),
        ("the unit µs", r"\d ?[uµμ]s\b", r"[uµμ]s|微秒"),
        ("the unit ns", r"\d ?ns\b", r"ns|纳秒"),
        ("the unit s", r"\d ?s(?:ec(?:onds?)?)?\b", r"s|(?<![毫微纳])秒"),
        ("the unit of thousands or millions", r"\d(?-i:[KM])\b", r"[KMkm]"),
        ("the unit of bytes", r"\d ?(?-i:[KMGT]i?B)\b", r"[KMGT]i?B"),
    )
)
_CHINESE_NEGATION = re.compile(r"不再|没有|无法|不能|不会|并非|并不|从不|从未|未(?![来知必])")
# Whatever an English line may have that a Chinese negation is a fair word for.
_ENGLISH_NEGATION = re.compile(
    r"\b(?:not?|never|none|nothing|neither|nor|without|cannot|unless|until|instead|rather|except|only|off|out|outside"
    r"|away|idle|empty|stuck|stop(?:s|ped)?|free|before|yet)\b|n't\b|less\b"
    r"|\bun(?!der|i[tofq]|til)[a-z]|\bin(?:valid|correct|complet|compatib|consist|accura|definit|activ|suffici|visib)"
    r"|\b(?:non|illegal|impossib|improper|irrelevan|dis(?:abl|allow|card|appear|agree|connect)|mis[sulp])"
    r"|\b(?:fail|lack|avoid|prevent|refus|reject|ignor|skip|drop|los[et]|den[iy]|block|forbid|starv|absen|remov|bare)",
    re.IGNORECASE,
)
# `H200`, `Tern-2`, `fp32`, `factor=4`: a name, not a quantity such as `8x` or `32K`.
_WITH_DIGITS = re.compile(r"(?<![\w.-])[A-Za-z][A-Za-z_.=-]*\d[A-Za-z0-9_.]*", re.ASCII)


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
        for fault in line_faults(source, line.text, context.digest.language):
            report.error(line.id, "unlike_english", fault)
        for term in context.inputs.glossary:
            if term.stands_in(source) and term.zh not in line.text:
                report.warning(
                    line.id, "off_glossary", f"the glossary says {term.zh!r} for {term.en!r}", f"{term.en}: {term.zh}"
                )
    return report


def line_faults(english: str, text: str, language: Language) -> list[str]:
    """What a translation has lost, added, or is not, in words that the model can act on."""
    if language != "zh":
        return ["an English digest has no translated lines"]
    return [*_form(english, text), *_copied(english, text), *_meaning(english, text)]


def _form(english: str, text: str) -> list[str]:
    faults = []
    if not _fewest(english) <= len(text) <= len(english) + _ROOM:
        faults.append(f"it has {len(text)} characters, the English line {len(english)}")
    added = "".join(sorted({char for char in text if char in _MARKUP and char not in english}))
    if added or not text.isprintable():
        faults.append(f"it holds markup or control characters that the English line has not: {added}".rstrip(": "))
    if len(_ADDRESS.findall(text)) > len(_ADDRESS.findall(english)):
        faults.append("it holds an address")
    prose = CODE_SPAN.sub("", text)
    if not _CJK.search(prose):
        faults.append("it is not in Chinese")
    elif clause := _ENGLISH_CLAUSE.search(prose):
        faults.append(f"{clause[0]!r} is left in English")
    return faults


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


def _meaning(english: str, text: str) -> list[str]:
    faults = [f"{name} is lost" for name, cue, way in _SAID if cue.search(english) and not way.search(text)]
    if _CHINESE_NEGATION.search(text) and not _ENGLISH_NEGATION.search(english):
        faults.append("it has a negation that the English line has not")
    return faults
