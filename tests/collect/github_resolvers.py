"""What the fields of the small schema answer, from the records of the world."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, TypeAlias

from github_actors import Actor, moment
from github_conversation import FakeComment, FakeReview, FakeThread
from github_paging import bad_request, connection
from github_pull import FakeCommit, FakeIssue, FakePull
from github_repository import FakeRepository
from github_search import found_by
from graphql import GraphQLError, GraphQLResolveInfo

Info: TypeAlias = GraphQLResolveInfo[Any]
_SNAKE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TYPES: dict[type, str] = {
    FakeRepository: "Repository",
    FakePull: "PullRequest",
    FakeIssue: "Issue",
    FakeThread: "PullRequestReviewThread",
    FakeReview: "PullRequestReview",
    FakeCommit: "Commit",
}
_MESSAGES = {
    False: "Resource not accessible by personal access token",
    True: "Resource protected by organization SAML enforcement."
    " You must grant your Personal Access token access to this organization.",
}


def resolve(source: Any, info: Info, **arguments: Any) -> Any:
    """The value of a field: what its resolver gives, or the attribute of that name; errors of a scenario first."""
    refused = info.context.scenario.field_errors.get((getattr(source, "id", None), info.field_name))
    if refused:
        kind, extensions = refused
        raise bad_request(kind, _MESSAGES["saml_failure" in extensions], extensions)
    resolver = _RESOLVERS.get((info.parent_type.name, info.field_name))
    if resolver is not None:
        return resolver(source, info, **arguments)
    name = _SNAKE.sub("_", info.field_name).lower()
    value = source[name] if isinstance(source, Mapping) else getattr(source, name)
    return iso(value) if isinstance(value, datetime) else value


def type_name(value: Any) -> str:
    if isinstance(value, Actor):
        return value.kind
    return _TYPES.get(type(value)) or str(value.type_name)


def iso(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _repository(_: Any, info: Info, owner: str, name: str, **__: Any) -> Any:
    unknown = f"Could not resolve to a Repository with the name '{owner}/{name}'."
    return info.context.world.find(f"{owner}/{name}") or bad_request("NOT_FOUND", unknown)


def _node(info: Info, node_id: str) -> Any:
    """The object, or the error that stands in its place."""
    found = None if node_id in info.context.scenario.lost_nodes else info.context.world.node(node_id)
    return found or bad_request("NOT_FOUND", f"Could not resolve to a node with the global id of '{node_id}'.")


def _pull(repository: FakeRepository, _: Info, number: int) -> FakePull | GraphQLError:
    unknown = f"Could not resolve to a PullRequest with the number of {number}."
    return repository.pulls.get(number) or bad_request("NOT_FOUND", unknown)


def _pulls(repository: FakeRepository, _: Info, **arguments: Any) -> dict[str, Any]:
    states = arguments.pop("states", None)
    order = arguments.pop("orderBy", {"field": "CREATED_AT", "direction": "ASC"})
    by = {"UPDATED_AT": "updated_at", "CREATED_AT": "created_at"}[order["field"]]
    found = [pull for pull in repository.pulls.values() if not states or pull.state in states]
    found.sort(key=lambda pull: (getattr(pull, by), pull.number), reverse=order["direction"] == "DESC")
    return connection(found, **arguments)


def _history(commit: FakeCommit, info: Info, **arguments: Any) -> dict[str, Any]:
    """By the time of the committer, both ends included."""
    since, until = arguments.pop("since", None), arguments.pop("until", None)
    hidden = info.context.scenario.hidden_from_history
    found = [
        other
        for other in commit.ancestors()
        if (not since or other.committed_at >= moment(since)) and (not until or other.committed_at <= moment(until))
        if not hidden.intersection(other.pulls)
    ]
    return connection(found, **arguments)


def _merge_commit(pull: FakePull) -> Any:
    """What GitHub says, also about a commit that git has no more."""
    oid, like = pull.merge_commit, pull.landed or pull.commits[-1]
    if oid is None or oid == like.oid:
        return oid and like
    lost = {"type_name": "Commit", "id": f"C_{oid}", "oid": oid}
    kept = ("repository", "message", "headline", "author", "user", "authored_at", "committed_at", "pulls", "parents")
    return SimpleNamespace(**lost, **{name: getattr(like, name) for name in kept})


def _blob(repository: FakeRepository, expression: str) -> SimpleNamespace | None:
    content = repository.store.content(expression)
    return None if content is None else SimpleNamespace(type_name="Blob", id=expression, oid="0" * 40, text=content)


def _commit_of(thread: FakeThread, oid: str | None) -> Any:
    if oid is None:
        return None
    return thread.pull.repository.commit(oid) or SimpleNamespace(type_name="Commit", id=f"C_{oid}", oid=oid)


def _thread_comments(thread: FakeThread) -> list[SimpleNamespace]:
    """`commit` moves along with the head until the line is outdated."""
    original = thread.original_oid
    now = original if thread.is_outdated else thread.pull.head_commit
    commits = {"original_commit": _commit_of(thread, original), "commit": _commit_of(thread, now)}
    return [_comment(thread.pull, comment, diff_hunk=thread.diff_hunk, **commits) for comment in thread.comments]


def _comment(pull: FakePull, comment: FakeComment, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(**vars(comment) | {"url": pull.url + comment.url} | more)


def _timeline(pull: FakePull, _: Info, **arguments: Any) -> dict[str, Any]:
    assert arguments.pop("itemTypes") == ["CROSS_REFERENCED_EVENT"], "the fake knows no other items"
    found = [
        SimpleNamespace(type_name="CrossReferencedEvent", id=f"CRE_{pull.id}_{place}", source=source)
        for place, source in enumerate(pull.references)
    ]
    return connection(found, **arguments)


def _ref(repository: FakeRepository, name: str) -> dict[str, Any] | None:
    branch = name.removeprefix("refs/heads/")
    tip = repository.tips.get(branch)
    return {"id": f"REF_{branch}", "name": branch, "target": tip} if tip else None


def _git_actor(commit: FakeCommit) -> dict[str, Any]:
    user = commit.user if commit.user and commit.user.kind == "User" else None
    return {"name": commit.author.name, "user": user}


def _paged(items: Callable[[Any], Sequence[Any]]) -> Callable[..., Any]:
    return lambda source, _, **page: connection(items(source), **page)


def _told(read: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda source, _: read(source)


_RESOLVERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("Query", "repository"): _repository,
    ("Query", "node"): lambda _, info, **given: _node(info, given["id"]),
    ("Query", "nodes"): lambda _, info, ids: [_node(info, node_id) for node_id in ids],
    ("Query", "rateLimit"): lambda _, info, **__: info.context.rate,
    ("Query", "viewer"): lambda _, info: info.context.world.viewer,
    ("Query", "search"): lambda _, info, **given: found_by(info.context.world, info.context.scenario, **given),
    ("Repository", "nameWithOwner"): _told(lambda repository: repository.name),
    ("Repository", "defaultBranchRef"): _told(lambda repository: _ref(repository, repository.default_branch)),
    ("Repository", "object"): lambda repository, _, expression: _blob(repository, expression),
    ("Repository", "ref"): lambda repository, _, **given: _ref(repository, given["qualifiedName"]),
    ("Repository", "pullRequest"): _pull,
    ("Repository", "pullRequests"): _pulls,
    ("Commit", "history"): _history,
    ("Commit", "associatedPullRequests"): _paged(
        lambda commit: [*(commit.repository.pulls[number] for number in commit.pulls), *commit.foreign_pulls]
    ),
    ("Commit", "authoredDate"): _told(lambda commit: iso(commit.authored_at)),
    ("Commit", "committedDate"): _told(lambda commit: iso(commit.committed_at)),
    ("Commit", "messageHeadline"): _told(lambda commit: commit.headline),
    ("Commit", "author"): _told(_git_actor),
    ("PullRequest", "baseRefName"): _told(lambda pull: pull.base),
    ("PullRequest", "headRefName"): _told(lambda pull: pull.head_branch),
    ("PullRequest", "headRefOid"): _told(lambda pull: pull.head_commit),
    ("PullRequest", "mergeCommit"): _told(_merge_commit),
    ("PullRequest", "labels"): _paged(lambda pull: [{"id": f"LA_{name}", "name": name} for name in pull.labels]),
    ("PullRequest", "commits"): _paged(
        lambda pull: [{"id": f"PRC_{commit.id}", "commit": commit} for commit in pull.commits]
    ),
    ("PullRequest", "reviews"): _paged(lambda pull: pull.reviews),
    ("PullRequest", "comments"): _paged(lambda pull: [_comment(pull, comment) for comment in pull.comments]),
    ("PullRequest", "reviewThreads"): _paged(lambda pull: pull.threads),
    ("PullRequest", "timelineItems"): _timeline,
    ("PullRequestReviewThread", "comments"): _paged(_thread_comments),
}
