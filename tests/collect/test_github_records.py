from datetime import UTC, datetime
from typing import Any

import pytest

from prhub_digest.collect.github_pulls import ListedPull, PullDetail, ThreadAnchor
from prhub_digest.collect.github_records import pull_detail, unread_detail
from prhub_digest.models.pull_request import (
    Comment,
    Commit,
    Completeness,
    FollowUp,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)

REPOSITORY = "aurora-serve/aurora"
URL = "https://github.com/aurora-serve/aurora/pull/7"
HUNK = "@@ -1,2 +1,3 @@\n import os\r\n+import re\r"
ADA = {"__typename": "User", "login": "ada-lin", "name": "Ada Lin"}
BO = {"__typename": "User", "login": "bo-wu", "name": None}
HELPER = {"__typename": "Bot", "login": "review-helper"}


def day(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 2, day, hour, tzinfo=UTC)


def comment(number: int, author: dict[str, Any] | None, body: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"C{number}",
        "author": author,
        "body": body,
        "createdAt": "2026-02-02T00:00:00Z",
        "url": f"{URL}#discussion_r{number}",
        "isMinimized": False,
        "diffHunk": HUNK,
        "commit": {"oid": "b" * 40},
        "originalCommit": {"oid": "a" * 40},
        **fields,
    }


def review(author: dict[str, Any] | None, state: str, body: str, at: str | None) -> dict[str, Any]:
    return {"id": "R", "author": author, "state": state, "body": body, "submittedAt": at}


def thread(*comments: dict[str, Any] | None, **fields: Any) -> dict[str, Any]:
    return {
        "id": "T1",
        "isResolved": False,
        "isOutdated": False,
        "path": "a.py",
        "line": 2,
        "originalLine": 2,
        "originalStartLine": None,
        "diffSide": "RIGHT",
        "resolvedBy": None,
        "comments": {"nodes": list(comments)},
        **fields,
    }


def reference(number: int, merged_at: str | None, name: str = REPOSITORY, kind: str = "PullRequest") -> dict[str, Any]:
    if kind != "PullRequest":
        return {"source": {"__typename": kind}}
    return {
        "source": {
            "__typename": kind,
            "number": number,
            "title": f"Pull {number}",
            "url": f"https://github.com/{name}/pull/{number}",
            "mergedAt": merged_at,
            "repository": {"nameWithOwner": name},
        }
    }


def node(**fields: Any) -> dict[str, Any]:
    """What DETAILS answers for a small pull request."""
    return {
        "id": "PR_7",
        "number": 7,
        "title": "Count lines",
        "body": "",
        "url": URL,
        "createdAt": "2026-02-01T00:00:00Z",
        "mergedAt": "2026-02-03T00:00:00Z",
        "baseRefName": "main",
        "headRefName": "count",
        "headRefOid": "b" * 40,
        "additions": 0,
        "deletions": 0,
        "changedFiles": 0,
        "author": ADA,
        "mergedBy": BO,
        "mergeCommit": {"oid": "c" * 40},
        "labels": {"nodes": []},
        "commits": {"nodes": []},
        "reviews": {"nodes": []},
        "comments": {"nodes": []},
        "reviewThreads": {"nodes": []},
        "timelineItems": {"nodes": []},
        **fields,
    }


FULL = node(
    body="Counts.\r\n\r\n* fast\r\n",
    additions=3,
    deletions=1,
    changedFiles=2,
    labels={"nodes": [{"name": "speed"}, {"name": "core"}]},
    commits={
        "nodes": [
            {
                "commit": {
                    "oid": "a" * 40,
                    "message": "Count\r\n\r\nSlowly.\r\n\r\nCo-authored-by: Cy Park <cy@example.invalid>",
                    "authoredDate": "2026-02-01T01:00:00+01:00",
                    "author": {"name": "Ada Lin", "user": {"login": "ada-lin"}},
                }
            },
            {
                "commit": {
                    "oid": "b" * 40,
                    "message": "Tidy",
                    "authoredDate": "2026-02-02T00:00:00Z",
                    "author": {"name": "tidy-up[bot]", "user": None},
                }
            },
        ]
    },
    reviews={
        "nodes": [
            review(BO, "CHANGES_REQUESTED", "a\r\nb", "2026-02-02T00:00:00Z"),
            review(BO, "PENDING", "not sent", None),
            review(None, "DISMISSED", "", "2026-02-02T00:00:00Z"),
            review(BO, "APPROVED", "", "2026-02-03T00:00:00Z"),
            review(HELPER, "COMMENTED", "ok", "2026-02-02T00:00:00Z"),
        ]
    },
    comments={"nodes": [comment(1, HELPER, "all\r\ngreen", isMinimized=True), comment(2, None, "thanks")]},
    reviewThreads={
        "nodes": [
            thread(comment(3, BO, "why?\r\n"), comment(4, ADA, "see below"), isResolved=True, resolvedBy=BO),
            thread(comment(5, None, "and?"), id="T2", isOutdated=True, line=None, originalLine=9, originalStartLine=7),
        ]
    },
    timelineItems={"nodes": [reference(9, "2026-02-04T00:00:00Z")]},
)


