"""Words that compare with earlier weeks, which a digest of one week cannot know.

进一步 and "further" pass: they mostly say that a change adds to what its own description starts from. A word that a
cited quote or title has itself is the pull request's own ("enable it again").
"""

import re

from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.tokens import CODE_SPAN

_ORDINAL = "second|third|fourth|fifth|another|consecutive|successive|straight|more"
_GROWTH = (
    "grow|ris|increas|decreas|improv|expand|shrink|climb|dropp?|fall|get|accelerat|slow|dominat|lead|gain|declin|evolv"
)
_ENGLISH = re.compile(
    rf"(?<![\w-])(?:again(?![\w-])|once more|once again|yet another|increasingly|week after week|week over week"
    rf"|(?:{_ORDINAL})(?:[ -](?:consecutive|straight|successive))? weeks?\b|(?:in|for) a row"
    rf"|as in (?:previous|earlier) weeks"
    rf"|continu(?:es|ed|ing) to\b|(?:keeps|kept|keep) (?:on )?(?:{_GROWTH})ing\b"
    rf"|(?:than|since|from) last week)",
    re.IGNORECASE,
)
_TREND_VERBS = (
    "保持|增长|上升|下降|扩大|扩展|推进|优化|领先|改进|增加|减少|完善|加强|升温|提升|演进|投入|走高|走低|活跃"
)
_CHINESE = re.compile(
    r"(?<!不)再次(?!要)|再度|又一次(?!性)|再一次(?!性)|越来越|愈发|日益"
    r"|(?<!可)持续"
    r"(?!集成|部署|交付|时间|时长|性|批|运行|占用|轮询|重试|监听|监控|存在|到|至)"
    rf"|连续[^，。；、]{{0,4}}?(?:周|个月|版本|迭代)|第[二三四五六七八九十]+周|继续(?:{_TREND_VERBS})|较上周|比上周|一如既往"
)


def trend_words(text: str) -> list[str]:
    """The trend words of a sentence, code spans left out."""
    prose = CODE_SPAN.sub(" ", text)
    return [match[0] for pattern in (_ENGLISH, _CHINESE) for match in pattern.finditer(prose)]


def check(context: Context) -> Report:
    report = Report("trend_words")
    for sentence in context.digest.sentences:
        report.checked += 1
        own = {word.casefold() for word in trend_words(context.told(sentence))}
        for word in trend_words(sentence.text):
            if word.casefold() not in own and sentence.origin == "model":
                report.error(
                    sentence.item,
                    "compares_weeks",
                    f"{word!r} compares with earlier weeks, of which nothing is known",
                    word,
                )
    return report
