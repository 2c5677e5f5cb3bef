"""`run.json`: what this run folder was made with and from."""

from typing import Any, Literal

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.llm import Usage

StageName = Literal["collect", "chunk", "summarize", "rank", "compose", "verify", "render"]
# `begun`: it began again and has not ended. `earlier`: a stage before it did, and it has not had its turn since.
StageState = Literal["done", "begun", "earlier"]


class StageRecord(Record):
    """`inputs` is the hash of everything the stage was made from; the same hash again means nothing to do.

    `usage` is what the replies cost when they were made, and how many are stale or stubs; `usage_usd` is that in US
    dollars by the price table of the run, None where a price or the tokens are not known. `state` is written when it is
    not `done`: then all this tells of an earlier run.
    """

    inputs: str
    usage: Usage = Usage()
    usage_usd: float | None = None
    seconds: float = 0.0
    state: StageState = Field("done", exclude_if=lambda state: state == "done")


class Paid(Record):
    """What calls to the model cost. `usd`: in US dollars by the price table, None where a price is not known.

    `counted`: calls whose tokens the endpoint did not report, so that they were counted here. `unanswered`: further
    calls, which failed or were in flight when the command ended; what an endpoint bills for them nobody says.
    """

    usage: Usage = Usage()
    usd: float | None = 0.0
    counted: int = Field(0, exclude_if=lambda calls: not calls)
    unanswered: int = Field(0, exclude_if=lambda calls: not calls)

    def __add__(self, other: "Paid") -> "Paid":
        return Paid(
            usage=self.usage + other.usage,
            usd=None if self.usd is None or other.usd is None else round(self.usd + other.usd, 6),
            counted=self.counted + other.counted,
            unanswered=self.unanswered + other.unanswered,
        )


class Failure(Record):
    """A subject that a stage could not do, with the reason."""

    stage: StageName
    subject: str
    reason: str


class UnreadFiles(Record):
    """How many files were not shown whole, for one reason."""

    reason: str
    files: int


class CoverageTotals(Record):
    """The sums of `coverage.json`; files are shown in full, in part, by name, or only counted with their folder."""

    pulls: int
    pulls_complete: int
    changed_lines: int
    changed_lines_shown: int
    files: int
    files_full: int
    files_partial: int = 0
    files_by_name: int = 0
    files_folded: int = 0
    tokens: int = 0
    tokens_shown: int = 0
    unread: tuple[UnreadFiles, ...] = ()


class RunManifest(Record):
    """`settings` holds no secret. `tokenizer` names the vocabulary and how exact it is for the model.

    `paid` is what the last command paid the model's endpoint, however it ended; `paid_in_all` is the same of all
    commands since the folder was made or started over. A stage that asked nobody is not in them. `input_ratio` is the
    most input that an endpoint reported for a request in all that time, in parts of what was expected at most.
    """

    version: str
    repository: str
    period: str
    settings: dict[str, Any]
    prompts: dict[str, str] = Field(default_factory=dict)
    tokenizer: str | None = None
    stages: dict[StageName, StageRecord] = Field(default_factory=dict)
    paid: dict[StageName, Paid] = Field(default_factory=dict)
    paid_in_all: dict[StageName, Paid] = Field(default_factory=dict)
    input_ratio: float | None = Field(None, exclude_if=lambda ratio: ratio is None)
    coverage: CoverageTotals | None = None
    failures: tuple[Failure, ...] = ()

    @property
    def usage(self) -> Usage:
        """That of all replies the folder is made from."""
        return sum((record.usage for record in self.stages.values()), Usage())

    def is_done(self, stage: StageName) -> bool:
        """Whether the folder holds what the last run made in this stage, or found made."""
        record = self.stages.get(stage)
        return record is not None and record.state == "done"