def test_everything_that_is_said_is_in_the_record() -> None:
    bo, ghost = Person(login="bo-wu", kind="human"), Person(kind="deleted")
    ada = Person(login="ada-lin", name="Ada Lin", kind="human")
    helper = Person(login="review-helper", kind="bot")
    tidy = Person(name="tidy-up", kind="bot")

    def said(number: int, author: Person, body: str, *, minimized: bool = False) -> Comment:
        url = f"{URL}#discussion_r{number}"
        return Comment(id=f"C{number}", author=author, body=body, created_at=day(2), url=url, minimized=minimized)

    assert pull_detail(REPOSITORY, FULL, ()) == PullDetail(
        pull=PullRequest(
            number=7,
            title="Count lines",
            body="Counts.\n\n* fast\n",
            url=URL,
            author=ada,
            co_authors=(Person(name="Cy Park"), tidy),
            merged_by=bo,
            created_at=day(1),
            merged_at=day(3),
            base_branch="main",
            head_branch="count",
            merge_commit="c" * 40,
            labels=("speed", "core"),
            commits=(
                Commit(sha="a" * 40, message="Count\n\nSlowly.", author=ada, authored_at=day(1)),
                Commit(sha="b" * 40, message="Tidy", author=tidy, authored_at=day(2)),
            ),
            reviews=(
                Review(author=bo, state="changes_requested", body="a\nb", submitted_at=day(2)),
                Review(author=ghost, state="dismissed", submitted_at=day(2)),
                Review(author=bo, state="approved", submitted_at=day(3)),
                Review(author=helper, state="commented", body="ok", submitted_at=day(2)),
            ),
            threads=(
                ReviewThread(
                    id="T1",
                    path="a.py",
                    line=2,
                    resolved=True,
                    resolved_by=bo,
                    outdated=False,
                    diff_hunk=HUNK,
                    url=f"{URL}#discussion_r3",
                    comments=(said(3, bo, "why?\n"), said(4, ada, "see below")),
                ),
                ReviewThread(
                    id="T2",
                    path="a.py",
                    line=None,
                    resolved=False,
                    outdated=True,
                    diff_hunk=HUNK,
                    url=f"{URL}#discussion_r5",
                    comments=(said(5, ghost, "and?"),),
                ),
            ),
            comments=(said(1, helper, "all\ngreen", minimized=True), said(2, ghost, "thanks")),
            follow_ups=(
                FollowUp(
                    number=9,
                    title="Pull 9",
                    url="https://github.com/aurora-serve/aurora/pull/9",
                    merged_at=day(4),
                ),
            ),
        ),
        head_commit="b" * 40,
        additions=3,
        deletions=1,
        changed_files=2,
        anchors={
            "T1": ThreadAnchor(commit="a" * 40, side="new", lines=1, diff_hunk=HUNK),
            "T2": ThreadAnchor(commit="a" * 40, side="new", lines=3, diff_hunk=HUNK),
        },
    )


def test_nothing_said_is_empty_and_not_unknown() -> None:
    assert pull_detail(REPOSITORY, node(), ()) == PullDetail(
        pull=PullRequest(
            number=7,
            title="Count lines",
            url=URL,
            author=Person(login="ada-lin", name="Ada Lin", kind="human"),
            merged_by=Person(login="bo-wu", kind="human"),
            created_at=day(1),
            merged_at=day(3),
            base_branch="main",
            head_branch="count",
            merge_commit="c" * 40,
            labels=(),
            reviews=(),
            threads=(),
            comments=(),
            follow_ups=(),
        ),
        head_commit="b" * 40,
        additions=0,
        deletions=0,
        changed_files=0,
    )


def test_a_null_list_is_unknown_and_null_places_in_it_are_left_out() -> None:
    names = ("labels", "reviews", "comments", "reviewThreads", "timelineItems")
    pull = pull_detail(REPOSITORY, node(commits=None, **dict.fromkeys(names)), ("labels: not given",)).pull
    assert (pull.labels, pull.reviews, pull.comments, pull.threads, pull.follow_ups) == (None,) * 5
    assert pull.commits == ()
    assert pull.completeness == Completeness(conversation="partial", notes=("labels: not given",))
    pull = pull_detail(REPOSITORY, node(**{name: {"nodes": [None]} for name in (*names, "commits")}), ("x",)).pull
    assert (pull.labels, pull.reviews, pull.comments, pull.threads, pull.follow_ups) == ((),) * 5


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ThreadAnchor("a" * 40, "new", 1, HUNK)),
        ({"diffSide": "LEFT"}, ThreadAnchor("a" * 40, "old", 1, HUNK)),
        ({"originalStartLine": 2, "originalLine": 2}, ThreadAnchor("a" * 40, "new", 1, HUNK)),
        ({"originalStartLine": 2, "originalLine": 5}, ThreadAnchor("a" * 40, "new", 4, HUNK)),
        ({"originalStartLine": 9, "originalLine": 5}, ThreadAnchor("a" * 40, "new", 1, HUNK)),
        ({"originalLine": None}, ThreadAnchor("a" * 40, "new", 0, HUNK)),
    ],
)
def test_where_a_thread_was_opened(fields: dict[str, Any], expected: ThreadAnchor) -> None:
    threads = {"nodes": [thread(comment(1, BO, "x"), comment(2, BO, "y", diffHunk="other"), **fields)]}
    assert pull_detail(REPOSITORY, node(reviewThreads=threads), ()).anchors == {"T1": expected}


