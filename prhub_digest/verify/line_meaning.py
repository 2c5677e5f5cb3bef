"""Negations, limits, units and directions of an English line, and of its translation.

A translation can turn a cause round with all the right words; what code can hold is that none of these is lost, added
or turned into its opposite. Each rule looks for what surely says it on one side and for any way to say it on the other.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from prhub_digest.verify.line_pairs import Pair, Translation, found, words
from prhub_digest.verify.tokens import CODE_SPAN

_NEGATION = Pair(
    r"(?<![\w-])(?:not|never|no(?!-)|(?-i:none)|nothing|nobody|without|cannot|neither|nor)\b|n['’]t\b",
    "[不未无没非勿否免]|至多|最多|才",
    "不再|没有|无法|不能|不会|并非|并不|从不|从未|未(?![来知必])",
    # Whatever an English line may have that a Chinese negation is a fair word for.
    r"\b(?:not?|unless|until|instead|rather|except|only|off|out|outside|away|idle|empty|stuck|stop(?:s|ped)?|free"
    r"|before|yet|open|pending|still|too|hard(?:ly)?|beyond|broken?|dead|gone|expired?)\b|less\b|\bun(?!der|i[tofq]|til)[a-z]"
    r"|\bin(?:valid|correct|complet|compatib|consist|accura|definit|activ|suffici|visib)"
    r"|\b(?:non|illegal|impossib|improper|irrelevan|dis(?:abl|allow|card|appear|agree|connect)|mis[sulp])"
    r"|\b(?:fail|lack|avoid|prevent|refus|reject|ignor|skip|drop|los[et]|den[iy]|block|forbid|starv|absen|remov|bare)",
    "a negation",
)
# Two kinds of negation in one clause need two in Chinese, in whatever form.
_KINDS = (r"\bnever\b", r"\bwithout\b", r"\b(?:no|(?-i:none)|nothing|nobody)\b(?!-)", r"\b(?:not|cannot)\b|n['’]t\b")
_ANY_NEGATION = re.compile("[不未无没非勿否免缺失难禁拒停仅只才除空别必须外]|至多|最多")
_CUES = (
    Pair(r"\bnever\b", "[不未]|[从永绝].{0,4}[没无]|没.{0,10}过", name="“never”"),
    Pair(r"\bno longer\b", "[不停]|[已再][没无]|无[法需须]|取消|去掉|消除|移除", name="“no longer”"),
    Pair(r"\bonly\b", "[仅只唯才单]|限于", name="“only”"),
    Pair(r"\bby default\b", "默认|缺省", name="“by default”"),
    Pair(r"\b(?:unless|except)\b", "除|否则|不|未|才", name="“unless” or “except”"),
    Pair(r"%|\bper ?cent\b", "[%％]|百分", name="the unit %"),
    Pair(r"\d ?ms\b", "ms|毫秒", name="the unit ms"),
    Pair(r"\d ?[uµμ]s\b", "[uµμ]s|微秒", name="the unit µs"),
    Pair(r"\d ?ns\b", "ns|纳秒", name="the unit ns"),
    Pair(r"\d ?s(?:ec(?:onds?)?)?\b", "s|(?<![毫微纳])秒", name="the unit s"),
    Pair(r"\d(?-i:[KM])\b", "[KM]", name="the unit of thousands or millions"),
    Pair(r"\d ?(?-i:[KMGT]i?B)\b", "(?-i:[KMGT]i?B)", name="the unit of bytes"),
)
_CLAUSE_END = re.compile(r"[。；：！？]|[.;:!?](?=\s)")
# How far apart the shares of two clauses in their lines may be, when they are one and the same clause.
_NEAR = 0.2


class _Side(NamedTuple):
    """`english` are words that surely say it, `besides` stems that may; `sure` and `ways` the same in Chinese."""

    english: str
    besides: str
    sure: str
    ways: str


_OPPOSITES: tuple[tuple[_Side, _Side], ...] = (
    (
        _Side(
            "before",
            "before|prior|previous|pre|earlier|ago|ahead|first|until|already|former",
            "之前|以前",
            "[前先尚未再才]",
        ),
        _Side(
            "after",
            "after|since|once|later|when|while|until|follow|post|then|next|back|now",
            "之后|以后|此后",
            "[后先再才]",
        ),
    ),
    (
        _Side(
            r"shorten(?:s|ed)?|reduc(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|lower(?:s|ed|ing)?|less|fewer|smaller|shorter",
            "shorten|reduc|decreas|low|shr[iu]nk|less|few|small|short|drop|cut|sav|trim|down|f[ae]ll|below|limited|remov|min",
            "缩短|减少|降低|缩小|下降|变短|变小|变少",
            "[减降缩短少低小省轻落跌压削弱免]",
        ),
        _Side(
            r"lengthen(?:s|ed)?|increas(?:e|es|ed|ing)|rais(?:e|es|ed|ing)|grow(?:s|n|ing)?|grew|higher|larger",
            "length|increas|rais|gr[eo]w|more|larg|long|high|exten|expan|improv|add|up|gain|doubl|boost|over|above|big|max",
            "延长|增加|增大|增多|提高|提升|升高|上升|上涨|扩大|变长|变大|变多",
            "[增加提升涨大长高多扩延]",
        ),
    ),
    (
        _Side(
            r"keep(?:s|ing)?|kept|stay(?:s|ed)?|remain(?:s|ed)?|retain(?:s|ed)?|preserv(?:e|es|ed)",
            "keep|kept|stay|remain|retain|preserv|hold|held|still|add|gain|introduc|new|maintain|leav|left|sav|stor",
            "保留|保持|留存|新增|添加",
            "[保留存持仍维还继剩旧在]|不变",
        ),
        _Side(
            r"drop(?:s|ped)?|remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|discard(?:s|ed)?",
            "drop|remov|delet|discard|purg|evict|clear|strip|long|gone|deprecat|clean|prun|eras|free|skip|t[ao]k|los|cut|exclu",
            "移除|删除|丢弃|去掉|舍弃",
            "[移删丢弃去除废清剔消略撤减降掉退停跌落失]|不再",
        ),
    ),
    (
        _Side(
            "enabl(?:e|es|ed)|on by default",
            r"enabl|\bon\b|activ|allow|open|start|opt[- ]",
            "启用|开启|打开",
            "[启开用活许]",
        ),
        _Side(
            "disabl(?:e|es|ed)|off by default",
            r"disabl|\boff\b|deactiv|opt[- ]|clos|stop|without|unset|shut|\bno|remov|\bun",
            "禁用|关闭|停用",
            "[禁关停不未无消]",
        ),
    ),
    (
        _Side(
            r"faster|speeds? up|sped up|accelerat(?:e|es|ed)|fast",
            r"fast|speed|sped|quick|accelerat|rapid|improv|boost|short|\d ?x\b|optimi|less",
            "更快|提速|加速|变快",
            "[快速迅]",
        ),
        _Side(
            "slow(?:s|ed|er)?",
            "slow|lag|delay|stall|block|long|time|regress|wait|more",
            "更慢|变慢|减速|拖慢",
            "[慢缓迟拖延低长]",
        ),
    ),
    (
        _Side(
            r"allow(?:s|ed)?|permit(?:s|ted)?|accept(?:s|ed)?|agree(?:s|d)?|conced(?:es|ed)",
            r"allow|permit|accept|let|can\b|may|support|admit|agree|conce|t[ao]k|enabl|approv|tolera|recei|welcom",
            "允许|接受|放行|同意|承认",
            "[允许接准收可能让纳支认]|同意|赞同",
        ),
        _Side(
            r"refus(?:e|es|ed)|reject(?:s|ed)?|forbid(?:s|den)?|den(?:y|ies|ied)|disallow(?:s|ed)?",
            r"refus|reject|forbid|den[iy]|disallow|prohibit|block|ban|not|never|\bno|fail|error|prevent|invalid|stop|must|only",
            "拒绝|禁止|反对|否认|不同意",
            "[拒禁不否无驳防]|未(?!知)|反对",
        ),
    ),
    (
        _Side(
            "succeed(?:s|ed)?|pass(?:es|ed)?",
            "succe|pass|ok|complet|work|merg|finish|accept|right|land",
            "成功",
            "[成过经传]",
        ),
        _Side(
            "fail(?:s|ed|ure|ures)?|crash(?:es|ed)?",
            "fail|crash|error|br[eo]|not|never|flak|time|wrong|abort|invalid|bug",
            "失败|崩溃",
            "[失败崩错不未无挂出停]|异常|故障|中断",
        ),
    ),
)


def meaning_faults(line: Translation) -> Iterator[str]:
    for clause in _clauses(line):
        yield from _NEGATION.faults(clause)
        kinds = sum(found(kind, clause.words) is not None for kind in _KINDS)
        if 1 < kinds > len(_ANY_NEGATION.findall(clause.text)):
            yield "a negation is lost"
    for cue in _CUES:
        yield from cue.faults(line)
    for one, other in _OPPOSITES:
        yield from _turned(line, one, other)
        yield from _turned(line, other, one)


def _clauses(line: Translation) -> list[Translation]:
    """The line by its clauses, where both sides have as many, of about the same shares; else as a whole."""
    english, text = map(_split, (line.english, line.text))
    pairs = [Translation(*clause) for clause in zip(english, text, strict=False)]
    near = (abs(len(one.english) / len(line.english) - len(one.text) / len(line.text)) < _NEAR for one in pairs)
    return pairs if len(english) == len(text) and all(near) else [line]


def _split(text: str) -> list[str]:
    """What stands in backticks has no clauses."""
    ends = [match.end() for match in _CLAUSE_END.finditer(CODE_SPAN.sub(lambda match: "x" * len(match[0]), text))]
    parts = (text[start:end].strip() for start, end in zip((0, *ends), (*ends, len(text)), strict=True))
    return [part for part in parts if part]


def _turned(line: Translation, said: _Side, opposite: _Side) -> Iterator[str]:
    cue = found(words(said.english), line.words)
    if cue is None or found(rf"\b(?:{opposite.english}|{opposite.besides})", line.english):
        return
    turned = found(opposite.sure, line.prose)
    if turned and not found(said.ways, line.text):
        yield f"“{cue[0]}” is turned into {turned[0]}"
