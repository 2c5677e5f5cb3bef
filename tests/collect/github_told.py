"""What the lists and the details tell of a fake pull request, as records, without asking the fake's GraphQL."""

from github_world import FakeCommit, FakePull

from prhub_digest.collect.github_pulls import ListedPull, PullDetail
from prhub_digest.models.pull_request import Commit, Person, PullRequest


def listed(pull: FakePull) -> ListedPull:
    assert pull.merged_at
    last = pull.commits[-1]
    return ListedPull(
        id=pull.id,
        number=pull.number,
        title=pull.title,
        url=pull.url,
        author=Person(login="ada-lin"),
        base_branch=pull.base,
        head_branch=pull.head_branch,
        created_at=pull.created_at,
        merged_at=pull.merged_at,
        updated_at=pull.updated_at,
        merge_commit=pull.merge_commit,
        commits=len(pull.commits),
        looks_rebased=len(pull.commits) > 1 and pull.landed is not None and _signature(pull.landed) == _signature(last),
    )


def detail(pull: FakePull) -> PullDetail:
    assert pull.merged_at
    record = PullRequest(
        number=pull.number,
        title=pull.title,
        author=Person(login="ada-lin"),
        merged_at=pull.merged_at,
        merge_commit=pull.merge_commit,
        commits=tuple(_commit(commit) for commit in pull.commits),
    )
    return PullDetail(record, pull.head_commit, pull.additions, pull.deletions, pull.changed_files)


def _commit(commit: FakeCommit) -> Commit:
    author = Person(name=commit.author.name)
    return Commit(sha=commit.oid, message=commit.message, author=author, authored_at=commit.authored_at)


def _signature(commit: FakeCommit) -> tuple[object, ...]:
    return commit.author.name, commit.author.when, commit.headline
