"""Chunks of one pull request -> one structured summary: one call for most, several merged by code for large ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from prhub_digest.errors import PendingReplies
from prhub_digest.evidence import EvidenceIndex
from prhub_digest.hygiene import clean_title
from prhub_digest.llm.ask import FAILED, Answer, Asker, R
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.chunk import Chunk, SourceLine
from prhub_digest.models.llm import LogicalRequest, Usage
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signals import PullRequestSignals
from prhub_digest.models.summary import HeadlineReply, PullRequestSummary, Statement, SummaryReply
from prhub_digest.summarize.grounding import Grounded, ground, unsettled_thread_ids
from prhub_digest.summarize.merge import all_unsettled_threads, merge, rule_scores
from prhub_digest.summarize.numbers import foreign_numbers


@dataclass(frozen=True)
class SummaryTask:
    """One pull request with everything its summary is made from; `inputs` changes when any of that does."""

    pull: PullRequest
    chunks: tuple[Chunk, ...]
    signals: PullRequestSignals
    requests: tuple[LogicalRequest, ...]
    inputs: str


def chunk_requests(
    builder: RequestBuilder,
    chunks: Sequence[Chunk],
    signals: PullRequestSignals,
    repository: str,
    *,
    kind: str = "",
) -> tuple[LogicalRequest, ...]:
    """One request a chunk, which shows the areas that rules leave open.

    The subject is `pr-<number><kind>`, with `.<index>` when there are several.
    """
    return tuple(
        builder.build(
            "summarize_pr",
            subject=f"pr-{chunk.pull}{kind}" + (f".{chunk.index}" if chunk.total > 1 else ""),
            values={
                "repository": repository,
                "areas": ", ".join(signals.area_candidates),
                "part": f"{chunk.index} of {chunk.total}",
                "threads": _thread_list(signals, chunk),
                "change": chunk.text,
            },
        )
        for chunk in chunks
    )


def summarize(task: SummaryTask, asker: Asker, builder: RequestBuilder) -> tuple[PullRequestSummary, Usage]:
    """The summary, and the usage that was paid for now (stored replies cost nothing).

    Raises:
        PendingReplies: batch files; replies of its chunks are awaited.
        ReplyError: a reply of one of its chunks cannot be used; the caller falls back for the whole pull request.
            Its usage counts what was paid for the other chunks too.
    """
    spent = _Spent()
    try:
        return _summarized(task, asker, builder, spent), spent.paid
    except FAILED as error:
        error.usage = spent.paid + error.usage
        raise


@dataclass(slots=True)
class _Spent:
    """On the answers of one pull request: when they were made, and now."""

    usage: Usage = field(default_factory=Usage)
    paid: Usage = field(default_factory=Usage)

    def add(self, answer: Answer[R]) -> R:
        self.usage, self.paid = self.usage + answer.usage, self.paid + answer.paid
        return answer.reply


def _summarized(task: SummaryTask, asker: Asker, builder: RequestBuilder, spent: _Spent) -> PullRequestSummary:
    replies, parts = [], []
    pending: PendingReplies | None = None
    for chunk, request in zip(task.chunks, task.requests, strict=True):
        try:
            reply = spent.add(asker.ask(request, SummaryReply))
        except PendingReplies as waiting:
            pending = waiting  # all parts go into one round of batch files
            continue
        replies.append(reply)
        parts.append(ground(reply, chunk.lines, task.signals))
    if pending is not None:
        raise pending
    merged = merge(parts)
    if len(parts) > 1:
        merged.headline = _headline(task, parts, asker, builder, spent) or merged.headline
    return _summary(task, merged, tuple(replies), spent.usage)


def fallback(task: SummaryTask, reason: str) -> PullRequestSummary:
    """What rules and the pull request's own title say, marked as such."""
    return PullRequestSummary(
        pull=task.pull.number,
        status="fallback",
        reason=reason,
        inputs=task.inputs,
        headline=_title(task),
        change_type=task.signals.change_type,
        area=task.signals.area,
        unsettled_threads=all_unsettled_threads((), task.signals),
        scores=rule_scores(task.signals),
    )


def _thread_list(signals: PullRequestSignals, chunk: Chunk) -> str:
    threads = unsettled_thread_ids(signals, chunk.lines)
    if not threads:
        return "none"
    return ", ".join(f"{name} ({own.outcome}, at least {own.severity})" for name, own in threads.items())


def _area(task: SummaryTask, merged: Grounded) -> str:
    """What the model chose of the areas that rules leave open, else the rules' best."""
    return merged.area or task.signals.area


def _title(task: SummaryTask) -> str:
    """The title after hygiene, whole: a chunk may show the model less of it."""
    return clean_title(task.pull.title)


def _headline(
    task: SummaryTask, parts: Sequence[Grounded], asker: Asker, builder: RequestBuilder, spent: _Spent
) -> Statement | None:
    """One headline for several parts; None when it says what no line of the pull request holds."""
    statements = [part.headline.text for part in parts if part.headline]
    statements += [claim.text for part in parts for claim in part.claims]
    request = builder.build(
        "headline",
        subject=f"pr-{task.pull.number}",
        values={"statements": "\n".join([_title(task), *statements])},
    )
    text = spent.add(asker.ask(request, HeadlineReply)).headline
    lines: dict[str, SourceLine] = {line.id: line for chunk in task.chunks for line in chunk.lines}
    evidence = EvidenceIndex(tuple(lines.values())).locate("", "", text)
    if evidence is None or foreign_numbers(text, evidence.quote, _title(task)):
        return None
    return Statement(text=text, evidence=evidence)


def _summary(
    task: SummaryTask, merged: Grounded, replies: tuple[SummaryReply, ...], usage: Usage
) -> PullRequestSummary:
    return PullRequestSummary(
        pull=task.pull.number,
        status="summarized",
        inputs=task.inputs,
        headline=merged.headline.text if merged.headline else _title(task),
        headline_evidence=merged.headline.evidence if merged.headline else None,
        change_type=task.signals.change_type if usage.stubs else replies[0].change_type,
        area=_area(task, merged),
        scope=merged.scope,
        condition=merged.condition,
        default_state=merged.default_state,
        claims=tuple(merged.claims),
        figures=tuple(merged.figures),
        risks=tuple(merged.risks),
        unsettled_threads=all_unsettled_threads(merged.threads, task.signals),
        scores=tuple(merged.scores),
        dropped=tuple(merged.dropped),
        replies=replies,
        usage=usage,
    )
