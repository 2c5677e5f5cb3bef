"""The words that negate, limit, generalize, hedge, or name a default state, in English and Chinese."""

import re
from dataclasses import dataclass

from prhub_digest.models.verification import FindingKind

OFF = r"(?:off|disabled|not enabled|not on)"
OFF_ZH = r"(?:关|禁用|停用|[不未]启用|[不未]开启)"


@dataclass(frozen=True, slots=True)
class Cue:
    """`strict` surely is one; a sentence keeps one in any form of `plainly`, and may rest on one in `any_form`.

    `implied` are states and kinds of facts of a pull request that say it as well. `stated` are those of a sentence that
    have to stand near the same words in what it cites; None: somewhere will do. What is lost is asked of the cited
    facts of `kinds` (empty: of all); with `lost` None, nothing is.
    """

    name: str
    added: FindingKind | None
    lost: FindingKind | None
    strict: re.Pattern[str]
    plainly: re.Pattern[str]
    any_form: re.Pattern[str]
    implied: frozenset[str] = frozenset()
    stated: re.Pattern[str] | None = None
    kinds: frozenset[str] = frozenset()


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_NOT = r"not(?! (?:only|just|least)\b)|never|no|without|cannot|neither|nor"
_ALL = _pattern(r"\b(?:all|every)\b|所有|全部(?!移除)|每[个一种条项]|任何|一切|始终|全面|完全")
_HEDGE = _pattern(
    r"\b(?:may|might|can|could|possibl[ey]|probably|perhaps|seems?|potential(?:ly)?)\b|可能|也许|或许|似乎"
)

CUES = (
    Cue(
        "a negation",
        "added_negation",
        "lost_negation",
        _pattern(
            rf"\b(?:{_NOT}|fail(?:s|ed)? to)\b|n['’]t\b",
            r"\bun(?:tested|resolved|fixed|supported)\b",
            r"未(?![来知])|没有|无法|不再|不会|不能|尚无|并非",
        ),
        _pattern(
            rf"\b(?:{_NOT}|none|nothing|nobody|unless|instead of|rather than|lacks?|fail(?:s|ed)?)\b|n['’]t\b",
            r"\bun(?:supported|tested|resolved|fixed|set|used|known)\b",
            r"[不没无未非]",
        ),
        _pattern(
            r"\b(?:not|never|no|none|nothing|nobody|nowhere|without|cannot|neither|nor|unless|until|instead|rather"
            r"|other than|beyond|outside|gone|open|unclear|only|just)\b|n['’]t\b",
            r"\b(?:fail|lack|miss|exclu|except|omit|refus|reject|ignor|prevent|avoid|drop|remov|disabl|stop|deprecat"
            r"|invalid|incomplete|incorrect|unable|unus|unknown|unset|unchang|unsupport|untest|unresolv|unfix"
            r"|unaffect|unavail|unlike|unlimit|unbound)\w*",
            r"[不没无未非免勿莫]",
        ),
        # What no longer is, was before: its source may tell either. Do not: advice. 不变 and 不同 are other words.
        stated=_pattern(
            rf"(?<!^do )\b(?:{_NOT})\b(?! longer)(?![^.;]*\bany ?more\b)|n['’]t\b(?![^.;]*\bany ?more\b)",
            r"不(?![再同足过仅只超断变但得至]|会再)|未(?![来知])|没有?|并非|无(?=[法人须需])",
        ),
    ),
    Cue(
        "a limit",
        "added_limit",
        "lost_limit",
        _pattern(r"(?<!not )\bonly\b|(?<!not )\bjust\b(?! as\b)|(?<!不)仅|(?<!不)只(?![要是])"),
        _pattern(r"\b(?:only|just|solely|alone|at (?:most|least)|up to|limited|must|needs?|requires?)\b|[仅只限须才]"),
        _pattern(
            r"\b(?:only|just|solely|alone|at (?:most|least)|up to|until|unless|except|must)\b",
            r"\b(?:requires?|needs?|never|no|not)\b",
            r"\b(?:limited|exclusive|restrict|confin|exclu)\w*|[仅只限须才唯单]|除非",
        ),
        frozenset({"scope", "condition"}),
        stated=_pattern(r"(?<!not )\bonly\b|(?<!不)仅|(?<!不)只(?![要是])"),
    ),
    Cue(
        "a default that is off",
        "added_default",
        "lost_default",
        _pattern(
            rf"\b{OFF} by default\b|\bdefault(?:s|ing)? (?:to |is |are )*{OFF}\b|\bopt-in\b",
            rf"默认(?:为|是|处于|仍|保持)?{OFF_ZH}|可选",
        ),
        _pattern(rf"\b{OFF}\b|\bopt(?:-| |ional)|{OFF_ZH}|可选"),
        _pattern(
            rf"\b{OFF}\b|\bopt(?:-| |ional|ion)|\bmust be (?:set|given|enabled|turned on|started)\b|(?<!\w)--[a-z]",
            rf"默认.{{0,8}}{OFF_ZH}|{OFF_ZH}|可选|选项|开关|显式|须",
        ),
        frozenset({"off"}),
    ),
    Cue(
        "a default",
        "added_default",
        "lost_default",
        _pattern(
            rf"(?<!off )(?<!disabled )(?<!not enabled )(?<!not on )\bby default\b|默认(?![值的]|.{{0,3}}{OFF_ZH})"
        ),
        _pattern(r"\b(?:default|always|enabled)|默认|始终|开启|启用"),
        _pattern(r"\b(?:default|always|enabled)|默认|始终|开启|启用"),
        frozenset({"on"}),
    ),
    Cue(
        "a word for all",
        "added_universal",
        None,
        _ALL,
        _ALL,
        _pattern(r"\b(?:all|every|each|any|always|never|whole|entire|both|none|nothing|nobody)\b|所有|全部|每|任何|都"),
    ),
    Cue(
        "a word for what lasts",
        "added_lasting",
        None,
        _pattern(r"\bstill\b|(?<!不)仍|依然|依旧"),
        _pattern(r"\bstill\b|仍|依然|依旧"),
        _pattern(
            r"\b(?:still|yet|remain|continu|keep|kept|stay|even|already|until|again)\w*|仍|还|尚|依然|依旧|继续|保持"
        ),
    ),
    Cue(
        "a word for a cause",
        "added_cause",
        None,
        _pattern(r"由于|因为|原因是"),
        _pattern(r"由于|因为|原因是"),
        _pattern(
            r"\b(?:because|due|caus|since|so|therefore|thus|hence|reason|why|thank|after|force)\w*|因|由于|所以|导致"
        ),
    ),
    Cue(
        "a doubt",
        None,
        "lost_hedge",
        _HEDGE,
        _pattern(_HEDGE.pattern, r"\b(?:risk|likel|danger|if\b|whether)|风险|会|可以|能"),
        _HEDGE,
        kinds=frozenset({"risk", "thread"}),
    ),
)
