"""What the flags of one pull request are decided on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import ThreadOutcome
from prhub_digest.models.summary import ChangeType
from prhub_digest.signals.change_types import change_type
from prhub_digest.signals.changes import BY_PATH, NOISE, file_diffs
from prhub_digest.signals.file_diffs import FileDiff
from prhub_digest.signals.file_places import is_for_developers
from prhub_digest.signals.symbols import Symbol, exported
from prhub_digest.signals.threads import thread_outcomes

DEFAULTS = SignalSettings()


@dataclass(frozen=True)
class Subject:
    """A pull request with its files read."""

    pull: PullRequest
    files: tuple[FileDiff, ...]
    change_type: ChangeType
    threads: tuple[ThreadOutcome, ...] | None
    settings: SignalSettings

    @classmethod
    def read(
        cls,
        pull: PullRequest,
        settings: SignalSettings = DEFAULTS,
        kinds: FileKinds = BY_PATH,
        week: Sequence[PullRequest] = (),
    ) -> Self:
        """`week` are the pull requests that may take up a review thread of this one."""
        files = file_diffs(pull, kinds)
        return cls(pull, files, change_type(pull, files), thread_outcomes(pull, week, settings), settings)

    @cached_property
    def source(self) -> tuple[FileDiff, ...]:
        """Files of code that users run."""
        return tuple(
            file
            for file in self.files
            if file.kind == "source" and not file.support and not is_for_developers(file.path)
        )

    @cached_property
    def symbols(self) -> Mapping[str, tuple[tuple[tuple[Symbol, ...], tuple[Symbol, ...]], ...]]:
        """By path of a source file: of each hunk, the exported symbols of the old and of the new side."""
        return {
            file.path: tuple(
                (
                    tuple(exported(file.path, hunk.old, hunk.section)),
                    tuple(exported(file.path, hunk.new, hunk.section)),
                )
                for hunk in file.hunks
            )
            for file in self.files
            if file.kind == "source"
        }

    @property
    def product(self) -> Iterator[FileDiff]:
        """Edited files that are part of what users run or set: no tests, documentation, examples and noise."""
        return (
            file
            for file in self.files
            if file.kind not in NOISE | {"test", "docs"} and not file.support and file.edited and not file.tests
        )
