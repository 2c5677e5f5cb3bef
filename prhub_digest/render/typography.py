"""Chinese typography and bold that a CommonMark parser recognises. Applied to sentences, never to titles or names.

Code spans and addresses are never touched; Latin words only get a space beside them.
"""

import re
import unicodedata
from collections.abc import Iterator

from prhub_digest.models.digest import Language

CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)

# While a text is worked on, one character each stands for what is kept as it is, and for the two bold marks.
_KEPT, _OPEN, _CLOSE = "\ue000", "\ue001", "\ue002"
_KEEP = re.compile(
    rf"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|https?://[!-~]+|[{_KEPT}{_OPEN}{_CLOSE}]", re.DOTALL
)

_CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LATIN = rf"A-Za-z0-9{_KEPT}"
_FULL_STOPS = "，。；：！？、"
_WIDE = {",": "，", ";": "；", ":": "：", "!": "！", "?": "？", ".": "。"}
_PAIRS = {"（": "）", "(": ")", "[": "]", "「": "」", "《": "》", "“": "”", "【": "】"}

_SPACING = re.compile(
    rf"(?<=[{_CJK}])(?={_OPEN}?[{_LATIN}])"
    rf"|(?<=[{_CJK}]{_CLOSE})(?=[{_LATIN}])"
    rf"|(?<=[{_LATIN}%+#])(?={_OPEN}?[{_CJK}])"
    rf"|(?<=[{_LATIN}%+#]{_CLOSE})(?=[{_CJK}])"
)
_STOP_AFTER_CJK = re.compile(rf"(?<=[{_CJK}）」》”])({_CLOSE}?)([,;:!?]|(?<!\.)\.(?!\.))(?=\s|[{_CJK}{_OPEN}]|$)")
_COMMA_BEFORE_CJK = re.compile(rf"(?<=[{_LATIN})\]])({_CLOSE}?)([,;])\s*(?={_OPEN}?[{_CJK}])")
_BRACKETS = re.compile(r"\(([^()（）]*)\)")
_BLANK_AT_STOP = re.compile(rf"\s*([{_FULL_STOPS}（）])\s*")
_WIDE_END = re.compile(rf"[{_FULL_STOPS}…]+$")
_NARROW_END = re.compile(r"[.,;:!?]+$")


def polish(text: str, language: Language) -> str:
    """The text as it should be set; polishing it again changes nothing.

    Bold marks are made to work in plain CommonMark: a closing `**` after a blank or before a letter with punctuation
    inside is not one. For `zh`: full-width punctuation beside Chinese, a space between Chinese and Latin.
    """
    for _ in range(4):  # one step may make room for another
        polished = _polish_once(text, language)
        if polished == text:
            break
        text = polished
    return text


def bold_pairs(text: str) -> Iterator[tuple[int, int]]:
    """The positions of the opening and closing `**` of each bold passage, generously read; code spans hold none."""
    masked = CODE_SPAN.sub(lambda match: _KEPT * len(match[0]), text)
    opened: int | None = None
    for match in re.finditer(r"(?<!\*)\*\*(?!\*)", masked):
        start, end = match.span()
        before, after = masked[start - 1 : start] or " ", masked[end : end + 1] or " "
        if opened is None:
            if not after.isspace() or not (before.isspace() or _is_word(before)):
                opened = start
        elif start > opened + 2 and not (before.isspace() and _is_word(after)):
            if masked[opened + 2 : start].strip():
                yield opened, start
            opened = None


def opens(before: str, after: str) -> bool:
    """Whether `**` between two characters ("" at an end) opens bold: a left-flanking run of CommonMark 0.31."""
    return not _blank(after) and (not _may_be_punctuation(after) or _blank(before) or _is_punctuation(before))


def closes(before: str, after: str) -> bool:
    return opens(after, before)


def _polish_once(text: str, language: Language) -> str:
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return _KEPT

    work = _mark_bold(_KEEP.sub(keep, text))
    if language == "zh":
        work = _set_chinese(work)
    work = _mend_bold(work, language)
    parts = iter(kept)
    return re.sub(_KEPT, lambda _: next(parts), work)


def _mark_bold(text: str) -> str:
    marked = list(text)
    for start, end in bold_pairs(text):
        marked[start : start + 2] = [_OPEN, ""]
        marked[end : end + 2] = [_CLOSE, ""]
    return "".join(marked)


def _set_chinese(text: str) -> str:
    text = _BRACKETS.sub(lambda match: _widen_brackets(match, text), text)
    text = _STOP_AFTER_CJK.sub(lambda match: match[1] + _WIDE[match[2]], text)
    text = _COMMA_BEFORE_CJK.sub(lambda match: match[1] + _WIDE[match[2]], text)
    text = _BLANK_AT_STOP.sub(r"\1", text)
    return _SPACING.sub(" ", text)


def _widen_brackets(match: re.Match[str], text: str) -> str:
    """Full-width when Chinese stands inside, or right beside; `foo(x)` stays as it is."""
    before, after = text[max(match.start() - 2, 0) : match.start()].strip()[-1:], text[match.end() : match.end() + 1]
    chinese = re.compile(f"[{_CJK}]")
    if chinese.search(match[1]) or chinese.match(before) or (not _is_word(before) and chinese.match(after)):
        return f"（{match[1]}）"
    return match[0]


def _mend_bold(text: str, language: Language) -> str:
    """Move blanks, stops and enclosing brackets out of bold; where that is not enough in Chinese, add a space."""
    pieces = re.split(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}", text)
    for index in range(1, len(pieces), 2):
        before, inner, after = pieces[index - 1 : index + 2]
        pieces[index - 1], pieces[index + 1], pieces[index] = _mend_passage(before, inner, after, language)
    return "".join(pieces)


def _mend_passage(before: str, inner: str, after: str, language: Language) -> tuple[str, str, str]:
    stripped = inner.strip()
    before += " " if inner[:1].isspace() and before and not before[-1].isspace() else ""
    after = (" " if inner[-1:].isspace() and after and not after[0].isspace() else "") + after
    stop = _WIDE_END.search(stripped)
    if stop is None and (not after or not closes(stripped[-1:], after[:1])):
        stop = _NARROW_END.search(stripped)
    if stop:
        stripped, after = stripped[: stop.start()], stop[0] + after
    enclosed = len(stripped) > 1 and _PAIRS.get(stripped[0]) == stripped[-1]
    if enclosed and not (opens(before[-1:], stripped[0]) and closes(stripped[-1], after[:1])):
        before, stripped, after = before + stripped[0], stripped[1:-1].strip(), stripped[-1] + after
    if not stripped:
        return before, after, ""
    if language == "zh":
        before += "" if opens(before[-1:], stripped[0].replace(_KEPT, "`")) else " "
        after = ("" if closes(stripped[-1].replace(_KEPT, "`"), after[:1]) else " ") + after
    return before, after, f"**{stripped}**"


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _blank(character: str) -> bool:
    return character == "" or character.isspace()


def _is_punctuation(character: str) -> bool:
    """Punctuation for every parser: those before CommonMark 0.31 do not count symbols."""
    return unicodedata.category(character).startswith("P") or (character.isascii() and _may_be_punctuation(character))


def _may_be_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
