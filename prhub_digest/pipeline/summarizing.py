"""summarize: each pull request by itself, many at a time, each written as it arrives."""

from collections.abc import Iterator
from contextlib import contextmanager

from prhub_digest.chunk import week_coverage
from prhub_digest.errors import (
    BudgetError,
    FatalServiceError,
    PendingReplies,
    PrhubError,
    ReplyError,
    ServiceError,
    StoreError,
)
from prhub_digest.llm.ask import FAILED, Asker
from prhub_digest.llm.client import ContextLengthError
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.llm import Usage
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.run import Failure, StageName
from prhub_digest.models.signals import Signals
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.pipeline.collecting import COVERAGE, WeekCoverage, chunks_of, read_pull
from prhub_digest.pipeline.context import Run, StageCost
from prhub_digest.run_folder import inputs_hash, summary_name
from prhub_digest.summarize import SummaryTask, chunk_requests, fallback, summarize

NO_MODEL = "no model was asked"
DIGESTS = "digest.*"

Summaries = dict[int, PullRequestSummary]


def summarize_all(run: Run, collection: Collection, signals: Signals) -> Summaries:
    """One summary a pull request; those that fail fall back, are named in run.json, and are tried again next time.

    A pull request that does not fit into the model's context is chunked once more, half as large; its summary and its
    coverage say so.

    Raises:
        ServiceError: not one pull request could be summarized.
        FatalServiceError: every further call would fail; what was answered is stored.
        BudgetError: the next call could cost more than is left; what was answered is stored.
        StoreError: the reply to the next call could not be stored.
        PendingReplies: batch files; the requests that wait were written.
    """
    inputs = run.hash(run.manifest.stages["chunk"].inputs, *_model_inputs(run))
    names = tuple(map(summary_name, collection.numbers))
    if run.done("summarize", inputs, names) and not run.failed("summarize"):
        stored = {number: stored_summary(run, number) for number in collection.numbers}
        if all(stored.values()):
            summaries = {number: summary for number, summary in stored.items() if summary is not None}
            _cover(run, collection, signals, summaries)
            return summaries
    with run.recorded("summarize", inputs) as cost, told_of_its_end(run, "summarize", inputs, cost):
        summaries = _Summarizing(run, collection, signals, cost).all()
        _cover(run, collection, signals, summaries)
    return summaries


@contextmanager
def told_of_its_end(run: Run, stage: StageName, inputs: str, cost: StageCost) -> Iterator[None]:
    """When the stage ends the run: run.json keeps what failed, and no digest stays that was made from other inputs."""
    try:
        yield
    except (FatalServiceError, BudgetError, StoreError):
        before = run.manifest.stages.get(stage)
        if before is None or before.inputs != inputs:
            run.folder.discard(DIGESTS)  # it would read as this run's
        run.keep_failures(stage, cost)
        raise


def stored_summary(run: Run, number: int) -> PullRequestSummary | None:
    """The summary in the folder; None when there is none, or what is there is damaged or another's."""
    summary = run.folder.read_valid(summary_name(number), PullRequestSummary)
    return summary if summary is not None and summary.pull == number else None


def as_summarized(signals: Signals, summaries: Summaries) -> Signals:
    """The signals with each summary's area and type of change, so that the whole digest files a pull request once."""
    pulls = tuple(
        own.updated(area=summaries[own.pull].area, change_type=summaries[own.pull].change_type) for own in signals.pulls
    )
    return signals.updated(pulls=pulls)


