"""Pull requests made of a few words, for the tests of chunks."""

from datetime import UTC, datetime

from prhub_digest.models.pull_request import FileChange, Person, PullRequest

ANNA = Person(login="anna-dev", kind="human")


def added(path: str, lines: list[str]) -> FileChange:
    return changed(path, [("+", line) for line in lines])


def changed(path: str, *hunks: list[tuple[str, str]]) -> FileChange:
    """A file with one hunk for each list of marks and texts."""
    patch = []
    for index, lines in enumerate(hunks):
        marks = [mark for mark, _ in lines]
        old, new = len(marks) - marks.count("+"), len(marks) - marks.count("-")
        patch.append(f"@@ -{100 * index + (old > 0)},{old} +{100 * index + 1},{new} @@")
        patch += [mark + text for mark, text in lines]
    every = [mark for lines in hunks for mark, _ in lines]
    return FileChange(
        path=path,
        status="modified" if every.count("-") or " " in every else "added",
        additions=every.count("+"),
        deletions=every.count("-"),
        patch="\n".join(patch),
    )


def pull_request(**fields: object) -> PullRequest:
    return PullRequest.model_validate(
        {
            "number": 7,
            "title": "Cache the index",
            "author": ANNA,
            "merged_at": datetime(2026, 6, 3, tzinfo=UTC),
            **fields,
        }
    )
