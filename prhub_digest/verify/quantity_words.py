"""Number words that state a quantity: `twice`, `three kernels`, 两倍, 三个. Articles and terms of the trade are none.

Chinese is written without spaces, so what surrounds a numeral decides: 一半 is a quantity, 一个 an article,
统一成 and 第三方 are other words.
"""

import re
from collections.abc import Iterator

from prhub_digest.verify.tokens import CODE_SPAN

_SMALL = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
_ENGLISH = re.compile(
    rf"(?<![\w-])(?:"
    rf"(?:{_SMALL}|hundreds?|thousands?|millions?|dozens?|twice|thrice|halved|halves|halving"
    rf"|doubled|doubles|doubling|tripled|triples|tripling|quadrupled|quadruples)(?![\w-])"
    rf"|(?:two|three|four|five|ten|hundred)-?fold|(?:two|three)[- ](?:thirds|quarters|fifths)"
    rf"|(?:a|one)[- ](?:third|quarter|half|fifth|tenth) of"
    rf"|(?:by|in|a|one|about|over|nearly|almost|roughly) half(?![\w-])"
    rf"|half (?:of|the|as|a|its)(?!\w)|double (?:the|that|of)(?!\w)|per ?cent(?!\w)"
    rf")",
    re.IGNORECASE,
)
_DIGITS = "二三四五六七八九十百千万亿两几"
_MEASURES = (
    "个|倍|项|条|处|种|类|名|家|台|份|套|组|行|款|批|轮|件|篇|枚|周|天|小时|分钟|秒|年|月|次|成(?![为功本员立长熟果效就])"
    "|位(?=作者|贡献者|开发者|评审)"
)
_CHINESE = re.compile(
    rf"(?<![第周图表星期拜])(?:"
    rf"(?!二次)[{_DIGITS}半数]*[{_DIGITS}]余?多?(?:{_MEASURES})"
    rf"|[{_DIGITS}]+ ?(?=[A-Za-z])"
    rf"|一[百千万十][{_DIGITS}]*"
    rf"|(?<!唯)一倍|(?<=[约近逾超了少多降升省])一成|一半|大半(?!径)|过半|减半|半数|半(?:年|天|小时)"
    rf"|[数上]?[十百千万]+(?:余|多)?(?:{_MEASURES})|[数成]倍|双倍|翻倍|翻番|翻了[一两几]番|倍增"
    rf"|百分之|[{_DIGITS}一]+分之|千分之"
    rf")"
)
# Words that only look like one.
_NO_QUANTITY = re.compile(r"三次握手|二次开发|千万(?=别|不要|小心)|万一|两次提交(?=协议)|百分之百兼容")


def quantity_words(text: str) -> Iterator[tuple[str, str]]:
    """The quantities in words, each with the text that follows it; code spans are left out."""
    text = _NO_QUANTITY.sub(lambda match: "　" * len(match[0]), CODE_SPAN.sub(lambda match: " " * len(match[0]), text))
    for match in (*_ENGLISH.finditer(text), *_CHINESE.finditer(text)):
        yield match[0].strip(), text[match.end() :]
