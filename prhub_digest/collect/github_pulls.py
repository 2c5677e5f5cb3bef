"""What the steps of the GitHub source hand to each other; foreign text in it is not masked yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from prhub_digest.models.pull_request import FileChange, MergeKind, Person, PullRequest


@dataclass(frozen=True, slots=True)
class ListedPull:
    """A merged pull request as a list shows it. `id` is GitHub's node id.

    `merge_commit` is None when GitHub knows none. `looks_rebased`: the merge commit keeps author, time and subject of
    the last of several commits, as a rebase does; `commits` counts the pull request's own. `gaps` are parts that GitHub
    does not give, each with the reason: these are None, "" or 0, and their author is unknown.
    """

    id: str
    number: int
    title: str
    url: str | None
    author: Person
    base_branch: str | None
    head_branch: str | None
    created_at: datetime | None
    merged_at: datetime
    updated_at: datetime
    merge_commit: str | None
    commits: int
    looks_rebased: bool
    gaps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadAnchor:
    """Where a thread was opened: the end of `diff_hunk` holds the `lines` lines that the remark is about, or 0.

    `side` is that of the lines; `commit` is what the reviewer saw.
    """

    commit: str | None
    side: Literal["old", "new"]
    lines: int
    diff_hunk: str


@dataclass(frozen=True, slots=True)
class PullDetail:
    """A pull request without its files; GitHub's own counts, to check a diff against; anchors by thread id.

    The counts are None when GitHub did not answer for it.
    """

    pull: PullRequest
    head_commit: str | None = None
    additions: int | None = None
    deletions: int | None = None
    changed_files: int | None = None
    anchors: Mapping[str, ThreadAnchor] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PullDiff:
    """The files of a pull request; `state` and `notes` go into its completeness."""

    files: tuple[FileChange, ...]
    state: Literal["complete", "uncertain", "partial", "missing"]
    merge_kind: MergeKind = "unknown"
    notes: tuple[str, ...] = ()
