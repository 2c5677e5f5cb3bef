"""Corruptions of a sentence, and rewordings that keep its meaning, as patterns of both languages.

Each match of a pattern outside of code makes one text. The patterns name verbs and nouns, so that what is negated,
limited or turned is what a sentence states; `unless` drops a corruption that what the sentence cites may bear out.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prhub_digest.models.digest import Language

_CODE = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"")
# Verbs whose third person is the verb and an s.
_VERB = (
    "admit|answer|report|win|work|log|concern|gain|raise|lower|shorten|start|cover|include|reject|make|compute|serve"
    "|treat|skip|leave|cache|shard|slow|require|fall|rise|grow|re-export|forward|retract|starve|handle|need|touch|free"
    "|check|become|end|break|prefetch|cost"
)
_PLAIN = r"(?<!can )(?<!may )(?<!to )(?<!not )(?<!longer )(?<!never )\b(?:raise|honour|fail|wait|decode|get|go|stand)\b"
_NOUN = "requests|models|servers|clients|operators|users|prompts|workers|slots|helpers|builds|tests|graphs|settings"
_UNIVERSAL = r"\b(?:all|every|each)\b[^.]*{0}"
_VERB_ZH = (
    "支持|计算|避免|报告|回答|记录|缩短|采用|覆盖|启用|包含|要求|影响|接受|使用|增大|认识|加载|释放|跳过|准入|遵守|部署"
    "|重新导出|读作|失败|变慢|崩溃|取得|撤下|停住"
)
_NOUN_ZH = "请求|模型|服务器|客户端|运维者|用户|提示词|测试|内核构建|草稿槽位|开发者|预设"
_TURNED = (
    *(("raises", "lowers"), ("raise", "lower"), ("rises", "falls"), ("shortens", "lengthens"), ("faster", "slower")),
    *(("higher", "lower"), ("more", "less"), ("slows", "speeds up"), ("grows", "shrinks"), ("fewer", "more")),
)
_TURNED_ZH = (
    *(("上升", "下降"), ("提高", "降低"), ("增加", "减少"), ("缩短", "延长"), ("更高", "更低"), ("更少", "更多")),
    *(("高于", "低于"), ("加快", "减慢"), ("增大", "减小"), ("变慢", "变快"), ("略低", "略高"), ("减少", "增加")),
)


@dataclass(frozen=True)
class Rule:
    """`unless`: no corruption where this, filled with the groups of the match, stands in what the sentence cites.

    `dangers`: only in sentences that cite a risk or a review thread.
    """

    pattern: str
    replacement: str
    unless: str | None = None
    dangers: bool = False

    def texts(self, text: str, grounds: str) -> Iterator[str]:
        code = [match.span() for match in _CODE.finditer(text)]
        for match in re.finditer(self.pattern, text):
            inside = any(start < match.end() and match.start() < end for start, end in code)
            if inside or (self.unless and re.search(self.unless.format(*match.groups()), grounds, re.IGNORECASE)):
                continue
            changed = text[: match.start()] + match.expand(self.replacement) + text[match.end() :]
            if _said(changed) != _said(text):
                yield changed


def _said(text: str) -> str:
    return " ".join(re.sub(r"[^\w%]+", " ", text).casefold().split())


def _both_ways(pairs: tuple[tuple[str, str], ...], edge: str, before: str = "") -> tuple[Rule, ...]:
    both = dict((*((second, first) for first, second in pairs), *pairs))
    return tuple(Rule(f"{before}{edge}{word}{edge}", other) for word, other in both.items())


MUTATIONS: Mapping[Language, Mapping[str, tuple[Rule, ...]]] = {
    "en": {
        "negation added": (
            Rule(r"\b(can|may|must|is|are)\b (?!not|no\b|never|nothing|off)", r"\1 not "),
            Rule(rf"(?<!the )(?<!of )\b({_VERB})s\b(?! nothing| neither| no\b)", r"does not \1"),
            Rule(rf"({_PLAIN})", r"do not \1"),
        ),
        "negation dropped": (
            Rule(r"\b(?:no longer|never|does not|do not) ", ""),
            Rule(r"\b(is|are|stays?|but|and|slots|deprecated,|YaRN,) not\b", r"\1"),
            Rule(r"\bwithout\b", "with"),
            Rule(r"\b[Nn]obody\b", "somebody"),
            Rule(r"\bhas no\b", "has"),
            Rule(r"\bneither case\b", "both cases"),
            Rule(r"\bwith no `", "with `"),
            Rule(r"\bdoes nothing\b", "works"),
        ),
        "limit added": (
            Rule(rf"\b((?:{_VERB})s )(?!only|at most)(?=(?:the |a |its )?([a-z-]+))", r"\1only ", r"\bonly[^.]*\b{1}"),
            Rule(rf"(?<=\. )(?:The |A )?([a-z-]+) (?={_VERB})", r"Only the \1 ", r"\bonly[^.]*\b{0}"),
        ),
        "limit dropped": (Rule(r"\bonly ", ""), Rule(r"Only (\w)", r"\1"), Rule(r"\bat most ", "")),
        "default turned": (Rule(r"\boff by default\b", "on by default"), Rule(r"\bopt-in\b", "default-on")),
        "default added": (
            Rule(r"(?<!default)\.$", ", on by default.", r"by default|\bon by|without a flag"),
            Rule(r"(?<!default)\.$", ", off by default.", r"\boff\b|opt-in|must be (?:set|started)|--\w"),
        ),
        "universal added": (
            Rule(rf"\b(?:(?<=for )|(?<=of )|(?<=to )|(?<=in ))({_NOUN})\b", r"all \1", _UNIVERSAL),
            Rule(rf"(?:(?<=\. )|^)((?i:{_NOUN}))\b", r"All \1", _UNIVERSAL),
            Rule(r"\b(?:[Tt]he|[Aa]n?) (?=(request|server|model|option|slot|prompt|worker)\b)", "every ", _UNIVERSAL),
        ),
        "trend added": (Rule(r"\.$", " again."), Rule(r"\bnow\b", "once again")),
        "still added": (
            Rule(rf"\b(?=(?:{_VERB})s\b)", "still ", r"\bstill\b"),
            Rule(r"\b(is|are) ", r"\1 still ", "still"),
        ),
        "hedge dropped": (
            Rule(r"\b(?:may|can) (never )?(?!now|be|never)(\w+)(?= )", r"\1\2s", dangers=True),
            Rule(r"\b(?:may|can) be ", "is ", dangers=True),
        ),
        "cause added": (
            Rule(r"\.$", " because of the page table rework."),
            Rule(r"(?=[.;] )", ", because the compiler was too old"),
        ),
        "direction turned": _both_ways(_TURNED, r"\b"),
    },
    "zh": {
        "negation added": (Rule(rf"(?<![不未没无非再仍能可会以须永])({_VERB_ZH})", r"不\1"),),
        "negation dropped": (
            Rule("不再|永不|尚未|并非", ""),
            Rule("不(?=[调支拒检知适涉影保起准需崩释])", ""),
            Rule("未(?=[设指处移测给])", "已"),
            Rule("没有", "有"),
            Rule("无人", "有人"),
            Rule("无需", "需要"),
        ),
        "limit added": (
            Rule("现在(?=[按用自为覆])", "现在只", "only"),
            Rule(rf"(?<![仅只不未可能以会])({_VERB_ZH})(?!的)", r"只\1", "only"),
        ),
        "limit dropped": (Rule("仅在|只在", "在"), Rule("仅(?!在)|只(?!要|是|在)", ""), Rule("最多", "")),
        "default turned": (Rule("默认关闭", "默认开启"), Rule("可选的", "默认开启的")),
        "default added": (
            Rule("(?<!默认关闭)。$", "，默认开启。", r"by default|\bon by|without a flag"),
            Rule("(?<!默认关闭)。$", "，默认关闭。", r"\boff\b|opt-in|must be (?:set|started)|--\w"),
        ),
        "universal added": (
            Rule(rf"(?<![每个有部的大小端聊对话成些新长])({_NOUN_ZH})", r"所有\1", r"\b(?:all|every|each)\b"),
        ),
        "trend added": (Rule(rf"(?<![不未没无再仍])({_VERB_ZH})", r"再次\1"),),
        "still added": (Rule(rf"(?<![不未没无再仍])({_VERB_ZH})", r"仍\1", r"\bstill\b"),),
        "hedge dropped": (Rule("可能", "", dangers=True),),
        "cause added": (Rule("^", "由于页表重构，"), Rule("。$", "，原因是编译器过旧。")),
        "direction turned": _both_ways(_TURNED_ZH, ""),
    },
}

# Rewordings that say the same.
CONTROLS: Mapping[Language, tuple[Rule, ...]] = {
    "en": (
        *(Rule(r"; ", ". "), Rule(r"\bdoes not\b", "doesn't"), Rule(r"\bis not\b", "isn't"), Rule(r", and ", "; ")),
        *(Rule(r"\boff by default\b", "disabled by default"), Rule(r"\bwithout a\b", "with no")),
        *(Rule(r"\b[Nn]obody\b", "no one"), Rule(r"\bmay\b", "might"), Rule(r"\bonly when\b", "just when")),
        *(Rule(r"\blowers\b", "reduces"), Rule(r"\braises\b", "increases"), Rule(r"\bshortens\b", "reduces")),
        *(Rule(r"\brises\b", "increases"), Rule(r"\bfalls\b", "decreases"), Rule(r"\bless\b(?= and|:)", "less often")),
        *(Rule(r"\bbecause of\b", "due to"), Rule(r"\bno longer (\w+)\b", r"does not \1 any more")),
        *(
            Rule(r"\bevery\b", "each"),
            Rule(r"\bUsers\b", "People"),
            Rule(r"\bnow\b ", ""),
            Rule(r"\ball\b", "all of the"),
        ),
        *(
            Rule(r"\bcannot\b", "can not"),
            Rule(r"\bis refused\b", "gets refused"),
            Rule(r"\bwins? over\b", "overrides"),
        ),
        *(Rule(r"^(The|A) (\w+) ", r"This \2 "), Rule(r"\bonly\b(?= for| on| in)", "solely"), Rule("`(\\w+)`", r"\1")),
    ),
    "zh": (
        *(Rule("；", "。"), Rule("默认关闭", "默认禁用"), Rule("仅在", "只在"), Rule("只用于", "仅用于")),
        *(Rule("无需", "不需要"), Rule("可能", "也许"), Rule("未指定", "没有指定"), Rule("无人答复", "没有人答复")),
        *(
            Rule("不再", "不会再"),
            Rule("提高", "上升"),
            Rule("减少", "下降"),
            Rule("增加", "上升"),
            Rule("每个", "任一"),
        ),
        *(Rule("现在", ""), Rule("因此", "所以"), Rule("缩短", "降低"), Rule("全部", "所有"), Rule("不适用", "无效")),
        *(Rule("没有(?=分层|测试)", "无"), Rule("超过", "大于"), Rule("，", "； "), Rule("变慢", "减慢")),
    ),
}
