"""The truth that the fake GitHub serves and that tests compare with: plain mutable records, real git behind them.

    world = World()
    repo = world.repository("aurora-serve/aurora")          # default branch "main", with one first commit
    pull = repo.merge_pull(title="Faster", author="ada-lin", merged_at="2026-02-04T10:00:00Z", files={"a.py": "x\\n"})
    pull.thread("a.py", 1, [("bo-wu", "why?"), ("ada-lin", "see below")], resolved=True, resolved_by="ada-lin")
    pull.review("bo-wu", "APPROVED", "fine")
    pull.comment(Bot("ci-helper"), "all green", minimized=True)
    pull.referenced_by(repo.merge_pull(title="Faster still"))
    repo.direct_commit("Fix typo", {"README.md": "hello\\n"}, at="2026-02-05T10:00:00Z")

Authors are logins (a user), `Bot("dependabot")`, `Mannequin("old-ada")`, or None (a deleted account). Times are
datetimes or texts. Numbers count up when none is given. Files are text, bytes, `Blob(text, mode)` or None (removed).
Every attribute may be set afterwards, so that GitHub lies: `pull.merge_commit = None`, `= "f" * 40` (gone),
`pull.additions = 7`, `pull.changed_files = 0`, `pull.body = "a\\r\\nb \\ud83d"`, `pull.state = "CLOSED"`,
`repo.rename("new/name")`. Object names and counts are asked from git when they are first read, in one batch for all
commits made until then.
"""

from github_actors import Actor, Bot, Mannequin, User, When, Who, moment
from github_conversation import FakeComment, FakeReview, FakeThread
from github_pull import FakeCommit, FakeIssue, FakePull
from github_repository import FakeRepository
from github_store import Blob, FakeFile, Files

__all__ = [
    "Actor",
    "Blob",
    "Bot",
    "FakeComment",
    "FakeCommit",
    "FakeFile",
    "FakeIssue",
    "FakePull",
    "FakeRepository",
    "FakeReview",
    "FakeThread",
    "Files",
    "Mannequin",
    "User",
    "When",
    "Who",
    "World",
    "moment",
]


class World:
    """All repositories; `web_url` is set by the server that serves it."""

    def __init__(self) -> None:
        self.web_url = "https://github.invalid"
        self.repositories: list[FakeRepository] = []
        self.viewer = User("digest-reader", "Digest Reader")
        self._last_id = 1000

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def repository(
        self,
        name: str,
        default_branch: str = "main",
        *,
        files: Files | None = None,
        at: When = "2025-11-03T09:00:00Z",
        private: bool = False,
    ) -> FakeRepository:
        """A new repository with one first commit."""
        repository = FakeRepository(self, len(self.repositories) + 1, name, default_branch, private)
        repository.first_commit(files or {"README.md": "# Read me\n"}, moment(at))
        self.repositories.append(repository)
        return repository

    def find(self, name: str) -> FakeRepository | None:
        """By its name of today or an older one, in any case; a name of today wins."""
        wanted = name.lower()
        now = [repo for repo in self.repositories if repo.name.lower() == wanted]
        older = [repo for repo in self.repositories if wanted in map(str.lower, repo.old_names)]
        return next(iter(now + older), None)

    def node(self, node_id: str) -> FakePull | FakeThread | None:
        """The pull request or thread with that GraphQL id."""
        pulls = [pull for repository in self.repositories for pull in repository.pulls.values()]
        things: list[FakePull | FakeThread] = [*pulls, *(thread for pull in pulls for thread in pull.threads)]
        return next((thing for thing in things if thing.id == node_id), None)
