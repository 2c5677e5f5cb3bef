"""A plan without a model: plain, and never wrong about what it cites."""

from prhub_digest.compose.plan import PlanMaterial, plan_highlights
from prhub_digest.models.plan import Fact, Plan, PlanItem, Recommendation, Theme

_PULLS_TOLD = 24
_THEMES = 7
_ITEMS_A_THEME = 5
_RISKS = 5
_SEVERITY_ORDER = {"high": 0, "medium": 1, "low": 2}
_TREND_POINTS = {
    "areas": "where most pull requests of the week went",
    "types": "what kinds of change made up the week",
    "files": "which file was changed most often",
}


def rules_plan(material: PlanMaterial, areas_of: dict[int, str], reason: str | None) -> Plan:
    """Themes by area in rank order, trends from the largest counts, risks by severity, one recommendation a risk."""
    risks = _risks(material)
    return Plan(
        inputs=material.inputs,
        origin="rules",
        reason=reason,
        facts=material.facts,
        executive=_executive(material, risks),
        themes=_themes(material, areas_of),
        trends=_trends(material),
        risks=risks,
        recommendations=tuple(
            Recommendation(
                item=PlanItem(
                    id=f"a{number}", facts=risk.facts, stats=risk.stats, point="look at this risk and close it"
                ),
                risk=risk.id,
            )
            for number, risk in enumerate(risks, 1)
        ),
        highlights=plan_highlights(material),
        left_out=(),
    )


def _themes(material: PlanMaterial, areas_of: dict[int, str]) -> tuple[Theme, ...]:
    by_area: dict[str, list[tuple[str, ...]]] = {}
    for entry in material.ranking.entries[:_PULLS_TOLD]:
        own = [fact for fact in material.facts if fact.pull == entry.pull]
        chosen = [fact.id for fact in own if fact.kind == "headline"]
        chosen += [fact.id for fact in own if fact.kind == "figure"][:1]
        by_area.setdefault(areas_of[entry.pull], []).append(tuple(chosen))
    themes, number = [], 0
    for area, items in list(by_area.items())[:_THEMES]:
        numbered = []
        for facts in items[:_ITEMS_A_THEME]:
            number += 1
            numbered.append(PlanItem(id=f"k{number}", facts=facts, point="what changed"))
        themes.append(Theme(area=area, items=tuple(numbered)))
    return tuple(themes)


def _trends(material: PlanMaterial) -> tuple[PlanItem, ...]:
    items: list[PlanItem] = []
    for group, point in _TREND_POINTS.items():
        if counts := material.stats.group(group):
            paths = tuple(count.path for count in counts[: 1 if group == "files" else 3])
            items.append(PlanItem(id=f"t{len(items) + 1}", stats=paths, point=point))
    return tuple(items)


def _risks(material: PlanMaterial) -> tuple[PlanItem, ...]:
    found: list[Fact] = [fact for fact in material.facts if fact.kind in ("risk", "thread")]
    found.sort(key=lambda fact: _SEVERITY_ORDER[fact.severity or "low"])
    items = [
        PlanItem(id=f"r{number}", facts=(fact.id,), point="what may break or was left open")
        for number, fact in enumerate(found[:_RISKS], 1)
    ]
    path = "flags.missing_tests"
    if material.stats.has(path) and material.stats.value(path):
        items.append(PlanItem(id=f"r{len(items) + 1}", stats=(path,), point="source changed without tests"))
    return tuple(items)


def _executive(material: PlanMaterial, risks: tuple[PlanItem, ...]) -> tuple[PlanItem, ...]:
    if not material.ranking.entries:
        return ()
    top = material.ranking.entries[:3]
    facts = tuple(
        fact.id for entry in top for fact in material.facts if fact.pull == entry.pull and fact.kind == "headline"
    )
    items = [PlanItem(id=f"e{number}", facts=(fact,), point="a main change") for number, fact in enumerate(facts, 1)]
    if risks:
        items.append(
            PlanItem(id=f"e{len(items) + 1}", facts=risks[0].facts, stats=risks[0].stats, point="the main risk")
        )
    return tuple(items)
