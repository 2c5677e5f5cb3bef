"""Negations, limits and default states that only a sentence has, or only what it cites.

A cue is looked for in a strict form on one side and in more forms on the other: "nothing uses it", "unset" and "fails"
all may stand behind 没有, but do not ask for one. A sentence may rest on all that its wording was shown of a pull
request: the facts it cites, headline, scope, condition and default state.
"""

import re
from dataclasses import dataclass

from prhub_digest.models.digest import Sentence
from prhub_digest.models.plan import Fact
from prhub_digest.models.summary import DefaultState
from prhub_digest.models.verification import FindingKind
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report

_OFF = r"(?:off|disabled|not enabled|not on)"
_OFF_ZH = r"(?:关|禁用|停用|[不未]启用|[不未]开启)"


@dataclass(frozen=True, slots=True)
class _Cue:
    """`strict` surely is one; a sentence keeps one in any form of `plainly`, and may rest on one in `any_form`.

    `implied` are states and kinds of facts of a pull request that say it as well.
    """

    name: str
    added: FindingKind
    lost: FindingKind
    strict: re.Pattern[str]
    plainly: re.Pattern[str]
    any_form: re.Pattern[str]
    implied: frozenset[str] = frozenset()


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_CUES = (
    _Cue(
        "a negation",
        "added_negation",
        "lost_negation",
        _pattern(
            r"\b(?:not(?! (?:only|just|least)\b)|never|no|without|cannot|neither|nor|fail(?:s|ed)? to)\b|n['’]t\b",
            r"\bun(?:tested|resolved|fixed|supported)\b",
            r"未(?![来知])|没有|无法|不再|不会|不能|尚无|并非",
        ),
        _pattern(
            r"\b(?:not(?! (?:only|just|least)\b)|never|no|none|nothing|nobody|without|cannot|neither|nor|unless"
            r"|instead of|rather than|lacks?|fail(?:s|ed)?)\b|n['’]t\b",
            r"\bun(?:supported|tested|resolved|fixed|set|used|known)\b",
            r"[不没无未非]",
        ),
        _pattern(
            r"\b(?:not|never|no|none|nothing|nobody|nowhere|without|cannot|neither|nor|unless|until|instead|rather"
            r"|other than|beyond|outside)\b|n['’]t\b",
            r"\b(?:fail|lack|miss|exclu|except|omit|refus|reject|ignor|prevent|avoid|drop|remov|disabl|stop|deprecat"
            r"|invalid|incomplete|incorrect|unable|unus|unknown|unset|unchang|unsupport|untest|unresolv|unfix"
            r"|unaffect|unavail|unlike|unlimit|unbound)\w*",
            r"[不没无未非免勿莫]",
        ),
    ),
    _Cue(
        "a limit",
        "added_limit",
        "lost_limit",
        _pattern(r"(?<!not )\bonly\b|(?<!not )\bjust\b(?! as\b)|(?<!不)仅|(?<!不)只(?![要是])"),
        _pattern(r"\b(?:only|just|solely|alone|at (?:most|least)|up to|limited|must|needs?|requires?)\b|[仅只限须才]"),
        _pattern(
            r"\b(?:only|just|solely|alone|at (?:most|least)|up to|until|unless|except|must|requires?|needs?)\b",
            r"\b(?:limited|exclusive|restrict|confin|exclu)\w*|[仅只限须才唯单]|除非",
        ),
        frozenset({"scope", "condition"}),
    ),
    _Cue(
        "a default that is off",
        "added_default",
        "lost_default",
        _pattern(
            rf"\b{_OFF} by default\b|\bdefault(?:s|ing)? (?:to |is |are )*{_OFF}\b|\bopt-in\b",
            rf"默认(?:为|是|处于|仍|保持)?{_OFF_ZH}|可选",
        ),
        _pattern(rf"\b{_OFF}\b|\bopt(?:-| |ional)|{_OFF_ZH}|可选"),
        _pattern(
            rf"\b{_OFF}\b|\bopt(?:-| |ional|ion)|\bmust be (?:set|given|enabled|turned on|started)\b|(?<!\w)--[a-z]",
            rf"默认.{{0,8}}{_OFF_ZH}|{_OFF_ZH}|可选|选项|开关|显式|须",
        ),
        frozenset({"off"}),
    ),
    _Cue(
        "a default",
        "added_default",
        "lost_default",
        _pattern(
            rf"(?<!off )(?<!disabled )(?<!not enabled )(?<!not on )\bby default\b|默认(?![值的]|.{{0,3}}{_OFF_ZH})"
        ),
        _pattern(r"\b(?:default|always|enabled)|默认|始终|开启|启用"),
        _pattern(r"\b(?:default|always|enabled)|默认|始终|开启|启用"),
        frozenset({"on"}),
    ),
)


def check_cues(context: Context, sentence: Sentence, report: Report) -> None:
    cited = [fact for fact in context.cited(sentence) if fact.kind != "figure"]
    if not cited:
        return
    about = context.about(sentence)
    grounds = "\n".join((context.told(sentence), *(fact.text for fact in (*context.cited(sentence), *about))))
    states = _states(context, sentence, about)
    for cue in _CUES:
        match = cue.strict.search(sentence.text)
        if match and not cue.any_form.search(grounds) and cue.implied.isdisjoint(states):
            told = f"the sentence has {cue.name} that nothing cited has: {match[0]!r}"
            report.warning(sentence.item, cue.added, told, match[0])
        elif all(cue.strict.search(fact.text) for fact in cited) and not cue.plainly.search(sentence.text):
            report.warning(sentence.item, cue.lost, f"what it cites has {cue.name} that the sentence does not have")


def _states(context: Context, sentence: Sentence, about: tuple[Fact, ...]) -> set[DefaultState | str]:
    """What else is known of the cited pull requests: kinds of facts that they have, and their default states."""
    defaults = (context.inputs.defaults.get(number) for number in context.pulls(sentence))
    return {*(fact.kind for fact in about), *(state for state in defaults if state)}
