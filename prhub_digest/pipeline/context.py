"""What all stages of one run share, and which of them have nothing to do."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from prhub_digest import __version__
from prhub_digest.console import Console
from prhub_digest.errors import PrhubError
from prhub_digest.llm.ask import FAILED, Asker
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.digest import Language
from prhub_digest.models.file_kinds import KindRule
from prhub_digest.models.filters import Filters
from prhub_digest.models.glossary import Term
from prhub_digest.models.llm import Usage
from prhub_digest.models.ranking import Override
from prhub_digest.models.run import Failure, RunManifest, StageName, StageRecord
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Area
from prhub_digest.pipeline.costs import as_float, stage_price
from prhub_digest.run_folder import RunFolder, inputs_hash
from prhub_digest.tokens import Tokenizer

MANIFEST = "run.json"


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
    """One run folder at work. `asker` and `builder` are None when no model is asked (`--llm none`)."""

    folder: RunFolder
    options: RunOptions
    tokenizer: Tokenizer
    console: Console
    manifest: RunManifest
    builder: RequestBuilder | None = None
    asker: Asker | None = None
    paid: Usage = field(default_factory=Usage)
    began: datetime = field(default_factory=lambda: datetime.now(UTC))

    def start_over(self, keep: str | None = None) -> None:
        """Forget what the folder holds, except files of the pattern `keep`; no stage has been done."""
        self.folder.remove(keep)
        self.manifest = self.manifest.updated(stages={}, failures=(), coverage=None)

    def close(self) -> None:
        """Close the connections to the model."""
        if self.asker is not None:
            self.asker.client.close()

    def done(self, stage: StageName, inputs: str, outputs: tuple[str, ...]) -> bool:
        """Whether the stage was made from just these inputs and all its files are there."""
        record = self.manifest.stages.get(stage)
        return record is not None and record.inputs == inputs and all(map(self._exists, outputs))

    def failed(self, stage: StageName) -> bool:
        """Whether the stage left something undone; then it is tried again."""
        return any(failure.stage == stage for failure in self.manifest.failures)

    @contextmanager
    def recorded(self, stage: StageName, inputs: str) -> Iterator["StageCost"]:
        """Time a stage, and write its record to run.json when it ends well."""
        cost, start = StageCost(), time.monotonic()
        yield cost
        seconds = round(time.monotonic() - start, 3)
        price = stage_price(stage, cost.usage, self.asker, self.builder)
        record = StageRecord(
            inputs=inputs,
            usage=cost.usage,
            paid=cost.paid,
            usage_usd=as_float(price.usd),
            paid_usd=as_float(price.paid.usd),
            counted=price.paid.counted,
            seconds=seconds,
        )
        self.manifest = self.manifest.updated(stages={**self.manifest.stages, stage: record})
        self.keep_failures(stage, cost)
        self.paid += cost.paid

    def keep_failures(self, stage: StageName, cost: "StageCost") -> None:
        """What the stage could not do, in place of what it could not do before."""
        others = tuple(failure for failure in self.manifest.failures if failure.stage != stage)
        self.update(failures=(*others, *cost.ordered_failures))

    def update(self, **changes: object) -> None:
        self.manifest = self.manifest.updated(**changes)
        self.folder.write_record(MANIFEST, self.manifest)

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
            self.add(error.usage, error.usage)
