"""A small week as a fixture folder: pull requests of a few lines each, one with an open review thread."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import (
    Collection,
    Comment,
    FileChange,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)
from prhub_digest.models.signals import Area

PERIOD = Period.from_week("2026-W06")
ADA = Person(login="ada-lin", kind="human")
BO = Person(login="bo-reyes", kind="human")
TITLES = {
    101: "Keep the page queue open while the cache drains",
    102: "Read the settings file before the cache starts",
    103: "Retry a lost page once",
}


def pull_request(number: int, title: str, **changes: Any) -> PullRequest:
    patch = f"@@ -1,2 +1,3 @@\n import pages\n+pages.register(queue, name='item-{number}')\n run()"
    values = {
        "number": number,
        "title": title,
        "body": f"{title}, as discussed in the meeting.",
        "url": f"https://github.example/toy/pages/pull/{number}",
        "author": ADA,
        "merged_by": BO,
        "created_at": datetime(2026, 2, 2, tzinfo=UTC),
        "merged_at": datetime(2026, 2, 3, tzinfo=UTC) + timedelta(minutes=number % 1000),
        "merge_kind": "squash",
        "labels": (),
        "files": (FileChange(path="pages/queue.py", status="modified", additions=1, deletions=0, patch=patch),),
        "reviews": (Review(author=BO, state="approved"),),
        "threads": (),
        "comments": (),
    }
    return PullRequest.model_validate(values | changes)


def open_thread(number: int) -> ReviewThread:
    question = Comment(id=f"C{number}", author=BO, body="What happens when the queue is full?")
    return ReviewThread(
        id=f"T{number}", path="pages/queue.py", line=2, resolved=False, outdated=False, comments=(question,)
    )


def write_week(folder: Path, pulls: dict[int, PullRequest] | None = None, **changes: Any) -> Path:
    """A fixture without replies in `folder`; the default week is that of `TITLES`, whose first has an open thread."""
    if pulls is None:
        pulls = {number: pull_request(number, title) for number, title in TITLES.items()}
        pulls[101] = pulls[101].updated(threads=(open_thread(101),))
    values = {
        "name": folder.name,
        "description": "a small week",
        "collection": Collection(
            repository="toy/pages",
            source="fixture",
            web_url="https://github.example/toy/pages",
            period=PERIOD,
            numbers=tuple(pulls),
            direct_commits=0,
        ),
        "areas": (Area(key="queue", paths=("pages/**",)),),
        "model": "toy",
        "small_model": "toy",
        "provider": "batch-files",
        "chunk_tokens": 1500,
        "max_chunks": 3,
        "highlights": 2,
    }
    manifest = FixtureManifest.model_validate(values | changes)
    (folder / "pulls").mkdir(parents=True)
    (folder / "manifest.json").write_bytes(manifest.to_json().encode())
    for number, pull in pulls.items():
        (folder / "pulls" / f"{number}.json").write_bytes(pull.to_json().encode())
    return folder
