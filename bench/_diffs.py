"""Weeks of pull requests with diffs of a given size, made from the lines of this repository's own files."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prhub_digest.models.pull_request import Comment, FileChange, Person, PullRequest, ReviewThread

PULLS = 320
_SEED = 20260602
_MERGED = datetime(2026, 6, 2, tzinfo=UTC)
_ROOT = Path(__file__).parent.parent
# Sizes of diffs are log-normal about; two hundred times as large as the median is then one in a hundred.
_SPREAD = 2.3
_MOST_OF_ALL = 0.15  # of a week in one pull request
_FILE = 24_000
_PLACES = (
    "src/engine/module{}.py",
    "src/server/api{}.py",
    "tests/test_module{}.py",
    "docs/guide{}.md",
    "conf/set{}.yaml",
)


def lines_of_repository() -> list[str]:
    """Python and prose, a fifth of it Chinese or other wide text in comments."""
    paths = sorted([*_ROOT.glob("prhub_digest/**/*.py"), *_ROOT.glob("tests/**/*.py"), *_ROOT.glob("docs/*.md")])
    return [line for path in paths for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def sizes(total: int) -> list[int]:
    """Characters of diff for each pull request of a week: most are small, and a few hold most of it."""
    rng = random.Random(_SEED)
    raw = [rng.lognormvariate(0, _SPREAD) for _ in range(PULLS)]
    capped = [min(size, _MOST_OF_ALL * sum(raw)) for size in raw]
    return [max(200, round(size * total / sum(capped))) for size in capped]


def week(total: int, *, even: bool = False) -> Iterator[PullRequest]:
    """A week with that many characters of diffs, made one pull request at a time."""
    source = lines_of_repository()
    for number, size in enumerate([total // PULLS] * PULLS if even else sizes(total), 1):
        yield pull_request(number, size, source)


def pull_request(number: int, size: int, source: Sequence[str]) -> PullRequest:
    rng = random.Random(_SEED + number)
    patches = [patch(rng, min(_FILE, size - start), source) for start in range(0, size, _FILE)]
    files = tuple(
        FileChange(
            path=_PLACES[index % len(_PLACES)].format(index),
            status="modified",
            additions=text.count("\n+"),
            deletions=text.count("\n-"),
            patch=text,
        )
        for index, text in enumerate(patches)
    )
    author = Person(login=f"author-{number % 40}", kind="human")
    remark = Comment(id=f"c{number}", author=author, body="\n".join(rng.sample(source, 5)))
    return PullRequest(
        number=number,
        title=f"Change number {number}",
        body="\n".join(rng.sample(source, 20)),
        author=author,
        merged_at=_MERGED + timedelta(minutes=number),
        files=files,
        threads=(ReviewThread(id=f"t{number}", path=files[0].path, line=1, resolved=True, comments=(remark,)),),
    )


def patch(rng: random.Random, size: int, source: Sequence[str]) -> str:
    """About `size` characters in hunks of 6 to 60 lines."""
    texts: list[str] = []
    length, position = 0, 1
    while length < size:
        first = rng.randrange(len(source) - 60)
        lines = [rng.choice("++-  ") + line for line in source[first : first + rng.randint(6, 60)]]
        old, new = (sum(line[0] != mark for line in lines) for mark in "+-")
        texts += [f"@@ -{position},{old} +{position},{new} @@ def step():", *lines]
        length += sum(map(len, lines)) + len(lines)
        position += old + 40
    return "\n".join(texts)
