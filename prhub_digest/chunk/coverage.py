"""How much of a pull request, and of a week, its chunks show."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prhub_digest.chunk.measure import Item
from prhub_digest.models.chunk import Chunk, Coverage, FileCoverage, SourceLine
from prhub_digest.models.pull_request import FileChange
from prhub_digest.models.run import CoverageTotals
from prhub_digest.source_lines import file_state


@dataclass(frozen=True, slots=True)
class FileLines:
    """A file with its line of the file list and its lines of the diff; `noise` says why its diff is not to be shown."""

    change: FileChange
    name: Item
    diff: tuple[Item, ...]
    noise: str | None


def coverage_of(
    pull: int,
    chunks: Sequence[Chunk],
    items: Sequence[Item],
    files: Sequence[FileLines],
    threads: Sequence[Sequence[Item]],
) -> Coverage:
    """`items` are all lines of the pull request; a clipped line is not a shown one."""
    shown = {line.id: line for chunk in chunks for line in chunk.lines}
    whole = {item.line.id for item in items if item.line and shown.get(item.line.id) == item.line}
    coverages = tuple(_file_coverage(file, whole) for file in files)
    return Coverage(
        pull=pull,
        chunks=len(chunks),
        tokens_shown=sum(item.tokens for item in items if _id(item) in whole),
        tokens_total=sum(item.tokens for item in items),
        changed_lines_shown=sum(file.changed_lines_shown for file in coverages),
        changed_lines_total=sum(file.changed_lines for file in coverages),
        description_complete=all(_id(item) in whole for item in items if _id(item).startswith("B")),
        threads_shown=sum(all(_id(item) in whole for item in thread) for thread in threads),
        threads_total=len(threads),
        files=coverages,
    )


def week_coverage(coverages: Iterable[Coverage]) -> CoverageTotals:
    """The sums over all pull requests of a week."""
    pulls = tuple(coverages)
    return CoverageTotals(
        pulls=len(pulls),
        pulls_complete=sum(coverage.complete for coverage in pulls),
        changed_lines=sum(coverage.changed_lines_total for coverage in pulls),
        changed_lines_shown=sum(coverage.changed_lines_shown for coverage in pulls),
        files=sum(len(coverage.files) for coverage in pulls),
        files_full=sum(file.shown == "full" for coverage in pulls for file in coverage.files),
    )


def is_changed(line: SourceLine) -> bool:
    return line.text.startswith(("+", "-"))


def _file_coverage(file: FileLines, whole: set[str]) -> FileCoverage:
    changed = [item for item in file.diff if item.line and is_changed(item.line)]
    changed_shown = sum(_id(item) in whole for item in changed)
    some = any(_id(item) in whole for item in file.diff)
    full = all(_id(item) in whole for item in file.diff) and file.change.patch_state in (
        "complete",
        "no_text_change",
        "submodule",
    )
    named = _id(file.name) in whole
    counted = max(file.change.additions + file.change.deletions, len(changed))
    unread = file.noise or file_state(file.change) or "token budget"
    return FileCoverage(
        path=file.change.path,
        shown="full" if full and named else "partial" if some else "name_only" if named else "folded",
        reason=None if full and named else unread,
        changed_lines=counted,
        changed_lines_shown=changed_shown,
    )


def _id(item: Item) -> str:
    return item.line.id if item.line else ""
