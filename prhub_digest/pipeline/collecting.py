"""collect and chunk: the pull requests into the run folder, then what can be known of them without a model."""

from collections.abc import Iterator

from prhub_digest.chunk import chunk_pull_request, week_coverage
from prhub_digest.collect.source import Source
from prhub_digest.errors import UsageError
from prhub_digest.models.base import Record
from prhub_digest.models.chunk import Chunk, Coverage
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, PullRequest
from prhub_digest.models.run import Failure
from prhub_digest.models.signals import Signals
from prhub_digest.models.stats import Stats
from prhub_digest.pipeline.context import Run
from prhub_digest.run_folder import pull_name
from prhub_digest.signals import compute_signals, compute_stats
from prhub_digest.source_lines import source_lines

COLLECTION, COVERAGE, SIGNALS, STATS = "collection.json", "coverage.json", "signals.json", "stats.json"


class WeekCoverage(Record):
    """`coverage.json`: the coverage of every pull request of the period."""

    pulls: tuple[Coverage, ...]


def collect(run: Run, source: Source, period: Period, *, refresh: bool) -> Collection:
    """The collection, with every pull request stored; what is stored already is not read again."""
    collection = None if refresh or source.rereads else run.folder.read_valid(COLLECTION, Collection)
    if collection is not None and collection.period != period:
        run.console.message(f"the time zone changed to {period.timezone}: collecting again")
        collection = None
    stored: frozenset[int] = frozenset()
    if collection is not None:
        _name_move(run, collection.head, source.head())
        stored = frozenset(number for number in collection.numbers if _stored(run, number))
    else:
        collection = source.collection(period)
    missing = len(collection.numbers) - len(stored)
    if missing:
        with run.console.stage("collect", missing) as progress:
            for pull in source.pull_requests(collection, stored):
                if _stored(run, pull.number) != pull:
                    run.folder.write_record(pull_name(pull.number), pull)
                progress.advance()
    # Written last: a collection without all its pull requests reads as one that is still to be finished.
    run.folder.write_record(COLLECTION, collection)
    inputs = run.hash(collection.to_json(), run.hash_files(tuple(map(pull_name, collection.numbers))))
    if not run.done("collect", inputs, ()):
        with run.recorded("collect", inputs) as cost:
            cost.failures.extend(_incomplete(run, collection))
    return collection


def chunk(run: Run, collection: Collection) -> Signals:
    """Coverage and signals of the period: what the model can see, and what code knows without it."""
    options = run.options
    areas = "\n".join(area.to_json() for area in options.areas)
    budget = f"{options.chunk_tokens} {options.max_chunks} {run.tokenizer.name}"
    inputs = run.hash(run.manifest.stages["collect"].inputs, budget, areas)
    if run.done("chunk", inputs, (COVERAGE, SIGNALS)):
        stored = run.folder.read_valid(SIGNALS, Signals)
        known = {own.pull for own in stored.pulls} if stored else None
        if stored and known == {*collection.numbers} and run.folder.read_valid(COVERAGE, WeekCoverage):
            return stored
    with run.recorded("chunk", inputs):
        coverages = []
        with run.console.stage("chunk", len(collection.numbers)) as progress:
            for number in collection.numbers:
                coverages.append(chunks_of(run, read_pull(run, number))[1])
                progress.advance()
        signals = compute_signals([read_pull(run, number) for number in collection.numbers], options.areas)
        run.folder.write_record(COVERAGE, WeekCoverage(pulls=tuple(coverages)))
        run.folder.write_record(SIGNALS, signals)
        run.update(coverage=week_coverage(coverages))
    return signals


def statistics(run: Run, collection: Collection, signals: Signals) -> Stats:
    """stats.json; `signals` name the areas and types of change that the digest uses."""
    coverage = run.folder.read_record(COVERAGE, WeekCoverage)
    pulls = [read_pull(run, number) for number in collection.numbers]
    stats = compute_stats(collection, pulls, signals, coverage.pulls if coverage else ())
    run.folder.write_record(STATS, stats)
    return stats


def chunks_of(run: Run, pull: PullRequest) -> tuple[tuple[Chunk, ...], Coverage]:
    return chunk_pull_request(
        pull,
        source_lines(pull),
        budget=run.options.chunk_tokens,
        max_chunks=run.options.max_chunks,
        count=run.tokenizer.count,
    )


def read_pull(run: Run, number: int) -> PullRequest:
    """A collected pull request.

    Raises:
        UsageError: its file is gone, damaged, or holds another one.
    """
    name = pull_name(number)
    pull = run.folder.read_record(name, PullRequest)
    if pull is None:
        raise UsageError(f"{run.folder.file(name)} is gone; collect again with --refresh")
    if pull.number != number:
        raise UsageError(f"{run.folder.file(name)} holds pull request {pull.number}; collect again with --refresh")
    return pull


def _incomplete(run: Run, collection: Collection) -> Iterator[Failure]:
    for number in collection.numbers:
        completeness = read_pull(run, number).completeness
        if completeness.diff != "complete":
            reason = "; ".join(completeness.notes) or f"the diff is {completeness.diff}"
            yield Failure(stage="collect", subject=f"pr-{number}", reason=reason)


def _stored(run: Run, number: int) -> PullRequest | None:
    pull = run.folder.read_valid(pull_name(number), PullRequest)
    return pull if pull is not None and pull.number == number else None


def _name_move(run: Run, before: str | None, now: str | None) -> None:
    if before is not None and now is not None and before != now:
        run.console.message(
            f"the repository has moved on since it was collected ({before[:12]} -> {now[:12]});"
            " --refresh collects again"
        )
