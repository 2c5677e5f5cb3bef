"""What a plan is made from, and what is wrong with the model's replies about it."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from prhub_digest.compose.themes import Grouping
from prhub_digest.models.plan import Fact, FactKind, PlanItemReply, PlanReply, ThemeReply
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.stats import Stats

MOST_ITEMS = 6
# Shown in full for one theme; what stands below is told in a line, or not at all.
FULL_PULLS = 12
# What a theme's sentences may rest on; dangers have a section of their own.
TOLD_IN_THEMES: frozenset[FactKind] = frozenset({"headline", "scope", "condition", "claim", "figure"})
# What tells a pull request at length: once under its theme, once among the highlights, nowhere else.
AT_LENGTH: frozenset[FactKind] = frozenset({"claim", "figure"})
_NAME_WORDS = 6
_FAULTS_SHOWN = 6
_TREND_GROUPS = ("areas", "types", "labels", "files", "hours_to_merge", "pulls", "lines")
_RISK_GROUPS = ("flags", "threads")


@dataclass(frozen=True)
class PlanMaterial:
    """What a plan is made from; `themes` are the groups of pull requests, before they have names.

    `must_look` are told with the highlights wherever they rank: reverts, and fixes of damage.
    `cancelled` are changes that were taken back, and what took them back: no theme tells them.
    """

    facts: tuple[Fact, ...]
    stats: Stats
    ranking: Ranking
    themes: tuple[Grouping, ...]
    inputs: str
    must_look: frozenset[int] = frozenset()
    cancelled: frozenset[int] = frozenset()

    def facts_of_theme(self, theme: Grouping) -> tuple[Fact, ...]:
        """What the request of a theme shows, in rank order."""
        return tuple(fact for fact in self.facts if fact.pull in theme.pulls and fact.kind in TOLD_IN_THEMES)

    def facts_of_highlights(self) -> tuple[Fact, ...]:
        """Headline, scope and condition of each highlight and must-look, and what no theme tells."""
        listed = self.must_look.union(self.ranking.highlights)
        told = TOLD_IN_THEMES - AT_LENGTH
        return tuple(
            fact for fact in self.facts if fact.pull in listed and (fact.kind in told or fact.id in self.told_nowhere)
        )

    @property
    def told_nowhere(self) -> frozenset[str]:
        """The claims about what was taken back, such as what is known of the cause: for risks and the summary."""
        claims = (fact for fact in self.facts if fact.kind == "claim" and fact.pull in self.cancelled)
        return frozenset(fact.id for fact in claims)


def theme_fault(reply: ThemeReply, facts: Sequence[Fact]) -> str | None:
    """What is wrong with a theme's plan, in words that the model can act on; `facts` are those of its request."""
    known = {fact.id for fact in facts}
    faults = [f"name: {fault}" for fault in _name_faults(reply.name)] if reply.items else []
    if len(reply.items) > MOST_ITEMS:
        faults.append(f"items: {len(reply.items)} of them; at most {MOST_ITEMS}")
    for number, item in enumerate(reply.items, 1):
        faults += [f"items {number}: unknown fact {fact!r}" for fact in item.facts if fact not in known]
        faults += [] if item.facts else [f"items {number}: cites nothing"]
    return "; ".join(faults[:_FAULTS_SHOWN]) or None


def _name_faults(name: str) -> list[str]:
    words = name.split()
    faults = [] if 0 < len(words) <= _NAME_WORDS else [f"it has {len(words)} words, not one to {_NAME_WORDS}"]
    if re.search(r"\d", name):
        faults.append("no digits in a name")
    if name.rstrip().endswith((".", "!", "?", ":")):
        faults.append("a name ends without a full stop")
    return faults


def plan_fault(reply: PlanReply, material: PlanMaterial) -> str | None:
    """What is wrong with the plan of the other sections, in words that the model can act on; None when nothing is."""
    kinds = {fact.id: fact.kind for fact in material.facts}
    elsewhere = {own for own, kind in kinds.items() if kind in AT_LENGTH} - material.told_nowhere
    sections = {"trends": reply.trends, "risks": reply.risks, "executive": reply.executive}
    faults = [
        f"{section} {number}: {fault}"
        for section, items in sections.items()
        for number, item in enumerate(items, 1)
        for fault in (*_unknown(item, kinds, material.stats), *_unfit(section, item, kinds, elsewhere))
    ]
    faults += [
        f"recommendations {number}: there is no risk {recommendation.risk}"
        for number, recommendation in enumerate(reply.recommendations, 1)
        if not 1 <= recommendation.risk <= len(reply.risks)
    ]
    return "; ".join(faults[:_FAULTS_SHOWN]) or None


def _unknown(item: PlanItemReply, kinds: Mapping[str, FactKind], stats: Stats) -> list[str]:
    faults = [f"unknown fact {fact!r}" for fact in item.facts if fact not in kinds]
    faults += [f"unknown statistic {path!r}" for path in item.stats if not stats.has(path)]
    return faults if item.facts or item.stats else ["cites nothing"]


def _unfit(section: str, item: PlanItemReply, kinds: Mapping[str, FactKind], elsewhere: AbstractSet[str]) -> list[str]:
    """What each section must rest on: trends on counts, risks on a risk, and none of them on what themes tell."""
    faults = [f"{fact!r} is told elsewhere" for fact in item.facts if fact in elsewhere]
    groups = {path.partition(".")[0] for path in item.stats}
    if section == "trends" and groups.isdisjoint(_TREND_GROUPS):
        faults.append(f"cites no statistic of {', '.join(_TREND_GROUPS)}")
    of_risk = any(kinds.get(fact) in ("risk", "thread") for fact in item.facts)
    if section == "risks" and not of_risk and groups.isdisjoint(_RISK_GROUPS):
        faults.append("cites no risk, no review thread and no flag")
    return faults
