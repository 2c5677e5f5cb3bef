"""The parts of a figure that must stand in its pull request."""

import re

from prhub_digest.models.summary import Figure
from prhub_digest.verify.occurrences import Needle, numbers, plain

_WORD = re.compile(r"[A-Za-z]{4,}")
_MIXED = re.compile(r"[A-Za-z0-9_.]*\d[A-Za-z0-9_.]*", re.ASCII)
_UNITS = (
    {"%", "percent", "pct", "％"},
    {"x", "×", "times", "倍", "fold", "-fold"},
    {"pp", "points", "个百分点"},
    {"ms", "msec", "millisecond", "milliseconds", "毫秒"},
    {"us", "µs", "μs", "microsecond", "microseconds", "微秒"},
    {"ns", "nanosecond", "nanoseconds", "纳秒"},
    {"s", "sec", "secs", "second", "seconds", "秒"},
    {"min", "mins", "minute", "minutes", "分钟"},
    {"h", "hour", "hours", "小时"},
    {"kb"}, {"mb"}, {"gb"}, {"tb"}, {"kib"}, {"mib"}, {"gib"}, {"tib"},
    {"tok/s", "tokens/s", "token/s", "tokens/sec", "tps"},
    {"req/s", "requests/s", "rps", "qps"},
)  # fmt: skip
_UNIT_OF = {alias: number for number, aliases in enumerate(_UNITS) for alias in aliases}


def unit_key(unit: str) -> int | None:
    """Which unit this is, None when it is none of the usual ones."""
    return _UNIT_OF.get(unit.casefold().strip(" ."))


def unit_aliases(unit: str) -> set[str]:
    key = unit_key(unit)
    return {unit} if key is None else set(_UNITS[key])


def words(text: str) -> list[str]:
    """The longer Latin words, which should stand in the source in some form."""
    return _WORD.findall(text)


def marked(text: str) -> list[Needle]:
    """The numbers and the names with digits in a text: `batch 32 on H100` -> 32, H100."""
    tokens = (token.strip(".") for token in _MIXED.findall(plain(text)))
    return [
        Needle("name", token) if re.search(r"[A-Za-z_]", token) else Needle("number", numbers(token)[0])
        for token in tokens
    ]


def unit_needles(unit: str) -> set[Needle]:
    return {Needle("name", alias) for alias in unit_aliases(unit)}


def figure_needles(figure: Figure | None) -> set[Needle]:
    """Everything that the checks ask about a figure in its pull request's text."""
    if figure is None:
        return set()
    prose = {Needle("name", word) for word in words(f"{figure.condition} {figure.metric}")}
    measured = marked(f"{figure.condition} {figure.metric}")
    baseline = {Needle("number", number) for number in numbers(figure.baseline)}
    return {*prose, *measured, *baseline, *(unit_needles(figure.unit) if figure.unit.strip() else ())}
