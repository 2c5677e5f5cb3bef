"""What people say on a pull request of the fake GitHub."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from github_actors import Actor, When, Who, actor, moment

if TYPE_CHECKING:
    from github_pull import FakeCommit, FakePull


@dataclass(eq=False)
class FakeComment:
    """Of a pull request or of a thread; `url` is its end, after the address of the pull request."""

    id: str
    author: Actor | None
    body: str
    created_at: datetime
    url: str
    is_minimized: bool
    rest_id: int


@dataclass(eq=False)
class FakeReview:
    id: str
    author: Actor | None
    state: str
    body: str
    submitted_at: datetime | None
    rest_id: int


@dataclass(eq=False)
class FakeThread:
    """`line` is None when outdated. `original_commit` was reviewed. `hunk`: None is as git gives it."""

    pull: "FakePull"
    id: str
    path: str
    line: int | None
    original_line: int | None
    original_start_line: int | None
    diff_side: str
    is_resolved: bool
    resolved_by: Actor | None
    is_outdated: bool
    original_commit: "str | FakeCommit | None"
    hunk: str | None
    comments: list[FakeComment] = field(default_factory=list)

    @property
    def original_oid(self) -> str | None:
        commit = self.original_commit
        return commit if commit is None or isinstance(commit, str) else commit.oid

    @property
    def diff_hunk(self) -> str:
        """The hunk that GitHub shows with every comment: the last line is the one that the thread is about."""
        if self.hunk is None:
            self.hunk = self._hunk_of_git()
        return self.hunk

    def comment(
        self, author: Who, body: str, *, minimized: bool = False, created_at: When | None = None
    ) -> FakeComment:
        """One more comment, by default two hours before the merge and a minute after the comment before."""
        number = self.pull.repository.world.next_id()
        begun = self.pull.merged_or_created - timedelta(hours=2)
        when = moment(created_at) if created_at else begun + timedelta(minutes=len(self.comments))
        name, url = f"PRRC_kw{number}", f"#discussion_r{number}"
        comment = FakeComment(name, actor(author), body, when, url, minimized, number)
        self.comments.append(comment)
        return comment

    def _hunk_of_git(self) -> str:
        commit, line = self.pull.repository.commit(self.original_oid), self.original_line
        if commit is None or line is None:
            return ""
        files = self.pull.repository.diff(self.pull.fork, commit)
        patches = [file.patch for file in files if file.path == self.path and file.patch]
        return cut_after(patches[0].decode("utf-8", "replace"), line, self.diff_side) if patches else ""


def cut_after(patch: str, line: int, side: str) -> str:
    """The hunk that holds the line of that side, cut after it; "" when none does."""
    place, own, other = (2, "+", "-") if side == "RIGHT" else (1, "-", "+")
    hunk: list[str] = []
    at = 0
    for text in patch.split("\n"):
        if text.startswith("@@"):
            hunk, at = [], int(text.split(" ")[place][1:].split(",")[0]) - 1
        hunk.append(text)
        at += text[:1] in (" ", own)
        if at == line and text[:1] not in (other, "\\", "@"):
            return "\n".join(hunk)
    return ""
