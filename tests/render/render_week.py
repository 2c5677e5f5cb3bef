"""A small week built by hand: four pull requests, hostile titles, one without a summary."""

from typing import Any, get_args

from prhub_digest.models.chunk import Place
from prhub_digest.models.digest import Digest, DigestTheme, Highlight, Language, Recommendation, Sentence
from prhub_digest.models.llm import Usage
from prhub_digest.models.period import Period
from prhub_digest.models.plan import Fact, Plan
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.ranking import RankEntry, Ranking
from prhub_digest.models.run import CoverageTotals, Failure
from prhub_digest.models.signals import Flag, FlagName, PullRequestSignals, Signals, ThreadOutcome, Unit
from prhub_digest.models.stats import Count, Stats
from prhub_digest.models.summary import Dropped, Evidence, Figure, PullRequestSummary, UnsettledThread
from prhub_digest.models.verification import CheckCount, Finding, Verification
from prhub_digest.render.view import HighlightRule, PullHead, RenderInput

REPOSITORY = "octo-demo/widgets"
WEB_URL = "https://github.com/octo-demo/widgets"
PERIOD = Period.from_week("2026-W23", "Asia/Shanghai")
TITLES = {
    9: "Guard @cached_property (port of other-org/lib#88, see #88)",
    101: "Fix `a | b` parsing of Task<bool>",
    102: "Split cfg | merge",
    103: "Revert: [i18n] zh \x1b[2J :smile:",
}
NUMBERS = tuple(TITLES)


def quote(words: str, path: str = "src/cache.py", line: int = 12) -> Evidence:
    place = Place(kind="diff", path=path, line=line, side="new")
    return Evidence(line="d1", quote=words, place=place, found_by="line")


TTFT = Figure(
    metric="mean TTFT",
    value="251",
    unit="ms",
    baseline="412",
    baseline_is="before",
    direction="down",
    condition="page size 64",
    measured_by="author",
    evidence=quote("TTFT 412 -> 251 ms"),
)
FACTS = (
    Fact(id="p1.h1", kind="headline", pull=101, text="Parsing is faster", evidence=quote("faster parsing")),
    Fact(id="p1.c1", kind="claim", pull=101, text="The parser caches tokens", evidence=quote("cache tokens")),
    Fact(id="p1.f1", kind="figure", pull=101, text="mean TTFT: 251 ms", evidence=TTFT.evidence, figure=TTFT),
    Fact(id="p2.h1", kind="headline", pull=9, text="The property is guarded"),
    Fact(id="p2.r1", kind="risk", pull=9, text="The lock is not released", evidence=quote("lock.acquire()")),
)
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "e1": "Parsing became **faster**, and the guard holds `Task<bool>`.",
        "m1": "Parsing and guards",
        "k1": "The parser caches its tokens.",
        "t1": "Most changes touched the core",
        "r1": "The lock in the guard may stay held!",
        "h1": "Prefetching brings the first token sooner.",
        "h2": "The property is guarded.",
        "n1": "Release the lock in every branch.",
    },
    "zh": {
        "e1": "**解析变快 **，并且保护了`Task<bool>`类型。",
        "m1": "解析与保护",
        "k1": "解析器会缓存token,因此更快",
        "t1": "多数改动在核心模块。",
        "r1": "保护逻辑里的锁可能一直不释放！",
        "h1": "预取让首 token 更快。",
        "h2": "属性已加保护。",
        "n1": "在每个分支里释放锁。",
    },
}


