"""Small records for the tests of this folder."""

from datetime import UTC, datetime, timedelta
from typing import Any

from prhub_digest.models.pull_request import Comment, FileChange, Person, PullRequest, Review, ReviewState, ReviewThread

MONDAY = datetime(2026, 6, 1, 12, tzinfo=UTC)
AUTHOR = Person(login="ada", kind="human")
REVIEWER = Person(login="bo", kind="human")
BOT = Person(login="review-helper[bot]", kind="bot")


def change(path: str, additions: int = 20, deletions: int = 0, **fields: Any) -> FileChange:
    return FileChange(**{"path": path, "status": "modified", "additions": additions, "deletions": deletions, **fields})


def edit(path: str, *lines: str, section: str = "", **fields: Any) -> FileChange:
    """A file with one hunk from line 1 on; each line begins with `+`, `-` or a blank."""
    added, removed = (sum(line[:1] == sign for line in lines) for sign in "+-")
    kept = len(lines) - added - removed
    patch = "\n".join([f"@@ -1,{kept + removed} +1,{kept + added} @@ {section}".rstrip(), *lines])
    return change(path, added, removed, patch=patch, **fields)


def pull(number: int = 1, *paths: str, **fields: Any) -> PullRequest:
    """A pull request that adds 20 lines to each path; merged `number` minutes after Monday noon."""
    defaults = {
        "number": number,
        "title": f"Change {number}",
        "author": AUTHOR,
        "merged_at": MONDAY + timedelta(minutes=number),
        "files": tuple(change(path) for path in paths),
    }
    return PullRequest(**{**defaults, **fields})


def review(author: Person, state: ReviewState, hour: int = 0) -> Review:
    return Review(author=author, state=state, submitted_at=MONDAY + timedelta(hours=hour))


def thread(*said: tuple[Person, str], **fields: Any) -> ReviewThread:
    comments = tuple(
        Comment(id=f"c{place}", author=author, body=body) for place, (author, body) in enumerate(said, start=1)
    )
    return ReviewThread(**{"id": "t1", "path": "core/queue.py", "line": 8, "comments": comments, **fields})
