"""HTML inside Markdown: comments, hidden elements, images, tags. One pass from left to right, never back.

No pattern crosses a `<`, so no text makes the search for a tag's end long.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

_BLOCKS = (
    "address|article|blockquote|br|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|ol|p|pre"
    "|section|summary|table|tbody|tfoot|thead|tr|ul"
)
_CELLS = "td|th"
_INLINE = (
    "abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|g-emoji|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u"
    "|var|a|source|picture|video|audio|track|caption|col|colgroup|area|map|rp|rt|ruby|wbr|nobr|label|img"
)
_UNSEEN = "script|style|template|noscript|iframe|object|embed|svg|math|head|title|textarea|input|button|form|meta|link"
_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_UNSEEN_NAMES = frozenset(_UNSEEN.split("|"))
_BLOCK = re.compile(f"(?:{_BLOCKS})")
_CELL_NAMES = frozenset(_CELLS.split("|"))

_TOKEN = re.compile(
    r"<(?:(?P<comment>!--)|(?P<bogus>[!?][A-Za-z\[][^<>]*+>)"
    rf"|(?P<close>/?)(?P<name>(?:{_BLOCKS}|{_CELLS}|{_INLINE}|{_UNSEEN}))(?P<attributes>(?:[\s/][^<>]*+)?)>)",
    re.IGNORECASE,
)
_HIDDEN_ATTRIBUTE = re.compile(r"(?:^|[\s/])hidden(?=[\s/=]|$)", re.IGNORECASE)
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*0(?![.\d])"
    r"|(?<!-)color\s*:\s*(?:white|transparent|#fff(?:fff)?\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_ALT = re.compile(r"""(?<![\w-])alt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_TICKS = re.compile("`++")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Token:
    """A tag, or a comment's opening, that is to be stripped. `hides`: what follows is hidden too."""

    start: int
    end: int
    name: str
    attributes: str
    opens_comment: bool
    hides: bool


class _Closings:
    """Where each element is closed for the last time, looked up once per name."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: dict[str, int] = {}

    def after(self, name: str, position: int) -> bool:
        if name not in self._last:
            found = re.finditer(f"</{name}\\b", self._text, re.IGNORECASE)
            self._last[name] = max((closing.start() for closing in found), default=-1)
        return self._last[name] >= position


class _CodeTracker:
    """Whether a position stands in a code span or a fenced block; asked from left to right only."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = self._ticks = self._fences = 0

    def at(self, position: int) -> bool:
        line_start = self._text.rfind("\n", self._position, position) + 1
        ticks = len(_TICKS.findall(self._text, line_start or self._position, position))
        self._ticks = ticks if line_start else self._ticks + ticks
        self._fences += len(_FENCE.findall(self._text, self._position, position))
        self._position = position
        return self._ticks % 2 == 1 or self._fences % 2 == 1


def drop_comments(text: str) -> str:
    """The text without HTML comments; one that is never closed reaches to the end."""
    kept: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        kept.append(text[position:start])
        position = _comment_end(text, start)
    return "".join(kept) + text[position:]


def strip_markup(text: str) -> str:
    """The text without comments and hidden elements; images become their alt text, tags of blocks a line break.

    Tags in code are text. A hidden element that is never closed reaches to the end.
    """
    kept: list[str] = []
    position = 0
    for token in _tokens(text):
        if token.start >= position:
            kept += text[position : token.start], _shown(token)
            position = _hidden_end(text, token)
    return "".join(kept) + text[position:]


def escape_markup(text: str) -> str:
    """The text with `&lt;` wherever `strip_markup` would find something: for what decoding entities made."""
    kept: list[str] = []
    position = 0
    for token in _tokens(text):
        kept += text[position : token.start], "&lt;"
        position = token.start + 1
    return "".join(kept) + text[position:]


def _tokens(text: str) -> Iterator[_Token]:
    closings, code = _Closings(text), _CodeTracker(text)
    for match in _TOKEN.finditer(text):
        name, attributes = (match["name"] or "").lower(), match["attributes"] or ""
        in_code = code.at(match.start())
        if not name:
            yield _Token(match.start(), match.end(), "", "", opens_comment=bool(match["comment"]), hides=False)
            continue
        unseen = not match["close"] and name in _UNSEEN_NAMES
        by_attribute = not match["close"] and _hides(attributes)
        hides = (unseen or by_attribute) and name not in _VOID
        if _is_parameter(match["name"], attributes):
            continue
        if hides:
            is_text = _is_whole_code(match) or (not closings.after(name, match.end()) and (in_code or not by_attribute))
        else:
            is_text = in_code
        if not is_text:
            yield _Token(match.start(), match.end(), name, attributes, opens_comment=False, hides=hides)


def _hides(attributes: str) -> bool:
    attributes = unescape(attributes)
    return bool(_HIDDEN_ATTRIBUTE.search(_QUOTED.sub("", attributes)) or _HIDING_STYLE.search(attributes))


def _is_parameter(name: str, attributes: str) -> bool:
    """Whether a tag of one letter is a type parameter such as `<A>` or `<a, b>`, or part of a comparison."""
    return len(name) == 1 and (name.isupper() or ("=" not in attributes and bool(attributes.strip())))


def _is_whole_code(match: re.Match[str]) -> bool:
    text = match.string
    return text[match.start() - 1 : match.start()] == "`" == text[match.end() : match.end() + 1]


def _hidden_end(text: str, token: _Token) -> int:
    """Where the text that is shown goes on."""
    if token.opens_comment:
        return _comment_end(text, token.start)
    if not token.hides:
        return token.end
    depth = 1
    for tag in re.compile(rf"<(/?){token.name}(?:[\s/][^<>]*+)?>", re.IGNORECASE).finditer(text, token.end):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end()
    return len(text)


def _comment_end(text: str, start: int) -> int:
    """Behind `-->`, which may share the dashes of the opening (`<!-->`)."""
    end = text.find("-->", start + 2)
    return len(text) if end < 0 else end + 3


def _shown(token: _Token) -> str:
    if token.hides:
        return ""
    if token.name == "img" and (alt := _ALT.search(token.attributes)) and not _hides(token.attributes):
        return next(filter(None, alt.groups()), "")
    if _BLOCK.fullmatch(token.name):
        return "\n"
    return " " if token.name in _CELL_NAMES else ""
