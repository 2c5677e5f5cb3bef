"""What all stages of one run share, and which of them have nothing to do."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import get_args

from prhub_digest import __version__
from prhub_digest.console import Console
from prhub_digest.errors import PrhubError
from prhub_digest.llm.ask import FAILED, Asker
from prhub_digest.llm.client import UnusableReplyError
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.digest import Language
from prhub_digest.models.file_kinds import KindRule
from prhub_digest.models.filters import Filters
from prhub_digest.models.glossary import Term
from prhub_digest.models.llm import Usage
from prhub_digest.models.ranking import Override
from prhub_digest.models.run import Failure, Paid, RunManifest, StageName, StageRecord, StageState
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Area
from prhub_digest.pipeline.costs import added, as_float, highest_ratio, paid_by_stage, stage_price
from prhub_digest.run_folder import RunFolder, inputs_hash
from prhub_digest.tokens import Tokenizer

MANIFEST = "run.json"
# A killed run loses what this long was paid from its run.json; writing it with every answer would slow a fast one.
_SECONDS_BETWEEN_WRITES = 1.0


@dataclass(frozen=True)
class RunOptions:
    """The settings that decide what a run produces. Budgets are in tokens.

    `stand_ins` tells one replay that is not strict from another, and all from a run with replies to just its requests.
    """

    languages: tuple[Language, ...]
    chunk_tokens: int
    max_chunks: int
    compose_tokens: int
    highlights: int
    concurrency: int
    areas: tuple[Area, ...] = ()
    overrides: tuple[Override, ...] = ()
    glossary: tuple[Term, ...] = ()
    signals: SignalSettings = field(default_factory=SignalSettings)
    file_kinds: tuple[KindRule, ...] = ()
    filters: Filters = field(default_factory=Filters)
    stand_ins: str = ""


@dataclass
class Run:
    """One run folder at work. `asker` and `builder` are None when no model is asked (`--llm none`).

    `manifest` is what run.json will say; what it says was paid is brought up to date whenever it is written.
    """

    folder: RunFolder
    options: RunOptions
    tokenizer: Tokenizer
    console: Console
    manifest: RunManifest
    builder: RequestBuilder | None = None
    asker: Asker | None = None
    paid: Usage = field(default_factory=Usage)
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    paid_before: dict[StageName, Paid] = field(init=False)
    ratio_before: float | None = field(init=False)
    _written: RunManifest = field(init=False)
    _wrote: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.paid_before = dict(self.manifest.paid_in_all)
        self.ratio_before = self.manifest.input_ratio
        self._written = self.manifest

    def start_over(self, keep: str | None = None) -> None:
        """Forget what the folder holds, except files of the pattern `keep`; no stage has been done."""
        self.folder.remove(keep)
        self.paid_before, self.ratio_before = {}, None
        self.manifest = self.manifest.updated(stages={}, failures=(), coverage=None)

    def close(self) -> None:
        """Close the connections to the model."""
        if self.asker is not None:
            self.asker.client.close()

    def done(self, stage: StageName, inputs: str, outputs: tuple[str, ...]) -> bool:
        """Whether the stage was made from just these inputs and all its files are there."""
        record = self.manifest.stages.get(stage)
        if record is None or record.inputs != inputs or record.state == "begun" or not all(map(self._exists, outputs)):
            return False
        self._put(stage, record.updated(state="done"))
        return True

    def mark_begun(self, stage: StageName) -> None:
        """From now on the records of this stage and of those after it are of an earlier run; the next write says so."""
        names: tuple[StageName, ...] = get_args(StageName)
        for name in names[names.index(stage) :]:
            record = self.manifest.stages.get(name)
            state: StageState = "begun" if name == stage else "earlier"
            if record is not None and record.state != "begun":
                self._put(name, record.updated(state=state))

    def failed(self, stage: StageName) -> bool:
        """Whether the stage left something undone; then it is tried again."""
        return any(failure.stage == stage for failure in self.manifest.failures)

    @contextmanager
    def recorded(self, stage: StageName, inputs: str) -> Iterator["StageCost"]:
        """Time a stage, and write its record to run.json when it ends well; what it paid, however it ends."""
        self.mark_begun(stage)
        self.keep_paid()
        cost, start = StageCost(), time.monotonic()
        try:
            yield cost
            seconds = round(time.monotonic() - start, 3)
            usd = as_float(stage_price(stage, cost.usage, self.asker, self.builder).usd)
            self._put(stage, StageRecord(inputs=inputs, usage=cost.usage, usage_usd=usd, seconds=seconds))
            self.keep_failures(stage, cost)
            self.paid += cost.paid
        finally:
            self.keep_paid()

    def keep_failures(self, stage: StageName, cost: "StageCost") -> None:
        """What the stage could not do, in place of what it could not do before."""
        others = tuple(failure for failure in self.manifest.failures if failure.stage != stage)
        self.update(failures=(*others, *cost.ordered_failures))

    def update(self, **changes: object) -> None:
        self.manifest = self.manifest.updated(**changes, **self._paid())
        self.folder.write_record(MANIFEST, self.manifest)
        self._written, self._wrote = self.manifest, time.monotonic()

    def keep_paid(self, *, soon: bool = False) -> None:
        """Write run.json if it does not say what is known; `soon`: or within a second, when there is more to say."""
        if soon and time.monotonic() - self._wrote < _SECONDS_BETWEEN_WRITES:
            return
        if self.manifest.updated(**self._paid()) != self._written:
            self.update()

    def _paid(self) -> dict[str, object]:
        now = paid_by_stage(self.asker, self.builder)
        ratio = highest_ratio(self.ratio_before, self.asker)
        return {"paid": now, "paid_in_all": added(self.paid_before, now), "input_ratio": ratio}

    def _put(self, stage: StageName, record: StageRecord) -> None:
        self.manifest = self.manifest.updated(stages={**self.manifest.stages, stage: record})

    def hash(self, *parts: str) -> str:
        """The hash of a stage's inputs; another version of this package is another input."""
        return inputs_hash(__version__, *self.stand_ins, *parts)

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """A part of all inputs: what is made from stale replies or stubs is of use to no other run."""
        return (f"--replay {self.options.stand_ins}",) if self.options.stand_ins else ()

    def hash_files(self, names: tuple[str, ...]) -> str:
        return inputs_hash(*(self.folder.file(name).read_bytes() for name in names))

    def _exists(self, name: str) -> bool:
        return self.folder.file(name).is_file()


@dataclass
class StageCost:
    """`usage` is the stored usage of the replies used, `paid` the part asked for now."""

    usage: Usage = field(default_factory=Usage)
    paid: Usage = field(default_factory=Usage)
    failures: list[Failure] = field(default_factory=list)

    @property
    def ordered_failures(self) -> tuple[Failure, ...]:
        """By subject, `pr-99` before `pr-101`: replies arrive in any order, and the page lists failures."""
        return tuple(sorted(self.failures, key=lambda failure: (len(failure.subject), failure.subject)))

    def add(self, usage: Usage, paid: Usage) -> None:
        self.usage += usage
        self.paid += paid

    def add_failed(self, error: PrhubError) -> None:
        """What was paid for answers that could not be used."""
        if isinstance(error, FAILED):
            before = error.before if isinstance(error, UnusableReplyError) else Usage()
            self.add(before + error.usage, error.usage)