def digest(language: Language) -> Digest:
    words = _WORDS[language]

    def sentence(item: str, **cited: Any) -> Sentence:
        return Sentence(item=item, text=words[item], **cited)

    return Digest(
        language=language,
        mode="model",
        repository=REPOSITORY,
        period=PERIOD,
        model="toy-1",
        announced_highlights=2,
        executive=(sentence("e1", claims=("p1.h1", "p2.h1", "p1.c1")),),
        themes=(
            DigestTheme(
                areas=("core", "docs"),
                heading=sentence("m1", claims=("p1.h1",)),
                sentences=(sentence("k1", claims=("p1.c1",)),),
            ),
        ),
        trends=(sentence("t1", stats=("areas.core",)),),
        risks=(sentence("r1", claims=("p2.r1",), stats=("flags.missing_tests",)),),
        recommendations=(Recommendation(sentence=sentence("n1", claims=("p2.r1",), origin="template"), risk="r1"),),
        highlights=(
            Highlight(
                pull=101, importance=7.25, area="core", sentence=sentence("h1", claims=("p1.h1",), figures=("p1.f1",))
            ),
            Highlight(pull=9, importance=6, area="core", sentence=sentence("h2", claims=("p2.h1",))),
        ),
        usage=Usage(calls=5, input_tokens=12345, output_tokens=678, cached_tokens=9000),
    )


def facts_digest(language: Language) -> Digest:
    full = digest(language)
    return Digest(
        language=language,
        mode="facts",
        repository=REPOSITORY,
        period=PERIOD,
        announced_highlights=2,
        highlights=full.highlights,
    )


def plan() -> Plan:
    return Plan(
        inputs="0",
        origin="model",
        facts=FACTS,
        executive=(),
        themes=(),
        trends=(),
        risks=(),
        recommendations=(),
        highlights=(),
        left_out=(102,),
    )


def summary(number: int, **given: Any) -> PullRequestSummary:
    return PullRequestSummary(
        **{
            "pull": number,
            "status": "summarized",
            "inputs": "0",
            "headline": TITLES[number],
            "change_type": "fix",
            "area": "core",
            "scores": (),
            **given,
        }
    )


def signals() -> Signals:
    threads: dict[int, tuple[ThreadOutcome, ...] | None] = {
        9: (
            thread("t1", "open", "not resolved after 2 replies", "medium", "src/guard.py", 40),
            thread("t2", "deferred", "the author leaves it for later", "low", "src/guard.py", None),
            thread("t3", "done", "resolved", "high", "src/guard.py", 2),
        ),
        101: (thread("t4", "open", "not resolved, no reply", "low", "src/a|b.py", 7),),
        102: None,
        103: (),
    }
    return Signals(
        areas=(),
        units=(Unit(kind="revert", pulls=(101, 103), standing=()),),
        pulls=tuple(
            PullRequestSignals(
                pull=number,
                area="docs" if number == 102 else "core",
                change_type="revert" if number == 103 else "fix",
                bot=number == 102,
                flags=(Flag(name="missing_tests", raised=number == 9, evidence="no test file"),),
                threads=threads[number],
                reverts=101 if number == 103 else None,
                reverted_by=103 if number == 101 else None,
                scores=(),
            )
            for number in NUMBERS
        ),
    )


def thread(name: str, outcome: str, reason: str, severity: str, path: str, line: int | None) -> ThreadOutcome:
    return ThreadOutcome.model_validate(
        {
            "thread": name,
            "path": path,
            "line": line,
            "url": f"{WEB_URL}/pull/9#discussion_{name}",
            "outcome": outcome,
            "reason": reason,
            "severity": severity,
            "author_kind": "human",
            "first_comment": "What if\n\n```py\nfoo(|)\n```\nraises? cc @octocat",
        }
    )


def stats() -> Stats:
    def pulls(path: str, *numbers: int, denominator: int | None = None) -> Count:
        return Count(path=path, value=len(numbers), unit="pulls", denominator=denominator, pulls=numbers)

    return Stats(
        repository=REPOSITORY,
        period=PERIOD,
        counts=(
            pulls("pulls.merged", *NUMBERS),
            pulls("pulls.net", 9, 102),
            Count(path="commits.direct", value=2, unit="commits"),
            Count(path="lines.added", value=1234, unit="lines", pulls=NUMBERS),
            pulls("areas.core", 9, 101, 103),
            pulls("areas.docs", 102),
            pulls("labels.needs|care", 9, 101, denominator=3),
            pulls("types.fix", 9, 101, 102),
            pulls("types.revert", 103),
            pulls("files.src/a|b.py", 9, 101),
            pulls("flags.missing_tests", 9, denominator=4),
            pulls("flags.no_approval", denominator=1),
            Count(path="threads.open", value=2, unit="threads", denominator=4, pulls=(9, 101)),
            Count(path="hours_to_merge.median", value=12.5, unit="hours", denominator=3, pulls=(9, 101, 102)),
        ),
    )


