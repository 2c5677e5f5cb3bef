"""Raw Markdown without the collapsible sections that bots add, and without badges. Line breaks stay where they were."""

import re
from collections.abc import Iterator
from html import unescape

from prhub_digest.hygiene.boilerplate import BADGE, DETAILS, GRADE

_TAG = re.compile(r"<(?P<close>/?)details(?:\s[^<>]*)?>", re.IGNORECASE)
_SUMMARY = re.compile(
    r"\s{0,50}<summary(?:\s[^<>]*)?>(?P<title>(?:[^<]|<(?!/?summary)){0,300}+)</summary>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<[^<>]*>")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_IMAGE = r"!\[[^\[\]\n]*+\]\([^()\s]*+(?: [^()\n]*+)?\)"
_MOST_TAGS = 400  # more than any bot writes
_BADGE = re.compile(rf"\[{_IMAGE}\](?:\([^()\s]*+\))?|{_IMAGE}|<img\s[^<>]*>", re.IGNORECASE)


def fold_details(text: str) -> str:
    """The text without such sections and badges; code is left alone, and a section that is never closed, too."""
    return _without_badges(_without_sections(text))


def _without_sections(text: str) -> str:
    tags = list(_TAG.finditer(text))
    if not 0 < len(tags) <= _MOST_TAGS:
        return text
    code = list(_fenced(text))
    tags = [tag for tag in tags if not _in_code(text, tag.start(), code)]
    kept: list[str] = []
    position = 0
    for place, tag in enumerate(tags):
        if tag.start() < position or tag["close"] or not _is_boilerplate(text, tag.end()):
            continue
        end = _closed(tags, place)
        if end is not None:
            kept += text[position : tag.start()], "\n" * text.count("\n", tag.start(), end)
            position = end
    return "".join(kept) + text[position:]


def _is_boilerplate(text: str, position: int) -> bool:
    summary = _SUMMARY.match(text, position)
    return summary is not None and DETAILS.match(unescape(_ANY_TAG.sub("", summary["title"]))) is not None


def _closed(tags: list[re.Match[str]], place: int) -> int | None:
    depth = 0
    for tag in tags[place:]:
        depth += -1 if tag["close"] else 1
        if depth == 0:
            return tag.end()
    return None


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each fenced block, in order; one that is never closed reaches to the end."""
    position, start = 0, None
    for line in text.split("\n"):
        if _FENCE.match(line):
            if start is None:
                start = position
            else:
                yield start, position
                start = None
        position += len(line) + 1
    if start is not None:
        yield start, len(text)


def _in_code(text: str, position: int, fenced: list[tuple[int, int]]) -> bool:
    line_start = text.rfind("\n", 0, position) + 1
    if text.count("`", line_start, position) % 2:
        return True
    return any(start <= position < end for start, end in fenced)


def _without_badges(text: str) -> str:
    """Without the pictures of a line that are badges; a picture that shows something keeps its words."""
    if not BADGE.search(text):
        return text
    return _BADGE.sub(lambda image: "" if BADGE.search(image[0]) and not GRADE.search(image[0]) else image[0], text)
