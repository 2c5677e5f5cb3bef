"""A plan without a model: plain, and never wrong about what it cites."""

from collections.abc import Sequence
from dataclasses import dataclass

from prhub_digest.compose.facts import SEVERITY_ORDER
from prhub_digest.compose.plan import PlanMaterial
from prhub_digest.compose.themes import Grouping
from prhub_digest.models.plan import Fact, FactKind, PlanItem
from prhub_digest.models.stats import Count

_PULLS_OF_THEME = 5
_RISKS = 5
_TREND_POINTS = {
    "areas": "where most pull requests of the week went",
    "types": "what kinds of change made up the week",
    "files": "which file was changed most often",
}


@dataclass(frozen=True)
class RulesPlan:
    """Each part of a plan by itself, so that rules can stand in for just what a model failed at."""

    material: PlanMaterial

    def theme_items(self, theme: Grouping) -> list[tuple[tuple[str, ...], str]]:
        """Facts and point of each item: the first pull requests of the theme, by headline and first figure."""
        chosen = ((*self._of(pull, "headline"), *self._of(pull, "figure")[:1]) for pull in theme.pulls)
        return [(tuple(fact.id for fact in facts), "what changed") for facts in chosen][:_PULLS_OF_THEME]

    def trends(self) -> tuple[PlanItem, ...]:
        """From the largest counts, net of reverts."""
        items: list[PlanItem] = []
        for group, point in _TREND_POINTS.items():
            if counts := sorted(self.material.stats.group(group), key=self._lasting, reverse=True):
                paths = tuple(count.path for count in counts[: 1 if group == "files" else 3])
                items.append(PlanItem(id=f"t{len(items) + 1}", stats=paths, point=point))
        return tuple(items)

    def risks(self) -> tuple[PlanItem, ...]:
        """By severity, and the code without tests."""
        found = [fact for fact in self.material.facts if fact.kind in ("risk", "thread")]
        found.sort(key=lambda fact: SEVERITY_ORDER[fact.severity or "low"])
        items = [
            PlanItem(id=f"r{number}", facts=(fact.id,), point="what may break or was left open")
            for number, fact in enumerate(found[:_RISKS], 1)
        ]
        path, stats = "flags.missing_tests", self.material.stats
        if stats.has(path) and stats.value(path):
            items.append(PlanItem(id=f"r{len(items) + 1}", stats=(path,), point="source changed without tests"))
        return tuple(items)

    def executive(self, risks: Sequence[PlanItem]) -> tuple[PlanItem, ...]:
        """The three first of the week, and the main risk."""
        top = [entry.pull for entry in self.material.ranking.entries[:3]]
        facts = [fact.id for pull in top for fact in self._of(pull, "headline")]
        items = [
            PlanItem(id=f"e{number}", facts=(fact,), point="a main change") for number, fact in enumerate(facts, 1)
        ]
        if top and risks:
            last = f"e{len(items) + 1}"
            items.append(PlanItem(id=last, facts=risks[0].facts, stats=risks[0].stats, point="the main risk"))
        return tuple(items)

    def _lasting(self, count: Count) -> int | float:
        return count.net(self.material.cancelled)

    def _of(self, pull: int, kind: FactKind) -> list[Fact]:
        return [fact for fact in self.material.facts if fact.pull == pull and fact.kind == kind]
