"""collect and chunk: the pull requests into the run folder, then what can be known of them without a model."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, timedelta

from pydantic import AwareDatetime

from prhub_digest.chunk import chunk_pull_request, week_coverage
from prhub_digest.collect.filters import set_aside
from prhub_digest.collect.source import Source
from prhub_digest.console import counted
from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.base import Record
from prhub_digest.models.chunk import Chunk, Coverage
from prhub_digest.models.filters import SetAside
from prhub_digest.models.people import same_person
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, PullRequest
from prhub_digest.models.run import Failure
from prhub_digest.models.signals import PullRequestSignals, Signals
from prhub_digest.models.stats import Stats
from prhub_digest.pipeline.collected import stored_pull, unused_overrides, without_own_attributes
from prhub_digest.pipeline.context import Run
from prhub_digest.run_folder import pull_name
from prhub_digest.signals import compute_signals, compute_stats

COLLECTING, COLLECTION, PULLS = "collecting.json", "collection.json", "pulls/*.json"
COVERAGE, SIGNALS, STATS = "coverage.json", "signals.json", "stats.json"
# After a day, what was read and what is still to be read are no longer of one time.
_CONTINUED_FOR = timedelta(days=1)
# Characters of a pull request's diff that are kept in memory for comparisons with others of the week.
_LARGEST_DIFF = 100_000


class Collecting(Record):
    """`collecting.json`: a collection that is not finished. What of its pull requests stands in `pulls/` was read."""

    began: AwareDatetime
    collection: Collection


@dataclass(frozen=True, slots=True)
class Conversations:
    """The review threads of a period; `own` are those that the author of the pull request opened."""

    threads: int
    unresolved: int
    own: int


class WeekCoverage(Record):
    """`coverage.json`: the coverage of every pull request of the period."""

    pulls: tuple[Coverage, ...]


def collect(run: Run, source: Source, period: Period, *, refresh: bool) -> Collection:
    """The collection, with every pull request stored; what is stored already is not read again.

    A collection that another run began is continued; `refresh` begins anew when the last one was finished.
    """
    begun = _begun(run, source, period, refresh=refresh)
    collection = begun.collection
    stored = frozenset(number for number in collection.numbers if not source.rereads and _stored(run, number))
    if begun.began < run.began:
        run.console.message(
            f"continuing the collection that began at {_at(begun)}, {len(stored)} of"
            f" {counted(len(collection.numbers), 'pull request')} read; --fresh starts over"
        )
    missing = len(collection.numbers) - len(stored)
    if missing:
        skip = stored | {own.number for own in collection.set_aside}
        with run.console.stage("collect", missing) as progress:
            for pull in source.pull_requests(collection, skip):
                aside = None if source.rereads else set_aside(run.options.filters, pull)
                if aside is not None:
                    collection = _without(collection, aside)
                    run.folder.write_record(COLLECTING, begun.updated(collection=collection))
                elif _stored(run, pull.number) != pull:
                    run.folder.write_record(pull_name(pull.number), pull)
                progress.advance()
    collection = without_own_attributes(collection, (read_pull(run, number) for number in collection.numbers))
    _finish(run, collection)
    for remark in unused_overrides(run.options.overrides, collection):
        run.console.warning(remark)
    inputs = run.hash(collection.to_json(), run.hash_files(tuple(map(pull_name, collection.numbers))))
    if not run.done("collect", inputs, ()):
        with run.recorded("collect", inputs) as cost:
            cost.failures.extend(_incomplete(run, collection))
    return collection


def chunk(run: Run, collection: Collection) -> Signals:
    """Coverage and signals of the period: what the model can see, and what code knows without it."""
    options = run.options
    rules = "\n".join(rule.to_json() for rule in (*options.areas, options.signals, *options.file_kinds))
    budget = f"{options.chunk_tokens} {options.max_chunks} {run.tokenizer.name}"
    inputs = run.hash(run.manifest.stages["collect"].inputs, budget, rules)
    if run.done("chunk", inputs, (COVERAGE, SIGNALS)):
        stored = run.folder.read_valid(SIGNALS, Signals)
        known = {own.pull for own in stored.pulls} if stored else None
        if stored and known == {*collection.numbers} and run.folder.read_valid(COVERAGE, WeekCoverage):
            return stored
    with run.recorded("chunk", inputs):
        signals = compute_signals(
            [_without_large_diff(read_pull(run, number)) for number in collection.numbers],
            options.areas,
            settings=options.signals,
            kinds=FileKinds(options.file_kinds, collection.attributes),
            whole=lambda pull: read_pull(run, pull.number),
        )
        coverages = []
        with run.console.stage("chunk", len(collection.numbers)) as progress:
            for number in collection.numbers:
                coverages.append(chunks_of(run, collection, read_pull(run, number), signals.of(number))[1])
                progress.advance()
        run.folder.write_record(COVERAGE, WeekCoverage(pulls=tuple(coverages)))
        run.folder.write_record(SIGNALS, signals)
        run.update(coverage=week_coverage(coverages))
    return signals


def _without_large_diff(pull: PullRequest) -> PullRequest:
    """A diff that is too large to be held beside those of the whole week is not compared with others."""
    if sum(len(file.patch or "") for file in pull.files) <= _LARGEST_DIFF:
        return pull
    files = tuple(file.model_copy(update={"patch": None}) for file in pull.files)
    return pull.model_copy(update={"files": files})


def statistics(run: Run, collection: Collection, signals: Signals) -> Stats:
    """stats.json; `signals` name the areas and types of change that the digest uses."""
    coverage = run.folder.read_record(COVERAGE, WeekCoverage)
    pulls = [read_pull(run, number) for number in collection.numbers]
    kinds = FileKinds(run.options.file_kinds, collection.attributes)
    stats = compute_stats(collection, pulls, signals, coverage.pulls if coverage else (), kinds=kinds)
    run.folder.write_record(STATS, stats)
    return stats


def chunks_of(
    run: Run, collection: Collection, pull: PullRequest, signals: PullRequestSignals, budget: int | None = None
) -> tuple[tuple[Chunk, ...], Coverage]:
    """The chunks and their coverage; `budget` is set where the model's context is too small for the settings' one.

    Where the settings name no core paths, core are the files of which `signals` learned it.
    """
    options = run.options
    chunks, coverage = chunk_pull_request(
        pull,
        budget=budget or options.chunk_tokens,
        max_chunks=options.max_chunks,
        tokenizer=run.tokenizer,
        kinds=FileKinds(options.file_kinds, collection.attributes),
        core_paths=options.signals.core_paths or signals.core_files,
    )
    return chunks, coverage.updated(chunk_tokens=budget) if budget else coverage


def read_pull(run: Run, number: int) -> PullRequest:
    """A collected pull request.

    Raises:
        UsageError: its file is gone, damaged, or holds another one.
    """
    return stored_pull(run.folder, number)


def conversations(run: Run, collection: Collection) -> Conversations | None:
    """How much was said about lines of the diffs; None when the source knows nothing of it."""
    known = [(pull.author, pull.threads) for pull in (read_pull(run, number) for number in collection.numbers)]
    threads = [(thread, author) for author, own in known for thread in own or ()]
    if all(own is None for _, own in known):
        return None
    return Conversations(
        threads=len(threads),
        unresolved=sum(thread.resolved is False for thread, _ in threads),
        own=sum(same_person(own.comments[0].author, author) is True for own, author in threads if own.comments),
    )


def _begun(run: Run, source: Source, period: Period, *, refresh: bool) -> Collecting:
    """The finished collection, or one that another run began, or a new one."""
    if source.rereads:
        return Collecting(began=run.began, collection=source.collection(period))
    finished = _finished(run, period)
    if finished is None:
        return _unfinished(run, period) or _begin(run, source, period)
    if refresh:
        return _begin(run, source, period)
    _name_move(run, finished.head, source.head())
    return Collecting(began=run.began, collection=finished)


def _finished(run: Run, period: Period) -> Collection | None:
    collection = run.folder.read_valid(COLLECTION, Collection)
    if collection is None:
        return None
    if collection.period != period:
        run.console.message(f"the time zone changed to {period.timezone}: collecting again")
        return None
    if collection.filters != run.options.filters:
        run.console.message("the filters are others than those of the collected pull requests: collecting again")
        return None
    return collection


def _unfinished(run: Run, period: Period) -> Collecting | None:
    begun = run.folder.read_valid(COLLECTING, Collecting)
    if begun is None or (begun.collection.period, begun.collection.filters) != (period, run.options.filters):
        return None
    if timedelta(0) < run.began - begun.began < _CONTINUED_FOR:
        return begun
    run.console.message(f"the collection that began at {_at(begun)} is not continued after a day: collecting again")
    return None


def _at(begun: Collecting) -> str:
    return f"{begun.began.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _begin(run: Run, source: Source, period: Period) -> Collecting:
    """A new collection; as soon as it is listed, nothing of an earlier one is left that could be taken for its own."""
    collection = source.collection(period).updated(filters=run.options.filters)
    for name in (COLLECTION, COLLECTING, PULLS):
        run.folder.discard(name)
    run.mark_begun("collect")
    run.update()  # says whose pull requests these are, should the run be killed
    begun = Collecting(began=run.began, collection=collection)
    run.folder.write_record(COLLECTING, begun)
    return begun


def _without(collection: Collection, aside: SetAside) -> Collection:
    numbers = tuple(number for number in collection.numbers if number != aside.number)
    others = sorted((*collection.set_aside, aside), key=lambda own: own.number)
    return collection.updated(numbers=numbers, set_aside=tuple(others))


def _finish(run: Run, collection: Collection) -> None:
    """Written last: a collection without all its pull requests reads as one that is still to be finished."""
    run.folder.write_record(COLLECTION, collection)
    run.folder.discard(COLLECTING)
    names = {pull_name(number) for number in collection.numbers}
    for path in run.folder.path.glob(PULLS):
        name = path.relative_to(run.folder.path).as_posix()
        if name not in names:
            run.folder.discard(name)


def _incomplete(run: Run, collection: Collection) -> Iterator[Failure]:
    """What could not be read whole; a diff whose counts are only uncertain is noted, but whole."""
    for number in collection.numbers:
        own = read_pull(run, number).completeness
        if own.diff in ("partial", "missing") or own.conversation == "partial":
            reason = "; ".join(own.notes) or f"the diff is {own.diff}, the conversation {own.conversation}"
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
