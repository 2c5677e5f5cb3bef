"""A clean, hand-made week of three pull requests with its plan and its digest in both languages."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.digest import Digest, DigestTheme, Highlight, Language, Recommendation, Sentence
from prhub_digest.models.period import Period
from prhub_digest.models.plan import Fact, HighlightPlan, Plan, PlanItem, Theme
from prhub_digest.models.plan import Recommendation as PlannedRecommendation
from prhub_digest.models.pull_request import Comment, FileChange, Person, PullRequest, ReviewThread
from prhub_digest.models.ranking import RankEntry, Ranking
from prhub_digest.models.stats import Count, Stats
from prhub_digest.models.summary import Evidence, Figure
from prhub_digest.models.verification import CheckName, Finding
from prhub_digest.source_lines import source_lines
from prhub_digest.verify import VerifyInput, verify_digest

PERIOD = Period.from_week("2026-W23")
LIN = Person(login="lin-demo", kind="human")
PATCH = "@@ -1,2 +1,3 @@ class PagedIndex\n CACHE_SPILL_MODE = 0\n-old_loader()\n+new_loader(topk=1)\n+use_fp4 = True\n"
PULLS = {
    101: PullRequest(
        number=101,
        title="Prefetch pages for the PagedIndex on H100",
        body=(
            "Adds a prefetch step to the paged index, off by default.\n"
            "Mean TTFT drops by 39.3 % with batch 32 on H100, from 1,200 ms.\n"
            "Splits the kernel into two kernels."
        ),
        author=LIN,
        merged_at=datetime(2026, 6, 2, 9, tzinfo=UTC),
        files=(FileChange(path="src/index/paged.py", status="modified", additions=2, deletions=1, patch=PATCH),),
        threads=(
            ReviewThread(
                id="RT_1",
                path="src/index/paged.py",
                line=2,
                resolved=False,
                comments=(Comment(id="c1", author=LIN, body="The eviction lock is still racy here."),),
            ),
        ),
    ),
    102: PullRequest(
        number=102,
        title="Limit scheduler queue per tenant",
        body="The scheduler now limits the queue length per tenant. No tests yet.",
        author=LIN,
        merged_at=datetime(2026, 6, 3, 9, tzinfo=UTC),
        files=(FileChange(path="src/sched/limit.py", status="added", additions=9, deletions=0),),
    ),
    103: PullRequest(
        number=103,
        title="文档：说明分页索引的三个后端",
        body="Describes the backends in docs.",
        author=LIN,
        merged_at=datetime(2026, 6, 7, 23, 59, tzinfo=UTC),
    ),
}


def line_of(number: int, words: str) -> SourceLine:
    return next(line for line in source_lines(PULLS[number]) if words in line.text)


def evidence(number: int, words: str) -> Evidence:
    line = line_of(number, words)
    return Evidence(line=line.id, quote=words, place=line.place, found_by="line")


FIGURE = Figure(
    metric="Mean TTFT",
    value="39.3",
    unit="%",
    baseline="1,200 ms",
    baseline_is="before",
    direction="down",
    condition="batch 32 on H100",
    measured_by="author",
    evidence=evidence(101, "Mean TTFT drops by 39.3 % with batch 32"),
)
FACTS = (
    Fact(id="p1.h1", kind="headline", pull=101, text=PULLS[101].title),
    Fact(
        id="p1.c1",
        kind="claim",
        pull=101,
        text="Adds a prefetch step to the paged index, disabled by default",
        evidence=evidence(101, "Adds a prefetch step to the paged index, off by default."),
    ),
    Fact(id="p1.f1", kind="figure", pull=101, text="Mean TTFT", evidence=FIGURE.evidence, figure=FIGURE),
    Fact(id="p1.t1", kind="thread", pull=101, text="The eviction lock is racy", thread="RT_1", severity="medium"),
    Fact(id="p2.h1", kind="headline", pull=102, text=PULLS[102].title),
    Fact(
        id="p2.c1",
        kind="claim",
        pull=102,
        text="The scheduler limits its queue per tenant",
        evidence=evidence(102, "limits the queue length per tenant"),
    ),
    Fact(
        id="p2.r1",
        kind="risk",
        pull=102,
        text="The scheduler queue limit has no tests",
        evidence=evidence(102, "No tests yet."),
        severity="high",
    ),
    Fact(id="p3.h1", kind="headline", pull=103, text=PULLS[103].title),
)


def item(name: str, *ids: str, stats: tuple[str, ...] = ()) -> PlanItem:
    return PlanItem(id=name, facts=ids, stats=stats)


PLAN = Plan(
    inputs="",
    origin="model",
    facts=FACTS,
    executive=(item("e1", "p1.h1", "p1.f1"),),
    themes=(
        Theme(
            areas=("index",),
            pulls=(101, 103),
            heading=item("n1", "p1.h1", "p3.h1"),
            items=(item("k1", "p1.c1"), item("k2", "p3.h1")),
        ),
        Theme(areas=("scheduler",), pulls=(102,), heading=item("n2", "p2.h1"), items=(item("k3", "p2.c1"),)),
    ),
    trends=(item("t1", stats=("areas.index", "types.docs")),),
    risks=(item("r1", "p2.r1"), item("r2", "p1.t1", stats=("flags.missing_tests",))),
    recommendations=(PlannedRecommendation(item=item("a1", "p2.r1"), risk="r1"),),
    highlights=(
        HighlightPlan(pull=101, item=item("h1", "p1.h1", "p1.f1")),
        HighlightPlan(pull=102, item=item("h2", "p2.h1")),
    ),
)
STATS = Stats(
    repository="octo-demo/widgets",
    period=PERIOD,
    counts=(
        Count(path="pulls.merged", value=3, unit="pulls", pulls=(101, 102, 103)),
        Count(path="areas.index", value=2, unit="pulls", pulls=(101, 103)),
        Count(path="areas.scheduler", value=1, unit="pulls", pulls=(102,)),
        Count(path="types.docs", value=1, unit="pulls", pulls=(103,)),
        Count(path="flags.missing_tests", value=2, unit="pulls", denominator=2, pulls=(101, 102)),
        Count(path="hours_to_merge.median", value=5.5, unit="hours"),
    ),
)
RANKING = Ranking(
    entries=tuple(
        RankEntry(
            place=place,
            pull=pull,
            importance=importance,
            exact=importance,
            scores=(),
            adjustments=(),
            highlight=place < 3,
        )
        for place, pull, importance in ((1, 101, 7.4), (2, 102, 5.1), (3, 103, 1.0))
    )
)
WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "e1": "The paged index prefetches pages, and mean TTFT drops.",
        "n1": "Paged index",
        "n2": "Scheduler queue per tenant",
        "k1": "The `PagedIndex` adds a prefetch step on H100, disabled by default.",
        "k2": "The documentation “文档：说明分页索引的三个后端” describes the backends.",
        "k3": "The scheduler limits its queue per tenant.",
        "t1": "Most work of the week is in index, with some docs.",
        "r1": "The scheduler queue limit has no tests.",
        "r2": "The eviction lock is racy, and tests are missing.",
        "a1": "Add tests for the scheduler queue limit before release.",
        "h1": "Prefetch of pages for the PagedIndex on H100 lowers TTFT.",
        "h2": "The scheduler queue is limited per tenant.",
    },
    "zh": {
        "e1": "分页索引 PagedIndex 会预取分页，TTFT 平均值下降。",
        "n1": "分页索引",
        "n2": "调度队列限制",
        "k1": "`PagedIndex` 在 H100 上新增一个预取步骤，默认关闭。",
        "k2": "文档说明了分页索引的各后端。",
        "k3": "调度器按租户限制队列。",
        "t1": "本周的变化多在 index，也有文档。",
        "r1": "调度器的队列限制没有测试。",
        "r2": "淘汰锁存在竞态，且缺少测试。",
        "a1": "发布前为调度器的队列限制补充测试。",
        "h1": "在 H100 上为 PagedIndex 预取分页，降低 TTFT。",
        "h2": "调度器按租户限制队列长度。",
    },
}


def sentence(planned: PlanItem, words: Mapping[str, str]) -> Sentence:
    figures = tuple(name for name in planned.facts if ".f" in name)
    claims = tuple(name for name in planned.facts if ".f" not in name)
    return Sentence(item=planned.id, text=words[planned.id], claims=claims, figures=figures, stats=planned.stats)


def digest_of(language: Language, **changed: str) -> Digest:
    """The clean digest, with the text of some items changed."""
    words = WORDS[language] | changed
    importance = {101: 7.4, 102: 5.1}
    return Digest(
        language=language,
        mode="model",
        repository="octo-demo/widgets",
        period=PERIOD,
        model="demo",
        announced_highlights=2,
        executive=tuple(sentence(planned, words) for planned in PLAN.executive),
        themes=tuple(
            DigestTheme(
                areas=theme.areas,
                heading=sentence(theme.heading, words) if theme.heading else None,
                sentences=tuple(sentence(planned, words) for planned in theme.items),
            )
            for theme in PLAN.themes
        ),
        trends=tuple(sentence(planned, words) for planned in PLAN.trends),
        risks=tuple(sentence(planned, words) for planned in PLAN.risks),
        recommendations=tuple(
            Recommendation(sentence=sentence(planned.item, words), risk=planned.risk)
            for planned in PLAN.recommendations
        ),
        highlights=tuple(
            Highlight(
                pull=planned.pull,
                importance=importance[planned.pull],
                area="index",
                sentence=sentence(planned.item, words),
            )
            for planned in PLAN.highlights
        ),
    )


def inputs_of(language: Language = "en", **changed: str) -> VerifyInput:
    return VerifyInput(
        digest=digest_of(language, **changed),
        plan=PLAN,
        stats=STATS,
        ranking=RANKING,
        pulls=PULLS,
        lines=source_lines,
    )


def with_digest(inputs: VerifyInput, **changes: Any) -> VerifyInput:
    return replace(inputs, digest=inputs.digest.updated(**changes))


def with_fact(inputs: VerifyInput, name: str, **changes: Any) -> VerifyInput:
    facts = tuple(fact.updated(**changes) if fact.id == name else fact for fact in inputs.plan.facts)
    return replace(inputs, plan=inputs.plan.updated(facts=facts))


@dataclass(frozen=True)
class Found:
    """Findings in a short form that tests can compare."""

    findings: tuple[Finding, ...]

    def of(self, check: CheckName) -> list[tuple[str, str | None, str]]:
        return [(found.severity, found.item, found.message) for found in self.findings if found.check == check]

    @property
    def errors(self) -> set[tuple[str, str | None]]:
        return {(found.check, found.item) for found in self.findings if found.severity == "error"}


def found(inputs: VerifyInput) -> Found:
    return Found(verify_digest(inputs).findings)
