"""The language-free plan: asked once of the model, checked, and replaced by rules when it cannot be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import (
    Fact,
    HighlightPlan,
    Plan,
    PlanItem,
    PlanItemReply,
    PlanReply,
    Recommendation,
    Theme,
)
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.stats import Stats

_FAULTS_SHOWN = 6
_TREND_GROUPS = ("areas", "types", "labels", "files", "hours_to_merge", "pulls", "lines")
_RISK_GROUPS = ("flags", "threads")


@dataclass(frozen=True)
class PlanMaterial:
    """What a plan is made from; `left_out` are the pull requests that the planning request could not show."""

    facts: tuple[Fact, ...]
    stats: Stats
    ranking: Ranking
    areas: tuple[str, ...]
    inputs: str
    left_out: tuple[int, ...] = ()


def plan_fault(reply: PlanReply, material: PlanMaterial) -> str | None:
    """What is wrong with a planning reply, in words that the model can act on; None when it can be used."""
    kinds = {fact.id: fact.kind for fact in material.facts}
    sections = {
        "themes": [item for theme in reply.themes for item in theme.items],
        "trends": reply.trends,
        "risks": reply.risks,
        "executive": reply.executive,
    }
    faults = [
        f"{section} {number}: {fault}"
        for section, items in sections.items()
        for number, item in enumerate(items, 1)
        for fault in (*_unknown(item, kinds, material.stats), *_unfit(section, item, kinds))
    ]
    faults += [
        f"themes: {theme.area!r} is not in the list of areas"
        for theme in reply.themes
        if theme.area not in material.areas
    ]
    faults += [
        f"recommendations {number}: there is no risk {recommendation.risk}"
        for number, recommendation in enumerate(reply.recommendations, 1)
        if not 1 <= recommendation.risk <= len(reply.risks)
    ]
    return "; ".join(faults[:_FAULTS_SHOWN]) or None


def _unknown(item: PlanItemReply, kinds: Mapping[str, str], stats: Stats) -> list[str]:
    faults = [f"unknown fact {fact!r}" for fact in item.facts if fact not in kinds]
    faults += [f"unknown statistic {path!r}" for path in item.stats if not stats.has(path)]
    return faults if item.facts or item.stats else ["cites nothing"]


def _unfit(section: str, item: PlanItemReply, kinds: Mapping[str, str]) -> list[str]:
    """What each section must rest on: changes on facts, trends on counts, risks on a risk."""
    groups = {path.partition(".")[0] for path in item.stats}
    if section == "themes" and not item.facts:
        return ["cites no fact"]
    if section == "trends" and groups.isdisjoint(_TREND_GROUPS):
        return [f"cites no statistic of {', '.join(_TREND_GROUPS)}"]
    of_risk = any(kinds.get(fact) in ("risk", "thread") for fact in item.facts)
    if section == "risks" and not of_risk and groups.isdisjoint(_RISK_GROUPS):
        return ["cites no risk, no open thread and no flag"]
    return []


def plan_from_reply(reply: PlanReply, material: PlanMaterial, usage: Usage) -> Plan:
    """A reply without fault as a plan; the highlights are the ranking's, whatever the reply says."""
    risks = _numbered("r", reply.risks)
    themes, start = [], 1
    for theme in reply.themes:
        themes.append(Theme(area=theme.area, items=_numbered("k", theme.items, start)))
        start += len(theme.items)
    recommendations = tuple(
        Recommendation(
            item=PlanItem(
                id=f"a{number}",
                facts=risks[recommendation.risk - 1].facts,
                stats=risks[recommendation.risk - 1].stats,
                point=recommendation.point,
            ),
            risk=risks[recommendation.risk - 1].id,
        )
        for number, recommendation in enumerate(reply.recommendations, 1)
    )
    return Plan(
        inputs=material.inputs,
        origin="model",
        facts=material.facts,
        executive=_numbered("e", reply.executive),
        themes=tuple(theme for theme in themes if theme.items),
        trends=_numbered("t", reply.trends),
        risks=risks,
        recommendations=recommendations,
        highlights=plan_highlights(material),
        left_out=material.left_out,
        usage=usage,
    )


def plan_highlights(material: PlanMaterial) -> tuple[HighlightPlan, ...]:
    """One item a highlight: headline, scope and condition, the first two claims and the first two figures."""
    plans = []
    for number, pull in enumerate(material.ranking.highlights, 1):
        own = [fact for fact in material.facts if fact.pull == pull]
        chosen = [fact for fact in own if fact.kind in ("headline", "scope", "condition")]
        chosen += [fact for fact in own if fact.kind == "claim"][:2]
        chosen += [fact for fact in own if fact.kind == "figure"][:2]
        item = PlanItem(id=f"h{number}", facts=tuple(fact.id for fact in chosen), point="what it is and why it matters")
        plans.append(HighlightPlan(pull=pull, item=item))
    return tuple(plans)


def _numbered(letter: str, items: Sequence[PlanItemReply], start: int = 1) -> tuple[PlanItem, ...]:
    return tuple(
        PlanItem(
            id=f"{letter}{number}",
            facts=tuple(dict.fromkeys(item.facts)),
            stats=tuple(dict.fromkeys(item.stats)),
            point=item.point,
        )
        for number, item in enumerate(items, start)
    )
