"""rank: the order of the week by computed scores, and a second look of the model at those that are nearly equal."""

from collections.abc import Sequence
from dataclasses import dataclass

from prhub_digest.errors import PendingReplies, PrhubError, ReplyError, ServiceError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.llm.stub import LeftToRules
from prhub_digest.models.llm import Usage
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.ranking import CompareReply, Comparison, Ranking
from prhub_digest.models.run import Failure
from prhub_digest.models.signals import Signals
from prhub_digest.models.stats import Stats
from prhub_digest.pipeline.collecting import STATS, statistics
from prhub_digest.pipeline.context import Run, StageCost
from prhub_digest.pipeline.summarizing import NO_MODEL, Summaries, told_of_its_end
from prhub_digest.rank import (
    ComparisonGroup,
    candidates,
    comparison_fault,
    comparison_groups,
    comparison_of,
    comparison_request,
)
from prhub_digest.rank import rank as rank_summaries
from prhub_digest.run_folder import inputs_hash

RANKING = "ranking.json"


def rank(run: Run, collection: Collection, summaries: Summaries, signals: Signals) -> tuple[Ranking, Stats]:
    """ranking.json and stats.json; `signals` are those of the summaries.

    A comparison that fails costs only itself: the computed scores decide without it, and run.json names it.

    Raises:
        FatalServiceError: every further call would fail; what was answered is stored.
        BudgetError: the next call could cost more than is left; what was answered is stored.
        PendingReplies: batch files; the requests that wait were written.
    """
    options = run.options
    content = inputs_hash(*(summaries[number].to_json() for number in sorted(summaries)))
    overrides = (override.to_json() for override in options.overrides)
    inputs = run.hash(
        run.manifest.stages["summarize"].inputs, content, str(options.highlights), *overrides, *_model_inputs(run)
    )
    if run.done("rank", inputs, (RANKING, STATS)) and not run.failed("rank"):
        ranking, stats = run.folder.read_valid(RANKING, Ranking), run.folder.read_valid(STATS, Stats)
        known = {entry.pull for entry in ranking.entries} if ranking else None
        if ranking and stats and known == summaries.keys():
            return ranking, stats
    with run.recorded("rank", inputs) as cost, told_of_its_end(run, "rank", inputs, cost):

        def ordered(comparisons: tuple[Comparison, ...] = ()) -> Ranking:
            return rank_summaries(
                tuple(summaries.values()),
                signals,
                highlights=options.highlights,
                overrides=options.overrides,
                comparisons=comparisons,
            )

        ranking = ordered()
        groups = comparison_groups(candidates(ranking, signals), options.highlights, str(collection.period))
        if groups and run.asker is not None and run.builder is not None:
            comparisons = _Comparing(run, collection.repository, summaries, cost).all(groups, run.asker, run.builder)
            ranking = ordered(comparisons).updated(usage=cost.usage)
        stats = statistics(run, collection, signals)
        run.folder.write_record(RANKING, ranking)
    return ranking, stats


@dataclass(frozen=True, slots=True)
class _Comparing:
    run: Run
    repository: str
    summaries: Summaries
    cost: StageCost

    def all(self, groups: Sequence[ComparisonGroup], asker: Asker, builder: RequestBuilder) -> tuple[Comparison, ...]:
        """The comparisons that succeeded, in the order of their groups."""

        def one(group: ComparisonGroup) -> tuple[Comparison, Usage, Usage]:
            request = comparison_request(group, self.summaries, self.repository, builder)
            answer = asker.ask(request, CompareReply, lambda reply: comparison_fault(reply, group))
            return comparison_of(answer.reply, group), answer.usage, answer.paid

        comparisons: dict[str, Comparison] = {}
        pending = 0
        with self.run.console.stage("rank", len(groups)) as progress:
            for group, result in run_bounded(groups, one, self.run.options.concurrency):
                if isinstance(result, PendingReplies):
                    pending += 1
                elif isinstance(result, ReplyError | ServiceError):
                    self._fail(group, result)
                elif isinstance(result, PrhubError):
                    raise result
                else:
                    comparisons[group.subject], usage, paid = result
                    self.cost.add(usage, paid)
                progress.advance()
        if pending:
            raise PendingReplies(f"{pending} of {len(groups)} comparisons wait for their replies")
        return tuple(comparisons[group.subject] for group in groups if group.subject in comparisons)

    def _fail(self, group: ComparisonGroup, error: PrhubError) -> None:
        if isinstance(error, LeftToRules):
            return
        self.run.console.warning(f"{len(group.pulls)} pull requests are ordered without {group.subject}: {error}")
        self.cost.failures.append(Failure(stage="rank", subject=group.subject, reason=str(error)))
        self.cost.add_failed(error)


def _model_inputs(run: Run) -> tuple[str, ...]:
    builder = run.builder
    if builder is None:
        return (NO_MODEL,)
    hashes = builder.hashes()
    prompts = sorted(prompt.id for prompt in builder.prompts.values() if prompt.front.stage == "rank")
    return (builder.models["large"], builder.provider, *(hashes[prompt] for prompt in prompts))
