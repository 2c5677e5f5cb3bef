"""All there is to show of a pull request, in shown form."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from prhub_digest.chunk.head import Thread
from prhub_digest.chunk.hunks import FileDiff, ShownHunk
from prhub_digest.chunk.measure import Item, Measure
from prhub_digest.file_kinds import FileKind, FileKinds
from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.source_lines import diff_hunks, shown_path, text_lines

_KIND_ORDER: tuple[FileKind, ...] = (
    "source",
    "config",
    "test",
    "build",
    "docs",
    "data",
    "binary",
    "lock",
    "generated",
    "vendored",
    "minified",
)
_NOISE: dict[FileKind, str] = {
    "lock": "lock file",
    "generated": "generated",
    "vendored": "vendored",
    "minified": "minified",
}


@dataclass(frozen=True, slots=True)
class Whole:
    """The lines of text by part, threads and comments line by line, and the files in the record's order."""

    title: Sequence[Item]
    description: Sequence[Item]
    names: Sequence[Item]
    threads: Sequence[Thread]
    comments: Sequence[Sequence[Item]]
    files: Sequence[FileDiff]

    @property
    def talk(self) -> list[Item]:
        """What was said about it, in threads and outside them."""
        return [item for block in (*(own.items for own in self.threads), *self.comments) for item in block]

    @property
    def texts(self) -> list[Item]:
        return [*self.title, *self.description, *self.names, *self.talk]

    @property
    def in_order(self) -> list[FileDiff]:
        """The files, what people wrote first."""
        return sorted(self.files, key=lambda file: (_KIND_ORDER.index(file.kind), file.change.path))


def whole_of(pull: PullRequest, kinds: FileKinds, measure: Measure, most_above: int) -> Whole:
    """`most_above` tokens may stand above the hunks of a file, to say which it is."""
    items = {letter: [measure.shown(line) for line in lines] for letter, lines in text_lines(pull).items()}
    numbers = count()
    files = []
    for change, name, hunks in zip(pull.files, items["F"], diff_hunks(pull), strict=True):
        shown = tuple(ShownHunk(next(numbers), hunk, measure) for hunk in hunks)
        kind = kinds.of_file(change)
        mark = _mark(name, change.path, measure, most_above)
        fitted = measure.fitted(name, most_above) or name
        files.append(FileDiff(change, kind, _NOISE.get(kind), fitted, mark, shown))
    return Whole(
        title=items["T"],
        description=items["B"],
        names=items["F"],
        threads=[
            Thread(thread.resolved, block)
            for thread, block in zip(
                pull.threads or (), _blocks(items["R"], lambda line: line.comment is None), strict=True
            )
        ],
        comments=_blocks(items["C"], lambda line: line.line is None),
        files=files,
    )


def _mark(name: Item, path: str, measure: Measure, most: int) -> Item:
    """What stands above the hunks of a file."""
    mark = measure.mark(f"diff of {name.id} {shown_path(path)}")
    return mark if mark.tokens <= most else measure.mark(f"diff of {name.id}")


def _blocks(items: Iterable[Item], begins: Callable[[SourceLine], bool]) -> list[list[Item]]:
    """Items in blocks, each beginning with a line of which `begins` is true."""
    blocks: list[list[Item]] = []
    for item in items:
        if begins(item.lines[0]):
            blocks.append([])
        blocks[-1].append(item)
    return blocks
