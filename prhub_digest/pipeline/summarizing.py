"""summarize and rank: each pull request by itself, many at a time, each written as it arrives."""

from typing import NoReturn

from prhub_digest.errors import PendingReplies, PrhubError, ReplyError, ServiceError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.llm import Usage
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.run import Failure
from prhub_digest.models.signals import Signals
from prhub_digest.models.stats import Stats
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.pipeline.collecting import STATS, chunks_of, read_pull, statistics
from prhub_digest.pipeline.context import Run, StageCost
from prhub_digest.rank import rank as rank_summaries
from prhub_digest.run_folder import inputs_hash, summary_name
from prhub_digest.summarize import SummaryTask, chunk_requests, fallback, summarize

RANKING = "ranking.json"
NO_MODEL = "no model was asked"
# A dead endpoint must end the run, not be asked once for every pull request of the week.
_FAILURES_BEFORE_GIVING_UP = 8

Summaries = dict[int, PullRequestSummary]


def summarize_all(run: Run, collection: Collection, signals: Signals) -> Summaries:
    """One summary a pull request; those that fail fall back, are named in run.json, and are tried again next time.

    Raises:
        ServiceError: not one pull request could be summarized.
        PendingReplies: batch files; the requests that wait were written.
    """
    inputs = run.hash(run.manifest.stages["chunk"].inputs, *_model_inputs(run))
    names = tuple(map(summary_name, collection.numbers))
    if run.done("summarize", inputs, names) and not run.failed("summarize"):
        summaries = {number: stored_summary(run, number) for number in collection.numbers}
        if all(summaries.values()):
            return {number: summary for number, summary in summaries.items() if summary is not None}
    with run.recorded("summarize", inputs) as cost:
        return _Summarizing(run, collection, signals, cost).all()


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


def rank(run: Run, collection: Collection, summaries: Summaries, signals: Signals) -> tuple[Ranking, Stats]:
    """ranking.json and stats.json; `signals` are `as_summarized`."""
    options = run.options
    content = inputs_hash(*(summaries[number].to_json() for number in sorted(summaries)))
    inputs = run.hash(run.manifest.stages["summarize"].inputs, content, str(options.highlights))
    if run.done("rank", inputs, (RANKING, STATS)):
        ranking, stats = run.folder.read_valid(RANKING, Ranking), run.folder.read_valid(STATS, Stats)
        known = {entry.pull for entry in ranking.entries} if ranking else None
        if ranking and stats and known == summaries.keys():
            return ranking, stats
    with run.recorded("rank", inputs):
        ranking = rank_summaries(tuple(summaries.values()), signals, highlights=options.highlights)
        stats = statistics(run, collection, signals)
        run.folder.write_record(RANKING, ranking)
    return ranking, stats


class _Summarizing:
    def __init__(self, run: Run, collection: Collection, signals: Signals, cost: StageCost) -> None:
        self.run, self.collection, self.cost = run, collection, cost
        self.signals = {own.pull: own for own in signals.pulls}
        self.areas = tuple(area.key for area in signals.areas)
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
        return summarize(task, asker, builder)

    def _task(self, number: int, builder: RequestBuilder | None) -> SummaryTask:
        pull = read_pull(self.run, number)
        signals = self.signals[number]
        chunks = chunks_of(self.run, pull)[0] if builder else ()
        requests = chunk_requests(builder, chunks, signals, self.collection.repository, self.areas) if builder else ()
        inputs = inputs_hash(signals.to_json(), *(request.request_hash for request in requests))
        return SummaryTask(pull, chunks, signals, self.areas, requests, inputs)

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
        done_well = len(self.summaries) - len(self.cost.failures)
        if isinstance(error, ServiceError) and not done_well and len(self.cost.failures) >= _FAILURES_BEFORE_GIVING_UP:
            self._refuse(f"the first {len(self.cost.failures)} pull requests all failed")

    def _refuse_if_all_failed(self) -> None:
        if self.cost.failures and len(self.cost.failures) == len(self.collection.numbers):
            self._refuse(f"none of the {len(self.cost.failures)} pull requests could be summarized")

    def _refuse(self, what: str) -> NoReturn:
        """End without a digest; one of an earlier run would read as this run's."""
        self.run.folder.discard("digest.*")
        self.run.update(failures=self.cost.ordered_failures)
        raise ServiceError(f"{what}, so there is no digest; the last reason: {self.cost.failures[-1].reason}")


def _model_inputs(run: Run) -> tuple[str, ...]:
    builder = run.builder
    if builder is None:
        return (NO_MODEL,)
    hashes = builder.hashes()
    stage_prompts = sorted(p.id for p in builder.prompts.values() if p.front.stage == "summarize")
    return (builder.models["small"], builder.models["large"], builder.provider, *(hashes[p] for p in stage_prompts))


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
