"""`run.json`: what this run folder was made with and from."""

from typing import Any, Literal

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.llm import Usage

StageName = Literal["collect", "chunk", "summarize", "rank", "compose", "verify", "render"]


class StageRecord(Record):
    """`inputs` is the hash of everything the stage was made from; the same hash again means nothing to do.

    `usage` is what the replies cost when they were made, and how many are stale or stubs; `paid` is the part that this
    run asked for anew. `usage_usd` and `paid_usd` are that in US dollars by the price table of the run, None where a
    price or the tokens are not known. `counted`: calls of this run whose tokens the endpoint did not report, so that
    they were counted here for `paid_usd`.
    """

    inputs: str
    usage: Usage = Usage()
    paid: Usage = Usage()
    usage_usd: float | None = None
    paid_usd: float | None = None
    counted: int = Field(0, exclude_if=lambda calls: not calls)
    seconds: float = 0.0


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
    """`settings` holds no secret. `tokenizer` names the vocabulary and how exact it is for the model."""

    version: str
    repository: str
    period: str
    settings: dict[str, Any]
    prompts: dict[str, str] = Field(default_factory=dict)
    tokenizer: str | None = None
    stages: dict[StageName, StageRecord] = Field(default_factory=dict)
    coverage: CoverageTotals | None = None
    failures: tuple[Failure, ...] = ()

    @property
    def usage(self) -> Usage:
        """That of all replies the folder is made from."""
        return sum((record.usage for record in self.stages.values()), Usage())
