"""What stands before the diff in the first chunk: file list, description, review threads and comments."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from prhub_digest.chunk.measure import Item, Measure, tokens_of
from prhub_digest.models.pull_request import FileChange
from prhub_digest.source_lines import shown_path


class Thread(NamedTuple):
    """The lines of a review thread; `resolved` is None where the source does not know."""

    resolved: bool | None
    items: Sequence[Item]


def file_list(files: Sequence[tuple[FileChange, Item]], measure: Measure, limit: int) -> list[Item]:
    """Every file by name, or, of a list beyond the limit, as many as half of it holds and the rest by folder.

    `files` come in the order of what tells most.
    """
    items = [item for _, item in files]
    if tokens_of(items) <= limit:
        return sorted(items, key=_number)
    named: list[Item] = []
    room = limit // 2
    while len(named) < len(items) and items[len(named)].tokens <= room:
        room -= items[len(named)].tokens
        named.append(items[len(named)])
    rest = [file for file, _ in files[len(named) :]]
    for depth in (3, 2, 1, 0):
        folded = [measure.mark(text) for text in _folders(rest, depth)]
        if tokens_of(folded) <= limit - tokens_of(named):
            return [*named, *folded]
    return named


def _number(item: Item) -> int:
    return int(item.id[1:]) if item.lines else 0


def _folders(files: Iterable[FileChange], depth: int) -> list[str]:
    """A line per folder, of paths cut to `depth` folders; depth 0 is one line for all."""
    groups: dict[str, list[FileChange]] = defaultdict(list)
    for file in files:
        groups["/".join(file.path.split("/")[:-1][:depth])].append(file)
    return [f"… {_folder_name(name, depth)}{_counts(groups[name])}" for name in sorted(groups)]


def _folder_name(name: str, depth: int) -> str:
    return f"{shown_path(name)}/: " if name else ("top folder: " if depth else "")


def _counts(files: Sequence[FileChange]) -> str:
    added, deleted = sum(file.additions for file in files), sum(file.deletions for file in files)
    status = ", ".join(f"{number} {status}" for status, number in Counter(file.status for file in files).most_common())
    return f"{len(files)} more {'file' if len(files) == 1 else 'files'} ({status}), +{added} -{deleted}"


def description(items: Sequence[Item], measure: Measure, limit: int) -> list[Item]:
    """The beginning of the description within the limit, and how much is missing."""
    if not items or tokens_of(items) <= limit:
        return list(items)
    mark = measure.mark(f"… {len(items)} lines left out")
    kept: list[Item] = []
    room = limit - mark.tokens
    for item in items:
        if item.tokens > room:
            break
        room -= item.tokens
        kept.append(item)
    if not kept and (clipped := measure.fitted(items[0], room)) is not None:
        kept = [clipped]
    rest = len(items) - len(kept)
    if rest == 0 or mark.tokens > limit:
        return kept
    return [*kept, measure.mark(f"… {rest} lines left out")]


def conversation(
    threads: Sequence[Thread],
    comments: Sequence[Sequence[Item]],
    measure: Measure,
    limit: int,
) -> list[Item]:
    """Threads, unresolved ones first, then comments; each whole, or its middle left out, or counted in a mark."""
    ranks = {False: 0, None: 1, True: 2}
    ordered = [thread.items for thread in sorted(threads, key=lambda thread: ranks[thread.resolved])]
    blocks = [*ordered, *comments]
    if tokens_of(item for block in blocks for item in block) <= limit:
        return [item for block in blocks for item in block]
    kept: list[Item] = []
    left_out = [0, 0]
    room = limit - measure.mark(_left_out(len(threads), len(comments))).tokens
    share = limit // 2 if len(blocks) > 1 else limit
    for index, block in enumerate(blocks):
        shortened = _shortened(block, measure, min(room, share))
        if not shortened:
            left_out[index >= len(ordered)] += 1
        room -= tokens_of(shortened)
        kept += shortened
    return [*kept, measure.mark(_left_out(*left_out))] if any(left_out) and room >= 0 else kept


def _left_out(threads: int, comments: int) -> str:
    parts = [f"{threads} review threads"] * bool(threads) + [f"{comments} reviews or comments"] * bool(comments)
    return f"… {' and '.join(parts)} left out"


def _shortened(block: Sequence[Item], measure: Measure, limit: int) -> list[Item]:
    """A thread or comment within the limit: the longest beginning and end; empty when not even two lines fit."""
    if tokens_of(block) <= limit:
        return list(block)
    room = limit - measure.mark(f"… {len(block)} lines left out").tokens
    first, last = 0, len(block)
    while first < last:
        # One line of the end for every two of the beginning, which says what it is about.
        at_end = (len(block) - last) * 2 < first - 1
        item = block[last - 1] if at_end else block[first]
        if item.tokens > room:
            break
        room -= item.tokens
        first, last = (first, last - 1) if at_end else (first + 1, last)
    if first < 2:
        return []
    return [*block[:first], measure.mark(f"… {last - first} lines left out"), *block[last:]]
