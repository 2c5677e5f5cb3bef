"""A pull request of the fake GitHub and its commits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from github_actors import Actor, When, Who, actor, moment
from github_conversation import FakeComment, FakeReview, FakeThread
from github_store import FakeFile, Files, Signature

if TYPE_CHECKING:
    from github_world import FakeRepository

T = TypeVar("T")


class Told(Generic[T]):
    """A value that git knows; a test may set another, and GitHub then tells that one."""

    def __init__(self, truth: Callable[[Any], T]) -> None:
        self.truth = truth

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> T:
        lies: dict[str, T] = instance.lies
        return lies[self.name] if self.name in lies else self.truth(instance)

    def __set__(self, instance: Any, value: T) -> None:
        instance.lies[self.name] = value


@dataclass(eq=False)
class FakeCommit:
    """`pulls`: the numbers that `associatedPullRequests` names; a test may add more, also `foreign_pulls` of other
    repositories, which GitHub names for the commits of a fork.

    `user` is the account of the author, None when GitHub does not know the address.
    """

    repository: "FakeRepository"
    mark: int
    message: str
    author: Signature
    user: Actor | None
    committed_at: datetime
    parents: "list[FakeCommit]"
    files: Files
    pulls: list[int] = field(default_factory=list)
    foreign_pulls: "list[FakePull]" = field(default_factory=list)

    @property
    def oid(self) -> str:
        return self.repository.store.oid(self.mark)

    @property
    def id(self) -> str:
        return f"C_kw{self.repository.id}x{self.mark}"

    @property
    def authored_at(self) -> datetime:
        return self.author.when

    @property
    def headline(self) -> str:
        return self.message.split("\n", 1)[0]

    def ancestors(self) -> "list[FakeCommit]":
        """This commit and all that it reaches, newest first."""
        waiting, seen = [self], {}
        while waiting:
            commit = waiting.pop()
            if commit.mark not in seen:
                seen[commit.mark] = commit
                waiting += commit.parents
        return sorted(seen.values(), key=lambda commit: (commit.committed_at, commit.mark), reverse=True)


@dataclass(eq=False)
class FakeIssue:
    """An issue that names a pull request: no follow-up."""

    repository: "FakeRepository"
    number: int
    title: str

    @property
    def id(self) -> str:
        return f"I_kw{self.repository.id}x{self.number}"


@dataclass(eq=False)
class FakePull:
    """`state` is OPEN, CLOSED or MERGED; `fork` is the commit of the base branch that the head branch left.

    `landed` is the commit that git has on the base branch; `merge_commit` is what GitHub says.
    """

    repository: "FakeRepository"
    number: int
    title: str
    author: Actor | None
    body: str
    base: str
    head_branch: str
    created_at: datetime
    updated_at: datetime
    labels: list[str]
    fork: FakeCommit
    commits: list[FakeCommit]
    state: str = "OPEN"
    kind: str = ""
    merged_at: datetime | None = None
    merged_by: Actor | None = None
    landed: FakeCommit | None = None
    threads: list[FakeThread] = field(default_factory=list)
    reviews: list[FakeReview] = field(default_factory=list)
    comments: list[FakeComment] = field(default_factory=list)
    references: "list[FakePull | FakeIssue]" = field(default_factory=list)
    lies: dict[str, Any] = field(default_factory=dict)

    merge_commit = Told[str | None](lambda pull: pull.landed.oid if pull.landed else None)
    head_commit = Told[str](lambda pull: pull.commits[-1].oid)
    additions = Told[int](lambda pull: sum(file.additions for file in pull.files))
    deletions = Told[int](lambda pull: sum(file.deletions for file in pull.files))
    changed_files = Told[int](lambda pull: len(pull.files))

    @property
    def id(self) -> str:
        return f"PR_kw{self.repository.id}x{self.number}"

    @property
    def url(self) -> str:
        return f"{self.repository.url}/pull/{self.number}"

    @property
    def merged_or_created(self) -> datetime:
        return self.merged_at or self.created_at

    @cached_property
    def files(self) -> tuple[FakeFile, ...]:
        """What git says between `fork` and the head, as GitHub shows a pull request."""
        return self.repository.diff(self.fork, self.commits[-1])

    def reviewed_oids(self) -> set[str]:
        """The head and the commits that were reviewed."""
        return {self.commits[-1].oid} | {
            thread.original_commit.oid for thread in self.threads if isinstance(thread.original_commit, FakeCommit)
        }

    def thread(
        self,
        path: str,
        line: int | None = 1,
        comments: Sequence[tuple[Who, str]] = (),
        *,
        resolved: bool = False,
        resolved_by: Who = None,
        outdated: bool = False,
        side: str = "RIGHT",
        original_line: int | None = None,
        original_start_line: int | None = None,
        diff_hunk: str | None = None,
        original_commit: str | FakeCommit | int | None = -1,
    ) -> FakeThread:
        """A review thread with its comments. An outdated one has no `line`; `line` then is its original one.

        `original_commit`: a place in the pull request's commits, an object name, or None. `diff_hunk`: by default as
        git gives it for that commit, cut after the line, as GitHub does. `resolved_by` of a resolved thread: None is
        a deleted account.
        """
        thread = FakeThread(
            pull=self,
            id=f"PRRT_kw{self.repository.world.next_id()}",
            path=path,
            line=None if outdated else line,
            original_line=line if original_line is None else original_line,
            original_start_line=original_start_line,
            diff_side=side,
            is_resolved=resolved,
            resolved_by=actor(resolved_by) if resolved else None,
            is_outdated=outdated,
            original_commit=self.commits[original_commit] if isinstance(original_commit, int) else original_commit,
            hunk=diff_hunk,
        )
        for author, body in comments:
            thread.comment(author, body)
        self.threads.append(thread)
        return thread

    def review(
        self, author: Who, state: str = "APPROVED", body: str = "", submitted_at: When | None = None
    ) -> FakeReview:
        """`state` as GitHub spells it: APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING."""
        number = self.repository.world.next_id()
        when = moment(submitted_at) if submitted_at else self.merged_or_created - timedelta(hours=1)
        review = FakeReview(f"PRR_kw{number}", actor(author), state, body, when, number)
        self.reviews.append(review)
        return review

    def comment(
        self, author: Who, body: str, *, minimized: bool = False, created_at: When | None = None
    ) -> FakeComment:
        """A comment on the pull request itself, by default in the hours before the merge."""
        number = self.repository.world.next_id()
        begun = self.merged_or_created - timedelta(hours=3)
        when = moment(created_at) if created_at else begun + timedelta(minutes=len(self.comments))
        name, url = f"IC_kw{number}", f"#issuecomment-{number}"
        comment = FakeComment(name, actor(author), body, when, url, minimized, number)
        self.comments.append(comment)
        return comment

    def referenced_by(self, source: "int | FakePull | FakeIssue") -> None:
        """Another pull request, also of another repository, or an issue names this one."""
        self.references.append(self.repository.pulls[source] if isinstance(source, int) else source)

    def touch(self, when: When | None = None) -> None:
        """Something happens on GitHub: by default this becomes the pull request that was updated last."""
        newest = max(pull.updated_at for pull in self.repository.pulls.values())
        self.updated_at = moment(when) if when else newest + timedelta(seconds=1)