def ranking() -> Ranking:
    entries = tuple(
        RankEntry(
            place=place,
            pull=number,
            importance=importance,
            exact=importance,
            scores=(),
            adjustments=(),
            highlight=place <= 2,
        )
        for place, (number, importance) in enumerate(((101, 7.2), (9, 6.0), (102, 1.0), (103, 0.5)), 1)
    )
    return Ranking(entries=entries)


def collection(**given: Any) -> Collection:
    return Collection(
        **{
            "repository": REPOSITORY,
            "source": "fixture",
            "web_url": WEB_URL,
            "period": PERIOD,
            "numbers": NUMBERS,
            "direct_commits": 2,
            "notes": ("2 commits had no author | see @log",),
            **given,
        }
    )


def verification(language: Language) -> Verification:
    return Verification(
        language=language,
        checks=(CheckCount(check="known_ids", checked=9), CheckCount(check="quotes", checked=4)),
        findings=(Finding(check="language", kind="length", severity="warning", item="t1", message="short"),),
    )


def week(language: Language, **given: Any) -> RenderInput:
    """The week as the model wrote it; 102 has no summary, 103 fell back."""
    values: dict[str, Any] = {
        "digest": digest(language),
        "plan": plan(),
        "stats": stats(),
        "signals": signals(),
        "ranking": ranking(),
        "pulls": {number: PullHead(number, title, None, "octocat") for number, title in TITLES.items()},
        "summaries": {
            9: summary(
                9,
                headline="The guard of `Task<bool>` holds; cc @octocat",
                headline_evidence=quote("guard"),
                unsettled_threads=(
                    UnsettledThread(
                        thread="t1", text="The lock is kept after an error", severity="high", worded_by="model"
                    ),
                ),
                dropped=(Dropped(kind="claim", text="x", reason="no evidence"),),
            ),
            101: summary(
                101,
                headline="Unions in `Task<bool>` parse faster; cc @octocat",
                headline_evidence=quote("faster parsing"),
            ),
            103: summary(103, status="fallback", reason="cut at its limit"),
        },
        "verification": verification(language),
        "collection": collection(),
        "coverage": CoverageTotals(
            pulls=4, pulls_complete=3, changed_lines=1500, changed_lines_shown=1400, files=3, files_full=2
        ),
        "failures": (Failure(stage="summarize", subject="pr-102", reason="the reply was not JSON"),),
        "partly_read": (102,),
        "highlight_rule": HighlightRule(most=24, percent=30),
        **given,
    }
    return RenderInput(**values)


def facts_week(language: Language) -> RenderInput:
    return week(language, digest=facts_digest(language), verification=None, summaries={}, failures=())


def empty_week(language: Language) -> RenderInput:
    nothing = Digest(
        language=language, mode="model", repository=REPOSITORY, period=PERIOD, model="toy-1", announced_highlights=0
    )
    return week(
        language,
        digest=nothing,
        plan=None,
        stats=Stats(repository=REPOSITORY, period=PERIOD, counts=()),
        signals=Signals(areas=(), pulls=()),
        ranking=Ranking(entries=()),
        pulls={},
        summaries={},
        verification=None,
        collection=collection(numbers=(), direct_commits=0, notes=()),
        coverage=CoverageTotals(
            pulls=0, pulls_complete=0, changed_lines=0, changed_lines_shown=0, files=0, files_full=0
        ),
        failures=(),
        partly_read=(),
    )


def flag_names() -> tuple[FlagName, ...]:
    return get_args(FlagName)
