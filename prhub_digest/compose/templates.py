"""Sentences by code, from the facts' own text: for what no model worded, or worded wrongly."""

from prhub_digest.models.digest import Language
from prhub_digest.models.plan import Fact, Plan, PlanItem, SectionName

_STATISTICS: dict[Language, str] = {"en": "The week in numbers", "zh": "本周统计"}
_FIGURES: dict[Language, str] = {"en": "Measured", "zh": "实测"}
_BARE: dict[Language, str] = {"en": "See the pull request itself", "zh": "详见原始 PR"}
_CHECK: dict[Language, str] = {"en": "To check: {text}", "zh": "待核查：{text}"}
_QUOTED: dict[Language, str] = {"en": "{text}", "zh": "摘要原文：{text}"}


def template_text(plan: Plan, item: PlanItem, section: SectionName, language: Language, *, bare: bool = False) -> str:
    """One sentence for an item: the text of its first facts that are no figures, as the summaries have it.

    `bare`: without that text, only that there is something to read.
    """
    told = [fact for fact in map(plan.fact, item.facts) if fact.kind != "figure"]
    if bare:
        text = _BARE[language]
    elif told:
        text = _QUOTED[language].format(text=" ".join(_sentence(fact) for fact in told[:2]))
    else:
        text = (_FIGURES if item.facts else _STATISTICS)[language]
    if section == "recommendations":
        return _CHECK[language].format(text=text)
    return text


def _sentence(fact: Fact) -> str:
    text = " ".join(fact.text.split())
    return text if text.endswith((".", "!", "?", "。", "！", "？")) else text + "."
