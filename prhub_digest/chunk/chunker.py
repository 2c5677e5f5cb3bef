"""From the lines of a pull request to its chunks and their coverage."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from prhub_digest.chunk.coverage import FileLines, coverage_of, is_changed
from prhub_digest.chunk.draft import Draft, Section, headings
from prhub_digest.chunk.head import conversation, description, file_list
from prhub_digest.chunk.measure import Item, Measure, tokens_of
from prhub_digest.chunk.packing import FileDiff, Packer, in_fair_order
from prhub_digest.file_kinds import FileKind, file_kind
from prhub_digest.models.chunk import Chunk, Coverage, SourceLine
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.source_lines import shown_path

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
_SHARE = 4  # file list, description and conversation get at most one part in four each of the first chunk
_TITLE_SHARE = 8
_MOST_NAMED = 10


def chunk_pull_request(
    pull: PullRequest,
    lines: Sequence[SourceLine],
    *,
    budget: int,
    max_chunks: int,
    count: Callable[[str], int],
) -> tuple[tuple[Chunk, ...], Coverage]:
    """At least one and at most `max_chunks` chunks, none above `budget` tokens by `count`, and what they leave out.

    `lines` are `source_lines(pull)`. Each line is counted once, and each chunk's text once more.
    """
    measure = Measure(count)
    above = headings(measure)
    parts = _parts(pull, [measure.shown(line) for line in lines])
    diffs = [_file_diff(file, measure, budget) for file in parts.files if file.diff and file.noise is None]
    title = [item for item in (measure.fitted(item, budget // _TITLE_SHARE) for item in parts.title) if item]
    missing = measure.mark(_missing(_changed(parts.files), len(parts.files)))

    def fresh(last: bool) -> Draft:
        draft = Draft(above, budget - (missing.tokens if last else 0))
        _add(draft, "Title", title)
        return draft

    first = fresh(max_chunks == 1)
    _fill_head(first, parts, diffs, measure, budget)
    packer = Packer(first, fresh, max_chunks, measure)
    for diff in in_fair_order(diffs, packer.total_room):
        packer.place(diff)
    _mark_missing(packer.drafts, parts.files, measure)
    chunks = _chunks(pull.number, packer.drafts, measure, budget)
    return chunks, coverage_of(pull.number, chunks, parts.all, parts.files_as_listed, parts.threads)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The lines by part. `files` are in the order of what tells most, `files_as_listed` in the record's."""

    all: Sequence[Item]
    title: Sequence[Item]
    description: Sequence[Item]
    files: Sequence[FileLines]
    files_as_listed: Sequence[FileLines]
    threads: Sequence[Sequence[Item]]
    comments: Sequence[Sequence[Item]]
    pull: PullRequest


def _parts(pull: PullRequest, items: Sequence[Item]) -> _Parts:
    by_letter: dict[str, list[Item]] = {letter: [] for letter in "TBFDRC"}
    diffs: dict[str, list[Item]] = {}
    for item in items:
        if item.line is None:
            continue
        by_letter[item.line.id[0]].append(item)
        if item.line.place.kind == "diff":
            diffs.setdefault(item.line.place.path or "", []).append(item)
    files = [
        FileLines(change, name, tuple(diffs.get(change.path, ())), _NOISE.get(file_kind(change.path)))
        for change, name in zip(pull.files, by_letter["F"], strict=True)
    ]
    return _Parts(
        all=items,
        title=by_letter["T"],
        description=by_letter["B"],
        files=sorted(files, key=lambda file: (_KIND_ORDER.index(file_kind(file.change.path)), file.change.path)),
        files_as_listed=files,
        threads=_blocks(by_letter["R"], lambda line: line.place.comment is None),
        comments=_blocks(by_letter["C"], lambda line: line.place.line is None),
        pull=pull,
    )


def _blocks(items: Iterable[Item], begins: Callable[[SourceLine], bool]) -> list[list[Item]]:
    """Items in blocks, each beginning with a line of which `begins` is true."""
    blocks: list[list[Item]] = []
    for item in items:
        if item.line is not None and begins(item.line):
            blocks.append([])
        blocks[-1].append(item)
    return blocks


