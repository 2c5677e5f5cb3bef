"""Counts in words: what `two`, `half` and `hundreds` of an English line are in its translation.

Only what surely is a count is looked at. An article is none (一个, `one`), nor is an ordinal (第三个), an idiom
(三次握手), or what Chinese adds to a list (路由器和调度器两个模块). How often a count stands there is not compared.
"""

import re
from collections.abc import Iterator

from prhub_digest.verify.line_pairs import Pair, Translation, found, words
from prhub_digest.verify.occurrences import numbers

_UNITS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    "one": 1,
    **{word: value for value, word in enumerate((*_UNITS, *_TEENS), 2)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
}
_ENGLISH = re.compile(
    rf"(?<![\w-])(?:(?:{'|'.join(_TENS)})(?:[- ](?:one|{'|'.join(_UNITS)}))?|{'|'.join((*_UNITS, *_TEENS))})"
    r"(?!\w|[- ](?:hundred|thousand|[mb]illion))",
    re.IGNORECASE,
)
_DIGITS = "一二三四五六七八九"
_MEASURES = "个|倍|项|条|处|种|类|名|家|台|份|套|组|行|款|批|轮|件|枚|周|天|小时|分钟|秒|年|次|张|块|步|遍"
# What stands before a numeral may make it an ordinal or a part of another word.
_CHINESE = re.compile(
    rf"(?<![第周图表期拜每百千万亿数几这那其唯之{_DIGITS}十两])(?P<numeral>[两{_DIGITS}十]+)(?:{_MEASURES})(?!握手)"
)
_LISTED = re.compile(r"[和与及或跟同、/][^，。；：,;]{0,12}$")
_NO_COUNTS = frozenset({"四周", "二次"})
# Stems that a count may stand for besides its own word.
_BESIDES = {
    2: "both|pair|coupl|twice|twofold|doubl|dual|duplex|either|neither|another|second|half|halv|bidir|binar|each other",
    3: "third|thrice|tripl|tri|cubic",
    4: "fourth|quarter|quad",
    7: "week",
    10: "tenth|decade|dozen",
    12: "dozen|year",
}
_PORTIONS = (
    Pair(words("half|halved|halves|halving"), "半|二分之|对折", "一半|减半|半数|过半", r"\bhal[fv]|50|middle"),
    Pair(words("twice"), "[两二双再倍重]"),
    Pair(
        words("doubled|doubles|doubling"),
        "[倍双翻两二]",
        "翻倍|翻番|双倍|(?<!唯)一倍|倍增",
        r"doubl|twice|two|\b2|expon",
    ),
    Pair(words("tripled|triples|tripling|thrice"), "三"),
    Pair(words("dozens?"), "[十打]"),
    Pair(words("hundreds?"), "百", "[数几上]百", "hundred"),
    Pair(words("thousands?"), "[千万]", "[数几上]千", "thousand|million"),
    Pair(words("millions?"), "[百千]万|亿", "[数几上]百万", "million"),
)


def count_faults(line: Translation) -> Iterator[str]:
    digits = {*numbers(line.english), *numbers(line.text)}  # a count that became a number is another fault
    told = {_value(match[0]): match[0] for match in _ENGLISH.finditer(line.words)}
    for value, word in told.items():
        way = "[二两双俩对]|一倍" if value == 2 else _numeral(value)
        if str(value) not in digits and not found(f"{way}|{word}", line.text):
            yield f"the count “{word}” is lost"
    for match in _CHINESE.finditer(line.prose):
        value = _COUNTED.get(match["numeral"].replace("两", "二"), 0)
        if value and value not in told and str(value) not in digits and not _is_no_count(match, value, line.english):
            yield f"it has the count {match[0]}, which the English line has not"
    for pair in _PORTIONS:
        yield from pair.faults(line)


def _value(word: str) -> int:
    return sum(_VALUES[part] for part in re.split("[- ]", word.casefold()))


def _numeral(value: int) -> str:
    tens, unit = divmod(value, 10)
    return (_DIGITS[tens - 1] if tens > 1 else "") + ("十" if tens else "") + (_DIGITS[unit - 1] if unit else "")


_COUNTED = {_numeral(value): value for value in range(2, 100)}


def _is_no_count(match: re.Match[str], value: int, english: str) -> bool:
    """Whether it sums up a list, or another word of the English line asks for it."""
    besides = _BESIDES.get(value)
    return (
        match[0] in _NO_COUNTS
        or _LISTED.search(match.string, max(0, match.start() - 14), match.start()) is not None
        or (besides is not None and found(rf"\b(?:{besides})", english) is not None)
    )
