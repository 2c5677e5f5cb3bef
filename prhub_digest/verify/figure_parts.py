"""The parts of a figure that must stand in its pull request."""

import re
from collections.abc import Sequence

from prhub_digest.models.chunk import SourceLine
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
_IN_BRACKETS = re.compile(r"(\w?)[(\[（]([^()\[\]（）\d]*)[)\]）]")
# Units that stand in a label as a word: the minimum, data points, times; and `kernel(s)` is a plural.
_ALSO_WORDS = frozenset({"min", "mins", "points", "times", "fold", "x", "h", "s"})
_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?")
_BEGINS_WITH_NUMBER = re.compile(r"[~≈<>±+-]?\s*\d")


def unit_key(unit: str) -> int | None:
    """Which unit this is, None when it is none of the usual ones."""
    return _UNIT_OF.get(unit.casefold().strip(" ."))


def unit_aliases(unit: str) -> set[str]:
    key = unit_key(unit)
    return {unit} if key is None else set(_UNITS[key])


def bracketed_units(text: str) -> list[str]:
    """The usual units in brackets: `Mean ITL (ms): 21.5` -> ms."""
    return [
        word
        for match in _IN_BRACKETS.finditer(plain(text))
        for word in re.split(r"[\s,;]+", match[2])
        if is_unit(word) or (unit_key(word) is not None and not match[1] and word.casefold() != "min")
    ]


def label_units(label: str) -> list[str]:
    """The usual units that the label of a table's row or column names: `Mean ITL (ms)`, `output tok/s`, `Δ%`."""
    last = re.split(r"[\s,]+", plain(label).rstrip(" .:"))[-1]
    unit = "%" if last.endswith("%") else last
    return [*bracketed_units(label), *([unit] if is_unit(unit) else [])]


def is_unit(word: str) -> bool:
    """Whether a word is one of the usual units, and nothing else."""
    return unit_key(word) is not None and word.casefold() not in _ALSO_WORDS


def is_ratio(unit: str) -> bool:
    return unit_key(unit) in {unit_key(ratio) for ratio in ("%", "x", "pp")}


def table_labels(figure: Figure, lines: Sequence[SourceLine]) -> list[tuple[str, str]]:
    """The labels of row and column of each cell that holds the value, where its quote is of a table in Markdown."""
    place = next((place for place, line in enumerate(lines) if line.id == figure.evidence.line), None)
    if place is None or "|" not in lines[place].text:
        return []
    wanted = {*numbers(figure.value)}
    header = _header(lines, place)
    found = []
    for line in lines[place : place + figure.evidence.quote.count("\n") + 1] if header and wanted else ():
        row = _cells(line.text)
        for column, cell in enumerate(row):
            if wanted.issubset(numbers(cell)):
                labels = (own for own in row[:column] if not _BEGINS_WITH_NUMBER.match(own))
                found.append((next(labels, ""), header[column] if column < len(header) else ""))
    return found


def _header(lines: Sequence[SourceLine], place: int) -> list[str]:
    """The labels of the columns of the table that a line is of; empty when it is of none."""
    for above in range(place - 1, 0, -1):
        if "|" not in lines[above].text:
            return []
        if _RULE.fullmatch(lines[above].text.strip()):
            return _cells(lines[above - 1].text)
    return []


def _cells(row: str) -> list[str]:
    return [cell.strip(" *`_") for cell in _BORDER.split(row.strip().removeprefix("|").removesuffix("|"))]


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
