"""A week of two pull requests, summarized and ranked, as the compose tests need it."""

from datetime import UTC, datetime

from prhub_digest.compose.facts import facts_of
from prhub_digest.compose.plan import PlanMaterial
from prhub_digest.compose.themes import Grouping
from prhub_digest.models.chunk import Place
from prhub_digest.models.period import Period
from prhub_digest.models.plan import PlanItemReply, PlanReply, RecommendationReply, ThemeItemReply, ThemeReply
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.ranking import RankEntry, Ranking
from prhub_digest.models.stats import Count, Stats
from prhub_digest.models.summary import (
    SUB_SCORES,
    Evidence,
    Figure,
    PullRequestSummary,
    Risk,
    Statement,
    SubScore,
    UnsettledThread,
)

PERIOD = Period.from_week("2026-W23")
COLLECTION = Collection(repository="aurora/engine", source="fixture", period=PERIOD, numbers=(7, 9))
SCORES = tuple(SubScore(name=name, value=2, source="rule") for name in SUB_SCORES)


def evidence(quote: str) -> Evidence:
    return Evidence(line="D1", quote=quote, place=Place(kind="diff", path="a.py", line=1), found_by="line")


PREFETCH = PullRequestSummary(
    pull=7,
    status="summarized",
    inputs="i",
    headline="Prefix pages are prefetched on decode",
    headline_evidence=evidence("prefetch"),
    change_type="performance",
    area="cache",
    condition=Statement(text="page size 64", evidence=evidence("at page size 64")),
    default_state="off",
    claims=(Statement(text="The queue does not block.", evidence=evidence("block=False")),),
    figures=(
        Figure(
            metric="mean TTFT",
            value="251",
            unit="ms",
            baseline="412 ms",
            baseline_is="before",
            direction="down",
            condition="page size 64",
            measured_by="author",
            evidence=evidence("412 ms to 251 ms"),
        ),
    ),
    risks=(Risk(text="Pages are lost when the queue is full.", severity="high", evidence=evidence("block=False")),),
    unsettled_threads=(
        UnsettledThread(thread="RT_1", text="What if it is full?", severity="medium", worded_by="model"),
    ),
    scores=SCORES,
)
DOCS = PullRequestSummary(
    pull=9,
    status="fallback",
    reason="no reply",
    inputs="i",
    headline="Fix the quick start",
    change_type="docs",
    area="docs",
    scores=SCORES,
)
SUMMARIES = {7: PREFETCH, 9: DOCS}


def _entry(place: int, pull: int, highlight: bool) -> RankEntry:
    return RankEntry(
        place=place, pull=pull, importance=5.0, exact=5.0, scores=SCORES, adjustments=(), highlight=highlight
    )


RANKING = Ranking(entries=(_entry(1, 7, True), _entry(2, 9, False)))
STATS = Stats(
    repository="aurora/engine",
    period=PERIOD,
    counts=(
        Count(path="pulls.merged", value=2, unit="pulls", pulls=(7, 9)),
        Count(path="areas.cache", value=1, unit="pulls", pulls=(7,)),
        Count(path="areas.docs", value=1, unit="pulls", pulls=(9,)),
        Count(path="flags.missing_tests", value=1, unit="pulls", denominator=1, pulls=(7,)),
    ),
)
CACHE, GUIDES = Grouping(("cache",), (7,)), Grouping(("docs",), (9,))
MATERIAL = PlanMaterial(facts_of(RANKING, SUMMARIES), STATS, RANKING, (CACHE, GUIDES), "inputs")
MERGED_AT = datetime(2026, 6, 2, tzinfo=UTC)


def item(facts=(), stats=(), point="p") -> PlanItemReply:
    return PlanItemReply(facts=facts, stats=stats, point=point)


def theme_reply(*items, name="Prefix pages") -> ThemeReply:
    """Each item as the ids of its facts."""
    told = tuple(ThemeItemReply(facts=facts, point="p") for facts in items)
    return ThemeReply(ref="theme-1", name=name, items=told)


def plan_reply(**changes) -> PlanReply:
    values = {
        "ref": "plan",
        "trends": (item(stats=("areas.cache",)),),
        "risks": (item(("p1.r1",)), item(stats=("flags.missing_tests",))),
        "recommendations": (RecommendationReply(risk=2, point="add a test"),),
        "executive": (item(("p1.h1",)),),
    }
    return PlanReply(**{**values, **changes})
