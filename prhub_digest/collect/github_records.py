"""From what GraphQL answered for a pull request, every page of it read, to our records (pure)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from prhub_digest.collect.github_people import co_authors, commit_author, person
from prhub_digest.collect.github_pulls import ListedPull, PullDetail, ThreadAnchor
from prhub_digest.collect.landing import without_trailers
from prhub_digest.models.pull_request import (
    Comment,
    Commit,
    Completeness,
    FollowUp,
    Person,
    PullRequest,
    Review,
    ReviewState,
    ReviewThread,
)

T = TypeVar("T")
_Node = Mapping[str, Any]
_REVIEW_STATES: dict[str, ReviewState] = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "changes_requested",
    "COMMENTED": "commented",
    "DISMISSED": "dismissed",
}


def pull_detail(repository: str, node: _Node, notes: Sequence[str]) -> PullDetail:
    """The record of a pull request without its files; `notes` say what of it could not be read."""
    author = person(node["author"])
    commits = [entry["commit"] for entry in _nodes(node, "commits")]
    threads = _nodes(node, "reviewThreads")
    pull = PullRequest(
        number=node["number"],
        title=node["title"],
        body=_text(node["body"]) if (node["body"] or "").strip() else None,
        url=node["url"],
        author=author,
        co_authors=co_authors(author, commits),
        merged_by=_seen(node["mergedBy"]),
        created_at=_time(node["createdAt"]),
        merged_at=_time(node["mergedAt"]),
        base_branch=node["baseRefName"],
        head_branch=node["headRefName"],
        merge_commit=node["mergeCommit"]["oid"] if node["mergeCommit"] else None,
        labels=_given(node, "labels", (label["name"] for label in _nodes(node, "labels"))),
        commits=tuple(map(_commit, commits)),
        reviews=_given(node, "reviews", _reviews(node)),
        threads=_given(node, "reviewThreads", map(_thread, threads)),
        comments=_given(node, "comments", map(_comment, _nodes(node, "comments"))),
        follow_ups=_given(node, "timelineItems", _follow_ups(repository, node)),
        completeness=_completeness(notes),
    )
    opened = ((thread, first) for thread in threads for first in _nodes(thread, "comments")[:1])
    return PullDetail(
        pull=pull,
        head_commit=node["headRefOid"],
        additions=node["additions"],
        deletions=node["deletions"],
        changed_files=node["changedFiles"],
        anchors={thread["id"]: _anchor(thread, first) for thread, first in opened},
    )


def unread_detail(listed: ListedPull, notes: Sequence[str]) -> PullDetail:
    """What the list showed of a pull request whose details GitHub does not give."""
    pull = PullRequest(
        number=listed.number,
        title=listed.title,
        url=listed.url,
        author=listed.author,
        created_at=listed.created_at,
        merged_at=listed.merged_at,
        base_branch=listed.base_branch,
        head_branch=listed.head_branch,
        merge_commit=listed.merge_commit,
        completeness=_completeness(notes),
    )
    return PullDetail(pull=pull)


def _completeness(notes: Sequence[str]) -> Completeness:
    return Completeness(conversation="partial" if notes else "complete", notes=tuple(notes))


def _commit(commit: _Node) -> Commit:
    return Commit(
        sha=commit["oid"],
        message=without_trailers(_text(commit["message"])) or "",
        author=commit_author(commit["author"]),
        authored_at=_time(commit["authoredDate"]),
    )


def _reviews(node: _Node) -> Iterable[Review]:
    """What was submitted; a pending review is seen by its author alone."""
    for review in _nodes(node, "reviews"):
        if review["state"] in _REVIEW_STATES:
            yield Review(
                author=person(review["author"]),
                state=_REVIEW_STATES[review["state"]],
                body=_text(review["body"]),
                submitted_at=_time(review["submittedAt"]) if review["submittedAt"] else None,
            )


def _comment(comment: _Node) -> Comment:
    return Comment(
        id=comment["id"],
        author=person(comment["author"]),
        body=_text(comment["body"]),
        created_at=_time(comment["createdAt"]),
        url=comment["url"],
        minimized=comment["isMinimized"],
    )


def _thread(thread: _Node) -> ReviewThread:
    comments = _nodes(thread, "comments")
    first = comments[0] if comments else {}
    return ReviewThread(
        id=thread["id"],
        path=thread["path"],
        line=thread["line"] if thread["diffSide"] == "RIGHT" else None,
        resolved=thread["isResolved"],
        resolved_by=_seen(thread["resolvedBy"]) if thread["isResolved"] else None,
        outdated=thread["isOutdated"],
        diff_hunk=first.get("diffHunk") or None,
        url=first.get("url"),
        comments=tuple(map(_comment, comments)),
    )


def _anchor(thread: _Node, first: _Node) -> ThreadAnchor:
    """A remark without a line is about the whole file; one without a start is about a single line."""
    end, start = thread["originalLine"], thread["originalStartLine"]
    seen = first["originalCommit"] or first["commit"]
    return ThreadAnchor(
        commit=seen["oid"] if seen else None,
        side="old" if thread["diffSide"] == "LEFT" else "new",
        lines=0 if end is None else max(end - (start or end) + 1, 1),
        diff_hunk=first["diffHunk"] or "",
    )


def _follow_ups(repository: str, node: _Node) -> Iterable[FollowUp]:
    """Pull requests of the same repository that name this one: merged after it, or opened after it."""
    merged_at, number = _time(node["mergedAt"]), node["number"]
    found: dict[int, FollowUp] = {}
    for reference in _nodes(node, "timelineItems"):
        source = reference.get("source") or {}
        if source.get("__typename") == "PullRequest" and source["repository"]["nameWithOwner"] == repository:
            merged = _time(source["mergedAt"]) if source["mergedAt"] else None
            later = source["number"] > number if merged is None else merged >= merged_at
            if later and source["number"] != number:
                found[source["number"]] = FollowUp(
                    number=source["number"], title=source["title"], url=source["url"], merged_at=merged
                )
    return (found[key] for key in sorted(found))


def _seen(actor: Mapping[str, Any] | None) -> Person | None:
    """A person, None when we may not see who it is."""
    return None if actor == {} else person(actor)


def _given(owner: _Node, connection: str, items: Iterable[T]) -> tuple[T, ...] | None:
    return None if owner.get(connection) is None else tuple(items)


def _nodes(owner: _Node, connection: str) -> list[dict[str, Any]]:
    """The nodes of a connection; it may be null, and so may each of them, where something may not be seen."""
    return [node for node in (owner.get(connection) or {}).get("nodes") or () if node]


def _text(text: str | None) -> str:
    """A text as browsers send it has CR LF between lines."""
    return (text or "").replace("\r\n", "\n")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