def test_an_anchor_takes_the_commit_that_is_known() -> None:
    def commit_of(**fields: Any) -> str | None:
        threads = {"nodes": [thread(comment(1, BO, "x", **fields))]}
        return pull_detail(REPOSITORY, node(reviewThreads=threads), ()).anchors["T1"].commit

    assert commit_of(originalCommit=None) == "b" * 40
    assert commit_of(originalCommit=None, commit=None) is None


@pytest.mark.parametrize(
    ("fields", "line", "resolved_by"),
    [
        ({}, 2, None),
        ({"line": None}, None, None),
        ({"diffSide": "LEFT"}, None, None),
        ({"isResolved": True}, 2, Person(kind="deleted")),
        ({"isResolved": True, "resolvedBy": {}}, 2, None),
        ({"resolvedBy": BO}, 2, None),
    ],
)
def test_a_thread(fields: dict[str, Any], line: int | None, resolved_by: Person | None) -> None:
    threads = pull_detail(
        REPOSITORY, node(reviewThreads={"nodes": [thread(comment(1, BO, "x"), **fields)]}), ()
    ).pull.threads
    assert threads is not None
    assert [(found.line, found.resolved_by) for found in threads] == [(line, resolved_by)]


def test_a_thread_without_comments_is_kept() -> None:
    detail = pull_detail(REPOSITORY, node(reviewThreads={"nodes": [thread(None)]}), ("x",))
    expected = ReviewThread(id="T1", path="a.py", line=2, resolved=False, outdated=False, comments=())
    assert (detail.pull.threads, detail.anchors) == ((expected,), {})


@pytest.mark.parametrize(
    ("actor", "expected"),
    [(None, Person(kind="deleted")), ({}, None), (BO, Person(login="bo-wu", kind="human"))],
)
def test_who_merged(actor: dict[str, Any] | None, expected: Person | None) -> None:
    assert pull_detail(REPOSITORY, node(mergedBy=actor), ()).pull.merged_by == expected


def test_an_author_who_may_not_be_seen_is_not_a_deleted_one() -> None:
    assert pull_detail(REPOSITORY, node(author={}), ("x",)).pull.author == Person(kind="unknown")


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        ([reference(9, "2026-02-03T00:00:00Z")], [9]),  # in the same second
        ([reference(9, "2026-02-02T23:59:59Z")], []),
        ([reference(9, None)], [9]),
        ([reference(6, None)], []),  # opened before
        ([reference(6, "2026-02-04T00:00:00Z")], [6]),  # opened before, merged after
        ([reference(7, "2026-02-03T00:00:00Z"), reference(7, None)], []),  # itself
        ([reference(9, None, "aurora-serve/docs")], []),
        ([reference(9, None, kind="Issue")], []),
        ([{}, {"source": None}, None], []),
        ([reference(12, None), reference(9, None), reference(12, None)], [9, 12]),
    ],
)
def test_follow_ups(references: list[dict[str, Any] | None], expected: list[int]) -> None:
    follow_ups = pull_detail(REPOSITORY, node(timelineItems={"nodes": references}), ()).pull.follow_ups
    assert follow_ups is not None
    assert [found.number for found in follow_ups] == expected


@pytest.mark.parametrize(
    ("body", "expected"), [("", None), (" \r\n", None), ("a\r\nb", "a\nb"), ("a\rb", "a\rb"), (" a\n", " a\n")]
)
def test_the_description(body: str, expected: str | None) -> None:
    assert pull_detail(REPOSITORY, node(body=body), ()).pull.body == expected


def test_no_merge_commit() -> None:
    assert pull_detail(REPOSITORY, node(mergeCommit=None), ()).pull.merge_commit is None


def test_a_pull_request_that_is_only_listed() -> None:
    ada = Person(login="ada-lin", kind="human")
    listed = ListedPull(
        id="PR_7", number=7, title="Count lines", url=URL, author=ada, base_branch="main", head_branch="count",
        created_at=day(1), merged_at=day(3), updated_at=day(4), merge_commit="c" * 40, commits=2, looks_rebased=True,
    )  # fmt: skip
    assert unread_detail(listed, ("conversation: not given by GitHub",)) == PullDetail(
        pull=PullRequest(
            number=7,
            title="Count lines",
            url=URL,
            author=ada,
            created_at=day(1),
            merged_at=day(3),
            base_branch="main",
            head_branch="count",
            merge_commit="c" * 40,
            completeness=Completeness(conversation="partial", notes=("conversation: not given by GitHub",)),
        )
    )