def _fill_head(draft: Draft, parts: _Parts, diffs: Sequence[FileDiff], measure: Measure, budget: int) -> None:
    """File list, description and conversation: within their shares, and beyond them where the diff leaves room."""
    share = budget // _SHARE
    noise = _noise_mark(parts.files, measure)
    named = [(file.change, file.name) for file in parts.files]
    _add(draft, "Files", file_list(named, measure, min(share, draft.room_in("Files"))))
    spare = draft.room_in("Diff") - tokens_of(noise)
    spare -= sum(tokens_of([diff.mark, *hunk]) for diff in diffs for hunk in diff.hunks)
    talk = tokens_of(item for block in (*parts.threads, *parts.comments) for item in block)
    limit = min(max(share, spare - min(talk, share)), draft.room_in("Description"))
    before = draft.room
    _add(draft, "Description", description(parts.description, measure, limit))
    spare -= before - draft.room
    limit = min(max(share, spare), draft.room_in("Reviews and comments"))
    threads = list(zip(parts.pull.threads or (), parts.threads, strict=True))
    _add(draft, "Reviews and comments", conversation(threads, parts.comments, measure, limit))
    _add(draft, "Diff", noise)


def _add(draft: Draft, section: Section, items: Sequence[Item]) -> None:
    """All of the items, or none where there is no room."""
    if draft.cost(section, items) <= draft.room:
        draft.add(section, items)


def _mark_missing(drafts: Sequence[Draft], files: Sequence[FileLines], measure: Measure) -> None:
    """In the last draft, how many changed lines of files that are shown did not fit."""
    held = set().union(*(draft.line_ids for draft in drafts))
    counts = [
        sum(1 for item in file.diff if item.line and is_changed(item.line) and item.line.id not in held)
        for file in files
        if file.noise is None
    ]
    if any(counts):
        drafts[-1].add("Diff", [measure.mark(_missing(sum(counts), sum(map(bool, counts))))])


def _missing(changed: int, files: int) -> str:
    return f"… {changed} changed lines of {files} files left out"


def _chunks(pull: int, drafts: Sequence[Draft], measure: Measure, budget: int) -> tuple[Chunk, ...]:
    used = [draft for index, draft in enumerate(drafts) if index == 0 or not draft.is_empty("Diff")]
    chunks = []
    for index, draft in enumerate(used, 1):
        text, tokens, items = draft.text_within(budget, measure)
        lines = tuple(item.line for item in items if item.line is not None)
        chunks.append(Chunk(pull=pull, index=index, total=len(used), text=text, tokens=tokens, lines=lines))
    return tuple(chunks)


def _noise_mark(files: Sequence[FileLines], measure: Measure) -> list[Item]:
    """One line that says which diffs are not shown for what they are."""
    noise = [f"{_name_id(file)} ({file.noise})" for file in files if file.noise and file.diff]
    if not noise:
        return []
    more = f" and {len(noise) - _MOST_NAMED} more" if len(noise) > _MOST_NAMED else ""
    return [measure.mark(f"… diffs left out: {', '.join(noise[:_MOST_NAMED])}{more}")]


def _file_diff(file: FileLines, measure: Measure, budget: int) -> FileDiff:
    name = measure.fitted(file.name, budget // _SHARE) or file.name
    mark = measure.mark(f"diff of {_name_id(file)} {shown_path(file.change.path)}")
    if mark.tokens > budget // _SHARE:
        mark = measure.mark(f"diff of {_name_id(file)}")
    hunks = _blocks(file.diff, lambda line: line.text.startswith("@@"))
    return FileDiff(name, mark, tuple(map(tuple, hunks)), is_source=file_kind(file.change.path) == "source")


def _name_id(file: FileLines) -> str:
    return file.name.line.id if file.name.line else ""


def _changed(files: Iterable[FileLines]) -> int:
    return sum(1 for file in files for item in file.diff if item.line and is_changed(item.line))