class _Summarizing:
    def __init__(self, run: Run, collection: Collection, signals: Signals, cost: StageCost) -> None:
        self.run, self.collection, self.cost = run, collection, cost
        self.signals = {own.pull: own for own in signals.pulls}
        self.summaries: Summaries = {}
        self.pending = 0

    def all(self) -> Summaries:
        run, numbers = self.run, self.collection.numbers
        if run.asker is None or run.builder is None:
            for number in numbers:
                self._keep(number, fallback(self._task(number, None), NO_MODEL), Usage())
            return self.summaries
        asker, builder = run.asker, run.builder
        with run.console.stage("summarize", len(numbers)) as progress:
            results = run_bounded(numbers, lambda number: self._one(number, asker, builder), run.options.concurrency)
            for number, result in results:
                if isinstance(result, PendingReplies):
                    self.pending += 1
                elif isinstance(result, PrhubError):
                    self._fall_back(number, result)
                else:
                    self._keep(number, *result)
                    self._name_smaller(result[0])
                run.keep_paid(soon=True)
                progress.advance(tokens=0 if isinstance(result, PrhubError) else _tokens(result[1]))
        if self.pending:
            raise PendingReplies(f"{self.pending} of {len(numbers)} pull requests wait for their replies")
        self._refuse_if_all_failed()
        return {number: self.summaries[number] for number in numbers}

    def _one(self, number: int, asker: Asker, builder: RequestBuilder) -> tuple[PullRequestSummary, Usage]:
        task = self._task(number, builder)
        stored = stored_summary(self.run, number)
        if stored is not None and stored.status == "summarized" and stored.inputs == task.inputs:
            return stored, Usage()
        try:
            return summarize(task, asker, builder)
        except ContextLengthError as error:
            return self._in_smaller_chunks(task, asker, builder, error)

    def _in_smaller_chunks(
        self, task: SummaryTask, asker: Asker, builder: RequestBuilder, error: ContextLengthError
    ) -> tuple[PullRequestSummary, Usage]:
        """The summary from chunks of half the size; `error` says that those of the settings' size do not fit."""
        budget = self.run.options.chunk_tokens // 2
        half = self._task(task.pull.number, builder, budget)
        if [chunk.text for chunk in half.chunks] == [chunk.text for chunk in task.chunks]:
            raise error
        try:
            summary, paid = summarize(half, asker, builder)
        except FAILED as again:
            again.usage = error.usage + again.usage
            again.args = (f"{again} (in chunks of {budget} tokens, half the usual)",)
            raise
        usage = error.usage + summary.usage
        return summary.updated(inputs=task.inputs, usage=usage, chunk_tokens=budget), error.usage + paid

    def _task(self, number: int, builder: RequestBuilder | None, budget: int | None = None) -> SummaryTask:
        pull = read_pull(self.run, number)
        signals = self.signals[number]
        if builder is None:
            return SummaryTask(pull, (), signals, (), inputs_hash(signals.to_json()))
        chunks = chunks_of(self.run, self.collection, pull, signals, budget)[0]
        kind = ".half" if budget else ""  # a recording keeps one reply a subject, and which request was too long
        requests = chunk_requests(builder, chunks, signals, self.collection.repository, kind=kind)
        inputs = inputs_hash(signals.to_json(), *self.run.stand_ins, *(request.request_hash for request in requests))
        return SummaryTask(pull, chunks, signals, requests, inputs)

    def _name_smaller(self, summary: PullRequestSummary) -> None:
        if summary.chunk_tokens is not None:
            self.run.console.message(
                f"pull request {summary.pull} did not fit into the model's context;"
                f" it was summarized in chunks of {summary.chunk_tokens} tokens"
            )

    def _keep(self, number: int, summary: PullRequestSummary, paid: Usage) -> None:
        self.run.folder.write_record(summary_name(number), summary)
        self.summaries[number] = summary
        self.cost.add(summary.usage, paid)

    def _fall_back(self, number: int, error: PrhubError) -> None:
        """A failed service or an unusable reply costs one pull request its summary; any other error ends the run."""
        if not isinstance(error, ReplyError | ServiceError):
            raise error
        reason = str(error)
        self.cost.failures.append(Failure(stage="summarize", subject=f"pr-{number}", reason=reason))
        self.cost.add_failed(error)
        self._keep(number, fallback(self._task(number, None), reason), Usage())

    def _refuse_if_all_failed(self) -> None:
        """End without a digest; one of an earlier run would read as this run's."""
        failures = self.cost.failures
        if failures and len(failures) == len(self.collection.numbers):
            self.run.folder.discard(DIGESTS)
            self.run.keep_failures("summarize", self.cost)
            raise ServiceError(
                f"none of the {len(failures)} pull requests could be summarized, so there is no digest;"
                f" the last reason: {failures[-1].reason}"
            )


def _cover(run: Run, collection: Collection, signals: Signals, summaries: Summaries) -> None:
    """coverage.json says what was shown of each pull request in chunks of the size that its summary was made from."""
    stored = run.folder.read_record(COVERAGE, WeekCoverage)
    if stored is None or all(own.chunk_tokens == summaries[own.pull].chunk_tokens for own in stored.pulls):
        return
    budgets = {number: summary.chunk_tokens for number, summary in summaries.items()}
    pulls = tuple(
        own
        if own.chunk_tokens == budgets[own.pull]
        else chunks_of(run, collection, read_pull(run, own.pull), signals.of(own.pull), budgets[own.pull])[1]
        for own in stored.pulls
    )
    run.folder.write_record(COVERAGE, WeekCoverage(pulls=pulls))
    run.update(coverage=week_coverage(pulls))


def _model_inputs(run: Run) -> tuple[str, ...]:
    builder = run.builder
    if builder is None:
        return (NO_MODEL,)
    hashes = builder.hashes()
    stage_prompts = sorted(p.id for p in builder.prompts.values() if p.front.stage == "summarize")
    return (builder.models["small"], builder.models["large"], builder.provider, *(hashes[p] for p in stage_prompts))


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
