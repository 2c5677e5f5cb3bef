"""A pull request as a list shows it, or as it is shown by its number."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from prhub_digest.collect.github_api import Answer, GitHubApi, GraphQLProblem
from prhub_digest.collect.github_gaps import part_of, reason
from prhub_digest.collect.github_list_pages import Entry, Node, below, entry, said, whole
from prhub_digest.collect.github_people import person
from prhub_digest.collect.github_pulls import ListedPull
from prhub_digest.collect.github_queries import LISTED_FIELDS, by_number, by_number_in_pieces
from prhub_digest.errors import ServiceError

# What must be shown of it.
LISTED = ("id", "number", "mergedAt", "updatedAt")
_BATCH = 50
_BATCH_IN_PIECES = 10


def listed_pull(node: Node, problems: Iterable[GraphQLProblem] = ()) -> ListedPull:
    """The record of a merged pull request's `Listed` fields; only those of LISTED must be there."""
    commits, merge = node.get("commits") or {}, node.get("mergeCommit")
    count, nodes = commits.get("totalCount") or 0, commits.get("nodes")
    last = nodes[-1]["commit"] if whole(nodes) and nodes else None
    created = node.get("createdAt")
    return ListedPull(
        id=node["id"],
        number=node["number"],
        title=node.get("title") or "",
        url=node.get("url"),
        author=person(node.get("author", {})),
        base_branch=node.get("baseRefName"),
        head_branch=node.get("headRefName"),
        created_at=_moment(created) if created else None,
        merged_at=_moment(node["mergedAt"]),
        updated_at=_moment(node["updatedAt"]),
        merge_commit=merge["oid"] if merge else None,
        commits=count,
        looks_rebased=bool(count > 1 and merge and last and _signature(merge) == _signature(last)),
        gaps=tuple({part_of(problem.path): reason(problem) for problem in problems}.items()),
    )


def look_up(api: GitHubApi, repository: str, numbers: Sequence[int]) -> tuple[ListedPull, ...]:
    """Merged pull requests by their numbers, in the order asked for; what GitHub does not give of one is a gap of it.

    Raises:
        ServiceError: GitHub failed, or does not show one of them at all.
    """
    found: dict[int, ListedPull] = {}
    for batch in _batches(numbers, _BATCH):
        answer = _asked(api, repository, by_number(batch))
        for number in batch:
            name = f"p{number}"
            shown = _entry(answer.data["repository"][name], below(answer.problems, ("repository", name)))
            if shown.node is not None:
                found[number] = listed_pull(shown.node, shown.problems)
    for batch in _batches([number for number in numbers if number not in found], _BATCH_IN_PIECES):
        answer = _asked(api, repository, by_number_in_pieces(batch))
        for number in batch:
            found[number] = _of_pieces(repository, number, answer)
    return tuple(found[number] for number in numbers)


def _batches(numbers: Sequence[int], size: int) -> Iterable[Sequence[int]]:
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def _asked(api: GitHubApi, repository: str, text: str) -> Answer:
    owner, _, name = repository.partition("/")
    answer = api.query(text, {"owner": owner, "name": name})
    outside = [problem for problem in answer.problems if len(problem.path) < 2]
    if outside:
        raise ServiceError(f"{repository}: pull requests cannot be read by their numbers; {said(outside)}; try again")
    return answer


def _of_pieces(repository: str, number: int, answer: Answer) -> ListedPull:
    node: dict[str, Any] = {}
    problems: list[GraphQLProblem] = []
    for piece in range(len(LISTED_FIELDS)):
        name = f"p{number}_{piece}"
        node |= answer.data["repository"][name] or {}
        problems += below(answer.problems, ("repository", name))
    shown = _entry(node, tuple(problems))
    if shown.node is None:
        raise ServiceError(
            f"{repository}: pull request #{number} cannot be shown to this token as a merged one; {said(problems)};"
            " try again, and check what the token may read"
        )
    return listed_pull(shown.node, shown.problems)


def _entry(node: dict[str, Any] | None, problems: tuple[GraphQLProblem, ...]) -> Entry:
    return entry(node, problems, LISTED)


def _signature(commit: Node) -> tuple[str, str | None, str]:
    """What a rebase keeps of a commit."""
    return commit["authoredDate"], (commit["author"] or {}).get("name"), commit["messageHeadline"]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
