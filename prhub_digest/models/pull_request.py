"""What a source hands over: the merged pull requests of a period, secrets already masked.

`None` means that the source cannot know; an empty tuple means that there are none.
"""

from typing import Literal

from pydantic import AwareDatetime, Field

from prhub_digest.models.base import Record
from prhub_digest.models.file_kinds import AttributeRule
from prhub_digest.models.filters import Filters, SetAside
from prhub_digest.models.period import Period

FileStatus = Literal["added", "deleted", "modified", "renamed", "copied", "mode_changed"]
# A file, one that can be executed, a symbolic link, and the commit of a submodule, as git writes them.
FileMode = Literal["100644", "100755", "120000", "160000"]
PatchState = Literal["complete", "truncated", "not_given", "binary", "no_text_change", "submodule"]
MergeKind = Literal["merge", "squash", "rebase", "unknown"]
ReviewState = Literal["approved", "changes_requested", "commented", "dismissed", "pending"]


class Person(Record):
    """`login` is the account's name, without the ending `[bot]`; git knows only the `name` that a commit carries.

    A deleted account has neither.
    """

    login: str | None = None
    name: str | None = None
    kind: Literal["human", "bot", "deleted", "unknown"] = "unknown"

    @property
    def label(self) -> str:
        return self.login or self.name or ("ghost" if self.kind == "deleted" else "unknown")


class FileChange(Record):
    """One file of the diff. `patch` holds the hunks alone, from the first `@@` on, LF between lines.

    The modes are None on a side where there is no file, and on both where all there is is an ordinary file, or where
    the source does not tell.
    """

    path: str
    previous_path: str | None = None
    status: FileStatus
    additions: int = Field(ge=0)
    deletions: int = Field(ge=0)
    patch: str | None = None
    patch_state: PatchState = "complete"
    old_mode: FileMode | None = Field(None, exclude_if=lambda mode: mode is None)
    new_mode: FileMode | None = Field(None, exclude_if=lambda mode: mode is None)


class Commit(Record):
    sha: str
    message: str
    author: Person
    authored_at: AwareDatetime | None = None


class Comment(Record):
    id: str
    author: Person
    body: str
    created_at: AwareDatetime | None = None
    url: str | None = None
    minimized: bool = False


class Review(Record):
    author: Person
    state: ReviewState
    body: str = ""
    submitted_at: AwareDatetime | None = None


class ReviewThread(Record):
    """A conversation tied to a line of the diff. `line` is on the new side, None when the line is gone or was deleted.

    `lines_changed_later`: whether the lines it is about were changed between the remark and the merge.
    """

    id: str
    path: str
    line: int | None = None
    resolved: bool | None = None
    resolved_by: Person | None = None
    outdated: bool | None = None
    lines_changed_later: bool | None = None
    diff_hunk: str | None = None
    url: str | None = None
    comments: tuple[Comment, ...]


class Completeness(Record):
    """How much of the pull request the source could read; `notes` say what is missing, for a reader.

    An `uncertain` diff is whole, but its counts are not those that the source names, or it names none.
    """

    diff: Literal["complete", "uncertain", "partial", "missing"] = "complete"
    conversation: Literal["complete", "partial", "unknown"] = "complete"
    notes: tuple[str, ...] = ()


class FollowUp(Record):
    """A pull request of the same repository that names this one; `merged_at` is None when it is not merged."""

    number: int = Field(gt=0)
    title: str
    url: str | None = None
    merged_at: AwareDatetime | None = None


class PullRequest(Record):
    """`first_contribution`: whether its author had none merged before the period."""

    number: int = Field(gt=0)
    title: str
    body: str | None = None
    url: str | None = None
    author: Person
    first_contribution: bool | None = Field(None, exclude_if=lambda first: first is None)
    co_authors: tuple[Person, ...] = ()
    merged_by: Person | None = None
    created_at: AwareDatetime | None = None
    merged_at: AwareDatetime
    base_branch: str | None = None
    head_branch: str | None = None
    merge_kind: MergeKind = "unknown"
    merge_commit: str | None = None
    labels: tuple[str, ...] | None = None
    files: tuple[FileChange, ...] = ()
    commits: tuple[Commit, ...] = ()
    reviews: tuple[Review, ...] | None = None
    threads: tuple[ReviewThread, ...] | None = None
    comments: tuple[Comment, ...] | None = None
    follow_ups: tuple[FollowUp, ...] | None = None
    completeness: Completeness = Completeness()
    masked_secrets: int = Field(default=0, ge=0)

    @property
    def additions(self) -> int:
        return sum(file.additions for file in self.files)

    @property
    def deletions(self) -> int:
        return sum(file.deletions for file in self.files)


class Collection(Record):
    """What `collect` found, beside one file a pull request.

    `repository` is `owner/name`, or `local/<folder>` for a clone; `web_url` is its address for links, when known.
    `direct_commits` counts commits of the period that belong to no pull request; None when the source cannot know.
    `set_aside` are merged pull requests of the period that `filters` keep out of the digest; `numbers` are the others.
    `attributes` are the linguist attributes of its `.gitattributes`, those of upper folders first.
    """

    repository: str
    source: Literal["github", "git", "fixture"]
    web_url: str | None = None
    period: Period
    numbers: tuple[int, ...]
    direct_commits: int | None = None
    head: str | None = None
    filters: Filters = Filters()
    set_aside: tuple[SetAside, ...] = ()
    attributes: tuple[AttributeRule, ...] = Field((), exclude_if=lambda rules: not rules)
    notes: tuple[str, ...] = ()
