"""Cleaned prose without what bots and templates add. Every line keeps its place: what is folded away becomes empty.

What each rule looks for stands in `boilerplate.py`, `checklists.py` and `ci_tables.py`. Lines of fenced code stay.
"""

import re
from collections.abc import Sequence
from itertools import islice

from prhub_digest.hygiene.boilerplate import (
    EMPTY_ITEM,
    INSTRUCTION,
    LINE,
    SECTION,
    SETTINGS_LINE,
    SETTINGS_SECTION,
    WHOLE,
)
from prhub_digest.hygiene.checklists import fold_checklists
from prhub_digest.hygiene.ci_tables import fold_ci_tables

_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})\s+(?P<title>[^\s#].*)")
_LABEL = re.compile(r"\s*(?:\*\*|__)(?:[^*_]{1,60}[:?](?:\*\*|__)|[^*_]{1,60}(?:\*\*|__)[:?])\s*")
_RULE = re.compile(r"\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})")
_LABEL_RANK = 7
_MOST_TITLE_WORDS = 8
_FIRST_LINES = 3
_LOOKED_AT = 400  # characters of a line; nothing that is looked for is longer
_MOST_PASSES = 6

_URL = re.compile(r"https?://[^\s<>()\[\]\"'`|]+")
_SIGNED = re.compile(
    r"[?&](?:jwt|sig|signature|token|access_token|x-amz-signature|x-goog-signature|awsaccesskeyid|key-pair-id)=",
    re.IGNORECASE,
)
_MOST_URL = 240
_KEPT_URL = 200


def fold_lines(lines: Sequence[str], *, description: bool) -> list[str]:
    """As many lines as were given; folding them again changes nothing.

    A `description` may come from a template: its checklists, instructions and headings without a text are folded, too.
    In a comment they are what somebody asks for.
    """
    folded = list(lines)
    for _ in range(_MOST_PASSES):
        again = _fold_once(folded, description=description)
        if again == folded:
            return folded
        folded = again
    return list(lines)  # only text made to resist gets here


def _fold_once(lines: Sequence[str], *, description: bool) -> list[str]:
    name = None if description else _whole(lines)
    if name is not None:
        first = next(number for number, line in enumerate(lines) if line.strip())
        return [f"[folded: {name}]" if number == first else "" for number in range(len(lines))]
    code = _code(lines)
    prose = ["" if in_code else line for line, in_code in zip(lines, code, strict=True)]
    prose = fold_ci_tables(_without_sections(prose))
    if description:
        prose = fold_checklists(["" if _asks(line) else line for line in prose])
    prose = ["" if LINE.match(line[:_LOOKED_AT]) else _short_addresses(line) for line in prose]
    folded = [line if in_code else text for line, text, in_code in zip(lines, prose, code, strict=True)]
    return _without_unfilled(folded, code) if description else folded


def _whole(lines: Sequence[str]) -> str | None:
    """What a comment is when it is boilerplate as a whole."""
    first = [line[:_LOOKED_AT] for line in islice((line for line in lines if line.strip()), _FIRST_LINES)]
    for known in WHOLE:
        if any(known.begins.match(line) for line in first) and (
            known.also is None or any(known.also.match(line[:_LOOKED_AT]) for line in lines)
        ):
            return known.name
    return None


def _code(lines: Sequence[str]) -> list[bool]:
    """Which lines are fenced code, the fences with them; a fence that is never closed opens none."""
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    code = [False] * len(lines)
    for start, end in zip(fences[::2], fences[1::2], strict=False):
        code[start : end + 1] = [True] * (end + 1 - start)
    return code


def _without_sections(lines: Sequence[str]) -> list[str]:
    """Without a bot's sections: from their heading to the next heading of the same rank, a rule, or the end."""
    kept = list(lines)
    number = 0
    while number < len(lines):
        heading = _heading(lines[number])
        start = number
        number += 1
        if heading is not None and _is_of_a_bot(heading["title"], lines[number : number + 5]):
            while number < len(lines) and not _ends_section(lines[number], len(heading["marks"])):
                number += 1
            kept[start:number] = [""] * (number - start)
    return kept


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.fullmatch(line[:_LOOKED_AT])


def _is_of_a_bot(title: str, after: Sequence[str]) -> bool:
    if SECTION.match(title):
        return True
    return SETTINGS_SECTION.match(title) is not None and any(SETTINGS_LINE.match(line[:_LOOKED_AT]) for line in after)


def _ends_section(line: str, rank: int) -> bool:
    heading = _heading(line)
    return _RULE.fullmatch(line) is not None if heading is None else len(heading["marks"]) <= rank


def _asks(line: str) -> bool:
    return EMPTY_ITEM.fullmatch(line) is not None or INSTRUCTION.match(line[:_LOOKED_AT]) is not None


def _without_unfilled(lines: Sequence[str], code: Sequence[bool]) -> list[str]:
    """Without short headings that nothing stands under; a text of one line is no template."""
    if sum(1 for line in lines if line.strip()) <= 1:
        return list(lines)
    kept = list(lines)
    below: int | None = 0  # the rank of the next line that is kept: 0 for an end, None for text
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        rank = None if code[number] else _rank(line)
        if rank is not None and below is not None and below <= rank and _is_short(line):
            kept[number] = ""
        elif rank is not None:
            below = rank
        elif not code[number] and _RULE.fullmatch(line):
            # A rule ends what stands above it, unless it underlines a heading.
            below = 0 if number and not lines[number - 1].strip() else below
        elif line.strip():
            below = None
    return kept


def _rank(line: str) -> int | None:
    heading = _heading(line)
    if heading is not None:
        return len(heading["marks"])
    return _LABEL_RANK if _LABEL.fullmatch(line[:_LOOKED_AT]) else None


def _is_short(heading: str) -> bool:
    return len(heading.split()) <= _MOST_TITLE_WORDS + 1 and not re.search(r"\d", heading)


def _short_addresses(line: str) -> str:
    """Signatures, and the tails of very long addresses, identify nothing."""
    return _URL.sub(_short_address, line) if "://" in line else line


def _short_address(found: re.Match[str]) -> str:
    address = found[0]
    if _SIGNED.search(address):
        address = address.partition("?")[0]
    return address if len(address) <= _MOST_URL else address[:_KEPT_URL] + "…"
