"""A repository of the fake GitHub: pull requests that land as GitHub lands them, and what git has of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from github_actors import When, Who, actor, moment, signature
from github_pull import FakeCommit, FakePull
from github_store import FakeFile, Files, Signature, Store

if TYPE_CHECKING:
    from github_world import World

CommitSpec: TypeAlias = tuple[str, Files] | tuple[str, Files, Who]  # message, files, author
_FIRST_MERGE = datetime(2026, 2, 3, 10, tzinfo=UTC)  # a Tuesday of 2026-W06


@dataclass(eq=False)
class FakeRepository:
    """`tips` are the branches; `commits` all commits ever made."""

    world: "World"
    id: int
    name: str
    default_branch: str
    is_private: bool = False
    viewer_permission: str | None = "READ"
    old_names: list[str] = field(default_factory=list)
    pulls: dict[int, FakePull] = field(default_factory=dict)
    tips: dict[str, FakeCommit] = field(default_factory=dict)
    commits: list[FakeCommit] = field(default_factory=list)
    store: Store = field(default_factory=Store)
    _by_oid: dict[str, FakeCommit] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"{self.world.web_url}/{self.name}"

    def rename(self, name: str) -> None:
        """GraphQL follows the old name, REST and git redirect from it."""
        self.old_names.append(self.name)
        self.name = name

    def merge_pull(
        self,
        number: int | None = None,
        *,
        title: str = "Change something",
        author: Who = "ada-lin",
        merged_at: When | None = None,
        created_at: When | None = None,
        updated_at: When | None = None,
        base: str | None = None,
        files: Files | None = None,
        kind: str = "squash",
        commits: Sequence[CommitSpec] | None = None,
        body: str = "",
        labels: Sequence[str] = (),
        merged_by: Who = "kim-tan",
        head_branch: str | None = None,
        message: str | None = None,
        behind: int = 0,
        resolution: Files | None = None,
        dropped: Sequence[int] = (),
    ) -> FakePull:
        """A pull request that landed on `base` as a "squash", "merge" or "rebase".

        `commits` are (message, files) or (message, files, author); without them `files` make up one commit. `behind`:
        how many commits of the base branch the head branch lacks. `resolution`: files that the merge itself changes.
        `dropped`: places of the commits that a rebase leaves out. `message`: of the squash or merge commit.
        `created_at` is by default a day before `merged_at`, `merged_at` ten minutes after the merge before, and
        `updated_at` equal to it.
        """
        merged = moment(merged_at) if merged_at else self._next_merge()
        opened = created_at or merged - timedelta(days=1)
        specs = commits or [(title, files or {})]
        pull = self._opened(number, title, author, opened, base, behind, body, labels, head_branch, specs)
        pull.state, pull.kind, pull.merged_at, pull.merged_by = "MERGED", kind, merged, actor(merged_by)
        pull.updated_at = moment(updated_at) if updated_at else merged
        tip = self.tips[pull.base]
        if kind == "rebase":
            for place, commit in enumerate(pull.commits):
                if place not in dropped:
                    tip = self._land(pull, commit.message, commit.author, commit.user, [tip], commit.files)
            pull.landed = tip
            return pull
        files = {path: file for commit in pull.commits for path, file in commit.files.items()} | dict(resolution or {})
        if kind == "merge":
            text = message or f"Merge pull request #{pull.number} from {pull.head_branch}\n\n{title}"
            parents = [tip, pull.commits[-1]]
            pull.landed = self._land(pull, text, signature(merged_by, merged), merged_by, parents, files)
            return pull
        assert kind == "squash", kind
        text = message or f"{title} (#{pull.number})\n\n{body}".rstrip()
        pull.landed = self._land(pull, text, signature(author, merged), author, [tip], files)
        return pull

    def open_pull(
        self,
        number: int | None = None,
        *,
        title: str = "Try something",
        author: Who = "ada-lin",
        state: str = "OPEN",
        created_at: When | None = None,
        base: str | None = None,
        files: Files | None = None,
        body: str = "",
        labels: Sequence[str] = (),
        head_branch: str | None = None,
    ) -> FakePull:
        """A pull request that did not land: "OPEN" or "CLOSED"."""
        when, specs = created_at or self._next_merge(), [(title, files or {})]
        pull = self._opened(number, title, author, when, base, 0, body, labels, head_branch, specs)
        pull.state = state
        return pull

    def direct_commit(
        self, message: str, files: Files, at: When | None = None, *, author: Who = "ada-lin", branch: str | None = None
    ) -> FakeCommit:
        """A commit of no pull request."""
        when, name = moment(at) if at else self._next_merge(), self._branch(branch)
        tip = self.tips[name]
        return self._commit(f"refs/heads/{name}", message, signature(author, when), author, when, [tip], files, [])

    def first_commit(self, files: Files, when: datetime) -> None:
        """For `World.repository`."""
        ref, author = f"refs/heads/{self.default_branch}", "ada-lin"
        self._commit(ref, "First commit", signature(author, when), author, when, [], files, [])
        self.store.head(self.default_branch)

    def diff(self, base: FakeCommit, head: FakeCommit) -> tuple[FakeFile, ...]:
        """The files of a diff; the git run that reads the first one reads those of all pull requests and threads."""
        wanted = (base.oid, head.oid)
        if not self.store.knows(wanted):
            pairs = {(pull.fork.oid, oid) for pull in self.pulls.values() for oid in pull.reviewed_oids()}
            self.store.read_diffs(pairs | {wanted})
        return self.store.diff(wanted)

    def commit(self, oid: str | None) -> FakeCommit | None:
        """By its object name."""
        if len(self._by_oid) < len(self.commits):
            self._by_oid = {commit.oid: commit for commit in self.commits}
        return self._by_oid.get(oid or "")

    def _branch(self, name: str | None) -> str:
        """The branch; a new one begins at the tip of the default branch."""
        branch = name or self.default_branch
        if branch not in self.tips:
            self.tips[branch] = self.tips[self.default_branch]
            self.store.point(f"refs/heads/{branch}", self.tips[branch].mark)
        return branch

    def _next_merge(self) -> datetime:
        merged = [pull.merged_at for pull in self.pulls.values() if pull.merged_at]
        return max(merged) + timedelta(minutes=10) if merged else _FIRST_MERGE

    def _opened(
        self,
        number: int | None,
        title: str,
        author: Who,
        created_at: When,
        base: str | None,
        behind: int,
        body: str,
        labels: Sequence[str],
        head_branch: str | None,
        specs: Sequence[CommitSpec],
    ) -> FakePull:
        number = number or max(self.pulls, default=0) + 1
        assert number not in self.pulls, number
        branch, created = self._branch(base), moment(created_at)
        fork = self.tips[branch]
        for _ in range(behind):
            fork = fork.parents[0]
        made: list[FakeCommit] = []
        for place, (message, files, *other) in enumerate(specs):
            when, by = created + timedelta(minutes=place), other[0] if other else author
            parents = [made[-1] if made else fork]
            ref = f"refs/pull/{number}/head"
            made.append(self._commit(ref, message, signature(by, when), by, when, parents, files, [number]))
        head, names = head_branch or f"topic-{number}", list(labels)
        pull = FakePull(self, number, title, actor(author), body, branch, head, created, created, names, fork, made)
        self.pulls[number] = pull
        return pull

    def _land(
        self, pull: FakePull, message: str, author: Signature, user: Who, parents: list[FakeCommit], files: Files
    ) -> FakeCommit:
        assert pull.merged_at is not None
        ref = f"refs/heads/{pull.base}"
        return self._commit(ref, message, author, user, pull.merged_at, parents, files, [pull.number])

    def _commit(
        self,
        ref: str,
        message: str,
        author: Signature,
        user: Who,
        when: datetime,
        parents: list[FakeCommit],
        files: Files,
        pulls: list[int],
    ) -> FakeCommit:
        committer = Signature("GitHub", when)
        mark = self.store.commit(ref, message, author, committer, [parent.mark for parent in parents], files)
        commit = FakeCommit(self, mark, message, author, actor(user), when, parents, files, pulls)
        self.commits.append(commit)
        if ref.startswith("refs/heads/"):
            self.tips[ref.removeprefix("refs/heads/")] = commit
        return commit
