"""From a pull request to its chunks and their coverage."""

from collections.abc import Iterator, Sequence

from prhub_digest.chunk.choosing import Choice, choose
from prhub_digest.chunk.coverage import changed_left_out, coverage_of
from prhub_digest.chunk.draft import Draft, headings
from prhub_digest.chunk.head import conversation, description, file_list
from prhub_digest.chunk.hunks import SURELY_TOO_LARGE, FileDiff
from prhub_digest.chunk.measure import Item, Measure, tokens_of
from prhub_digest.chunk.packing import Packer
from prhub_digest.chunk.whole import Whole, whole_of
from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.chunk import Chunk, Coverage, PartName
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.tokens import Tokenizer

_SHARE = 4  # file list, description and conversation get at most one part in four each of the first chunk
_TITLE_SHARE = 8
_MOST_NAMED = 10


def chunk_pull_request(
    pull: PullRequest,
    *,
    budget: int,
    max_chunks: int,
    tokenizer: Tokenizer,
    kinds: FileKinds | None = None,
    core_paths: Sequence[str] = (),
) -> tuple[tuple[Chunk, ...], Coverage]:
    """At least one and at most `max_chunks` chunks, none above `budget` tokens, and what they leave out.

    `core_paths` are the patterns of the files that matter most when not everything fits.
    """
    measure = Measure(tokenizer)
    room = max(0, tokenizer.most_raw(budget))
    whole = whole_of(pull, kinds or FileKinds(), measure, room // _SHARE)
    drafts = _filled(whole, measure, room, max_chunks, core_paths)
    chunks = tuple(_chunk(pull.number, index, len(drafts), draft, measure) for index, draft in enumerate(drafts, 1))
    all_used = len(drafts) >= max_chunks
    return chunks, coverage_of(pull.number, drafts, whole, measure, all_used=all_used)


def _filled(whole: Whole, measure: Measure, room: int, max_chunks: int, core_paths: Sequence[str]) -> list[Draft]:
    above = headings(measure)
    title = [item for item in (measure.fitted(item, room // _TITLE_SHARE) for item in whole.title) if item]
    files = whole.in_order
    missing = measure.mark(_missing(sum(file.changed for file in files), len(files)))

    def fresh(last: bool) -> Draft:
        draft = Draft(above, room - (missing.tokens if last else 0))
        _add(draft, "title", title)
        return draft

    packer = Packer(fresh(max_chunks == 1), fresh, max_chunks, measure)
    size = _size(files, packer.total_room)
    _fill_head(packer.drafts[0], whole, size, room // _SHARE, measure)
    packer.fill([*_to_show(files, packer, core_paths, size)])
    _mark_missing(packer.drafts, files, measure)
    drafts = [draft for index, draft in enumerate(packer.drafts) if index == 0 or not draft.is_empty("diff")]
    for draft in drafts:
        draft.fit(room, measure)
    return drafts


def _size(files: Sequence[FileDiff], room: int) -> int | None:
    """Tokens of the diffs with what stands above them; None when they do not fit into the room of all chunks."""
    shown = [file for file in files if file.is_to_be_shown]
    if sum(hunk.characters for file in shown for hunk in file.hunks) > room * SURELY_TOO_LARGE:
        return None
    size = 0
    for file in shown:
        size += file.mark.tokens + sum(hunk.tokens for hunk in file.hunks)
        if size > room:
            return None
    return size


def _to_show(
    files: Sequence[FileDiff], packer: Packer, core_paths: Sequence[str], size: int | None
) -> Iterator[tuple[FileDiff, Choice]]:
    """What is to be shown of each hunk, in the files' order."""
    room = packer.total_room
    if size is not None and size <= room:
        yield from ((file, Choice(hunk, len(hunk))) for file in files if file.is_to_be_shown for hunk in file.hunks)
        return
    for file, chosen in zip(files, choose(files, room, core_paths, packer.worth_cutting), strict=True):
        yield from ((file, choice) for choice in chosen)


def _fill_head(draft: Draft, whole: Whole, size: int | None, share: int, measure: Measure) -> None:
    """File list, description and conversation: within their shares, and beyond them where the diff leaves room."""
    files = whole.in_order
    noise = _noise_mark(files, measure)
    named = [(file.change, file.name) for file in files]
    _add(draft, "files", file_list(named, measure, min(share, draft.room_in("files"))))
    spare = 0 if size is None else draft.room_in("diff") - tokens_of(noise) - size
    talk = tokens_of(whole.talk)
    limit = min(max(share, spare - min(talk, share)), draft.room_in("description"))
    before = draft.room
    _add(draft, "description", description(whole.description, measure, limit))
    spare -= before - draft.room
    limit = min(max(share, spare), draft.room_in("conversation"))
    _add(draft, "conversation", conversation(whole.threads, whole.comments, measure, limit))
    _add(draft, "diff", noise)


def _add(draft: Draft, part: PartName, items: Sequence[Item]) -> None:
    """All of the items, or none where there is no room."""
    if draft.cost(part, items) <= draft.room:
        draft.add(part, items)


def _noise_mark(files: Sequence[FileDiff], measure: Measure) -> list[Item]:
    """One line that says which diffs are not shown for what they are."""
    noise = [f"{file.name.id} ({file.noise})" for file in files if file.noise and file.hunks]
    if not noise:
        return []
    more = f" and {len(noise) - _MOST_NAMED} more" if len(noise) > _MOST_NAMED else ""
    return [measure.mark(f"… diffs left out: {', '.join(noise[:_MOST_NAMED])}{more}")]


def _mark_missing(drafts: Sequence[Draft], files: Sequence[FileDiff], measure: Measure) -> None:
    """In the last draft, how many changed lines of files that are shown did not fit."""
    counts = changed_left_out((file for file in files if file.noise is None), drafts)
    if any(counts):
        drafts[-1].add("diff", [measure.mark(_missing(sum(counts), sum(map(bool, counts))))])


def _missing(changed: int, files: int) -> str:
    return f"… {changed} changed lines of {files} files left out"


def _chunk(pull: int, index: int, total: int, draft: Draft, measure: Measure) -> Chunk:
    parts, tokens = draft.part_tokens(measure)
    lines = tuple(line for item in draft.items() for line in item.lines)
    return Chunk(pull=pull, index=index, total=total, text=draft.text(), tokens=tokens, parts=parts, lines=lines)
