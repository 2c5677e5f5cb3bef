"""Characters that nobody sees: dropped from prose, written as visible escapes in code."""

import re
import sys
import unicodedata
from functools import cache

# Joiners and variation selectors: whether one may stay depends on its neighbours.
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

# Never meaningful in our input: C0 and C1 controls, bidi controls, the tag block, zero-width and filler characters.
_INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_BREAKS = "\x0b\x0c\x85\u2028\u2029"
_SURROGATES = "\ud800-\udfff"

# Extended_Pictographic of Unicode's emoji data, joined into few ranges, and the skin tones inside them.
_EMOJI = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c"
    "\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# Letters and marks of scripts in which a joiner changes what is read: Arabic, Mongolian, Indic and their kin.
_JOINING_SCRIPT = re.compile(
    "[\u0620-\u074f\u0750-\u07ff\u0840-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18af"
    "\u1a00-\u1cff\ua800-\uaaff\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U00011fff]"
)
_CONDITIONAL_RUN = re.compile(f"[{_JOINERS}{_SELECTORS}]+")
_DROPPED = re.compile(f"[{_INVISIBLE}]+")
_SURROGATE = re.compile(f"[{_SURROGATES}]")
_LINE_BREAK = re.compile(f"\r\n?|[{_BREAKS}]")
_SHOWN_AS_ESCAPE = re.compile(f"[{_INVISIBLE}{_BREAKS}{_SURROGATES}\r]")
_CR_AT_LINE_END = re.compile(r"(?<!\r)\r++(?=\n|\Z)")
_EMOJI_SELECTORS = ("\ufe0e", "\ufe0f")
_KEYCAP = "\u20e3"
_MOST_MARKS = 8


def clean_characters(text: str) -> str:
    """Prose without invisible characters: LF as the only line break, NFC. Idempotent."""
    text = _LINE_BREAK.sub("\n", text)
    text = _DROPPED.sub("", text)
    if text.isascii():
        return text
    text = _SURROGATE.sub("\ufffd", text)
    text = _CONDITIONAL_RUN.sub(lambda run: run[0] if _may_stay(run) else "", text)
    return unicodedata.normalize("NFC", limit_marks(text))


def clean_code(text: str) -> str:
    r"""A line of a diff or a path: tabs, spelling and width kept, CR at a line's end dropped, the unseen as `\x0c`.

    Idempotent; text may hold several lines.
    """
    text = _CR_AT_LINE_END.sub("", text)
    text = _SHOWN_AS_ESCAPE.sub(lambda found: _escaped(found[0]), text)
    if text.isascii():
        return text
    return _CONDITIONAL_RUN.sub(lambda run: run[0] if _may_stay(run) else _escaped(run[0]), text)


def limit_marks(text: str) -> str:
    """At most eight combining marks in a row: more than any script needs, and normalizing more is quadratic."""
    return text if text.isascii() else _mark_flood().sub(lambda run: run[0][:_MOST_MARKS], text)


def _may_stay(run: re.Match[str]) -> bool:
    """Whether a run of joiners and selectors is one that an emoji or a joining script has at this place."""
    before = run.string[run.start() - 1 : run.start()] if run.start() else ""
    after = run.string[run.end() : run.end() + 1]
    if run[0] in _EMOJI_SELECTORS and (_EMOJI.match(before) or (before in "0123456789#*" and after == _KEYCAP)):
        return bool(before)
    if _EMOJI.match(before):
        selector, joiner = run[0][:-1], run[0][-1]
        return joiner == "\u200d" and selector in ("", *_EMOJI_SELECTORS) and bool(_EMOJI.match(after))
    return len(run[0]) == 1 and run[0] in _JOINERS and bool(_JOINING_SCRIPT.match(before))


def _escaped(text: str) -> str:
    return "".join(_escape(ord(character)) for character in text)


def _escape(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


@cache
def _mark_flood() -> re.Pattern[str]:
    """`re` looks up a class in one step, but only while its characters are all below U+10000: hence two of them."""
    marks = [chr(code) for code in range(0x300, min(0x20000, sys.maxunicode))]
    # The three Tibetan vowel signs decompose into marks although they count as letters.
    marks = [mark for mark in marks if unicodedata.combining(mark) or mark in "\u0f73\u0f75\u0f81"]
    low, high = ("".join(mark for mark in marks if (mark > "\uffff") is above) for above in (False, True))
    return re.compile(f"(?:[{low}]|(?=[\U00010000-\U0001ffff])[{high}]){{{_MOST_MARKS + 1},}}")
