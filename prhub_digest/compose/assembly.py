"""The replies of the planning calls as one plan; what no reply could be used for is planned by rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from prhub_digest.compose.plan import PlanMaterial
from prhub_digest.compose.rules_plan import RulesPlan
from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import (
    HighlightPlan,
    Plan,
    PlanItem,
    PlanItemReply,
    PlanReply,
    Recommendation,
    Theme,
    ThemeReply,
)

# The facts and the point of an item.
_Told = tuple[tuple[str, ...], str]


@dataclass(frozen=True)
class PlanReplies:
    """The usable replies, one place a theme; `reason` says why there is no `plan`, `left_out` whom no request shows."""

    themes: Sequence[ThemeReply | None]
    plan: PlanReply | None = None
    reason: str | None = None
    left_out: tuple[int, ...] = ()
    usage: Usage = field(default_factory=Usage)


def assembled_plan(material: PlanMaterial, replies: PlanReplies) -> Plan:
    """One plan with an id for every item; the highlights are the ranking's, whatever the replies say."""
    rules = RulesPlan(material)
    reply = replies.plan
    risks = _numbered("r", reply.risks) if reply else rules.risks()
    return Plan(
        inputs=material.inputs,
        origin="model" if reply else "rules",
        reason=None if reply else replies.reason,
        facts=material.facts,
        executive=_numbered("e", reply.executive) if reply else rules.executive(risks),
        themes=_themes(material, replies.themes, rules),
        trends=_numbered("t", reply.trends) if reply else rules.trends(),
        risks=risks,
        recommendations=_recommendations(reply, risks),
        highlights=_highlights(material),
        left_out=replies.left_out,
        usage=replies.usage,
    )


def plan_by_rules(material: PlanMaterial, reason: str) -> Plan:
    """Without any reply."""
    return assembled_plan(material, PlanReplies((None,) * len(material.themes), reason=reason))


def _themes(material: PlanMaterial, replies: Sequence[ThemeReply | None], rules: RulesPlan) -> tuple[Theme, ...]:
    """Those that have something to tell, numbered as they stand on the page."""
    themes: list[Theme] = []
    numbers = count(1)
    for grouping, reply in zip(material.themes, replies, strict=True):
        told = [(item.facts, item.point) for item in reply.items] if reply else rules.theme_items(grouping)
        if not told:
            continue
        items = tuple(
            PlanItem(id=f"k{next(numbers)}", facts=tuple(dict.fromkeys(facts)), point=point)
            for facts, point in _side_by_side(told, material)
        )
        themes.append(
            Theme(
                areas=grouping.areas,
                pulls=grouping.pulls,
                heading=_heading(f"n{len(themes) + 1}", reply.name, items, material) if reply else None,
                items=items,
                origin="model" if reply else "rules",
            )
        )
    return tuple(themes)


def _side_by_side(told: Sequence[_Told], material: PlanMaterial) -> list[_Told]:
    """In the order given, but what begins with the same pull request stands together."""
    pulls = {fact.id: fact.pull for fact in material.facts}
    places: dict[int, int] = {}
    return sorted(told, key=lambda own: places.setdefault(pulls[own[0][0]], len(places)))


def _heading(name_id: str, name: str, items: Sequence[PlanItem], material: PlanMaterial) -> PlanItem:
    cited = {fact for item in items for fact in item.facts}
    pulls = {fact.pull for fact in material.facts if fact.id in cited}
    headlines = tuple(fact.id for fact in material.facts if fact.kind == "headline" and fact.pull in pulls)
    return PlanItem(id=name_id, facts=headlines, point=" ".join(name.split()))


def _recommendations(reply: PlanReply | None, risks: Sequence[PlanItem]) -> tuple[Recommendation, ...]:
    """Each stands on the facts and statistics of its risk; by rules there is one a risk."""
    answers = (
        [(answer.risk, answer.point) for answer in reply.recommendations]
        if reply
        else [(place, "look at this risk and close it") for place in range(1, len(risks) + 1)]
    )
    return tuple(
        Recommendation(
            item=PlanItem(id=f"a{number}", facts=risks[place - 1].facts, stats=risks[place - 1].stats, point=point),
            risk=risks[place - 1].id,
        )
        for number, (place, point) in enumerate(answers, 1)
    )


def _highlights(material: PlanMaterial) -> tuple[HighlightPlan, ...]:
    """One item a highlight: headline, scope, condition, two claims and figures, and the first grave danger it left."""
    plans = []
    for number, pull in enumerate(material.ranking.highlights, 1):
        own = [fact for fact in material.facts if fact.pull == pull]
        chosen = [fact for fact in own if fact.kind in ("headline", "scope", "condition")]
        chosen += [fact for fact in own if fact.kind == "claim"][:2]
        chosen += [fact for fact in own if fact.kind == "figure"][:2]
        chosen += [fact for fact in own if fact.kind in ("risk", "thread") and fact.severity == "high"][:1]
        item = PlanItem(id=f"h{number}", facts=tuple(fact.id for fact in chosen), point="what it is and why it matters")
        plans.append(HighlightPlan(pull=pull, item=item))
    return tuple(plans)


def _numbered(letter: str, items: Sequence[PlanItemReply]) -> tuple[PlanItem, ...]:
    return tuple(
        PlanItem(
            id=f"{letter}{number}",
            facts=tuple(dict.fromkeys(item.facts)),
            stats=tuple(dict.fromkeys(item.stats)),
            point=item.point,
        )
        for number, item in enumerate(items, 1)
    )
