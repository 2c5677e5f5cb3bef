"""What a sentence may cite: every grounded statement of the week under a short id, in rank order."""

from collections.abc import Callable, Mapping, Sequence

from prhub_digest.models.plan import Fact, FactKind
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.stats import Count, Stats
from prhub_digest.models.summary import Figure, PullRequestSummary, Severity, Statement

_STATS_IN_PROMPT = (
    *("pulls", "units", "commits", "areas", "platforms", "types", "labels", "files", "flags", "threads"),
    *("hours_to_first_review", "hours_to_merge"),
)
_PER_GROUP = 12
SEVERITY_ORDER: Mapping[Severity, int] = {"high": 0, "medium": 1, "low": 2}


def facts_of(ranking: Ranking, summaries: Mapping[int, PullRequestSummary]) -> tuple[Fact, ...]:
    """The facts of all pull requests in rank order; a pull request's headline comes first."""
    return tuple(fact for entry in ranking.entries for fact in _facts_of_pull(f"p{entry.place}", summaries[entry.pull]))


def facts_block(
    facts: Sequence[Fact],
    summaries: Mapping[int, PullRequestSummary],
    *,
    budget: int,
    count: Callable[[str], int],
    full: int | None = None,
) -> tuple[str, tuple[int, ...]]:
    """The facts as a planning prompt shows them, within `budget` tokens by `count`.

    Whole blocks while they fit, for at most `full` pull requests, then headlines alone while they fit.

    Returns:
        The text, and the numbers of the pull requests that it does not show at all.
    """
    blocks: dict[int, list[Fact]] = {}
    for fact in facts:
        blocks.setdefault(fact.pull, []).append(fact)
    shown: list[str] = []
    left_out: list[int] = []
    used, whole = 0, True
    for pull, own in blocks.items():
        block = _block(own, summaries[pull])
        whole = whole and len(shown) != full and used + count(block) + 1 <= budget
        if not whole:
            block = _fact_line(own[0])
        if used + count(block) + 1 > budget:
            left_out.append(pull)
            continue
        used += count(block) + 1
        shown.append(block)
    return "\n".join(shown), tuple(left_out)


def dangers_block(facts: Sequence[Fact], *, budget: int, count: Callable[[str], int]) -> str:
    """Risks and open review threads, one a line, the most severe first and in rank order, as many as fit."""
    dangers = [fact for fact in facts if fact.kind in ("risk", "thread")]
    dangers.sort(key=lambda fact: SEVERITY_ORDER[fact.severity or "low"])
    shown: list[str] = []
    for line in map(_fact_line, dangers):
        budget -= count(line) + 1
        if budget < 0:
            break
        shown.append(line)
    return "\n".join(shown)


def stats_block(stats: Stats, cancelled: frozenset[int] = frozenset()) -> str:
    """The statistics that a plan may cite, one a line: path, value, what it is counted out of, and what lasts of it.

    `cancelled` are changes that were taken back, and what took them back.
    """
    shown = (count for group in _STATS_IN_PROMPT for count in stats.group(group)[:_PER_GROUP])
    return "\n".join(_stat_line(count, cancelled) for count in shown)


def figure_text(figure: Figure) -> str:
    """A figure in English words with everything that makes it true."""
    value = f"{figure.value} {figure.unit}".strip()
    parts = [f"{figure.metric}: {value}"]
    if figure.baseline:
        parts.append(f"{'from' if figure.baseline_is == 'before' else 'against'} {figure.baseline}")
    if figure.direction != "none":
        parts.append(figure.direction)
    if figure.condition:
        parts.append(figure.condition)
    parts.append(f"measured by {figure.measured_by}")
    return ", ".join(parts)


def _facts_of_pull(place: str, summary: PullRequestSummary) -> list[Fact]:
    pull = summary.pull

    def said(kind: FactKind, letter: str, statements: Sequence[Statement]) -> list[Fact]:
        return [
            Fact(id=f"{place}.{letter}{number}", kind=kind, pull=pull, text=own.text, evidence=own.evidence)
            for number, own in enumerate(statements, 1)
        ]

    headline = Fact(
        id=f"{place}.h1", kind="headline", pull=pull, text=summary.headline, evidence=summary.headline_evidence
    )
    figures = [
        Fact(
            id=f"{place}.f{number}",
            kind="figure",
            pull=pull,
            text=figure_text(figure),
            evidence=figure.evidence,
            figure=figure,
        )
        for number, figure in enumerate(summary.figures, 1)
    ]
    risks = [
        Fact(
            id=f"{place}.r{number}",
            kind="risk",
            pull=pull,
            text=risk.text,
            evidence=risk.evidence,
            severity=risk.severity,
        )
        for number, risk in enumerate(summary.risks, 1)
    ]
    threads = [
        Fact(
            id=f"{place}.t{number}",
            kind="thread",
            pull=pull,
            text=thread.text,
            thread=thread.thread,
            severity=thread.severity,
        )
        for number, thread in enumerate(summary.unsettled_threads, 1)
    ]
    return [
        headline,
        *said("scope", "s", [summary.scope] if summary.scope else []),
        *said("condition", "w", [summary.condition] if summary.condition else []),
        *said("claim", "c", summary.claims),
        *figures,
        *risks,
        *threads,
    ]


def _block(facts: Sequence[Fact], summary: PullRequestSummary) -> str:
    place = facts[0].id.partition(".")[0]
    head = f"{place} area {summary.area}, {summary.change_type}"
    if summary.default_state in ("on", "off"):
        head += f", {summary.default_state} by default"
    return "\n".join((head, *map(_fact_line, facts)))


def _fact_line(fact: Fact) -> str:
    severity = f" ({fact.severity})" if fact.severity else ""
    return f"{fact.id}{severity} {fact.text}"


def _stat_line(count: Count, cancelled: frozenset[int]) -> str:
    """A time has no part of a whole: what it was measured on is left out."""
    out_of = f" of {count.denominator}" if count.denominator is not None and count.unit != "hours" else ""
    net = f" ({count.net(cancelled)} net of reverts)" if count.cancelled(cancelled) else ""
    return f"{count.path} {count.value}{out_of} {count.unit}{net}"
