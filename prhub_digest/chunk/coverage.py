"""How much of a pull request, and of a week, its chunks show."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from prhub_digest.chunk.draft import Draft
from prhub_digest.chunk.hunks import FileDiff, ShownHunk
from prhub_digest.chunk.measure import Item, Measure, Span, tokens_of
from prhub_digest.chunk.whole import Whole
from prhub_digest.models.chunk import Coverage, FileCoverage
from prhub_digest.models.run import CoverageTotals, UnreadFiles
from prhub_digest.source_lines import file_state

# Tokens a character of a diff that was never counted, where nothing of the pull request was.
_TOKENS_PER_CHARACTER = 0.3


@dataclass(frozen=True, slots=True)
class _Shown:
    """Ids of text lines that are shown whole, lines of hunks by number, and what is shown of lines cut short, by id.

    `cut_lines` counts those of the diff by their path.
    """

    ids: frozenset[str]
    spans: dict[int, list[Span]]
    cut: dict[str, Item]
    cut_lines: Counter[str | None]


def coverage_of(pull: int, drafts: Sequence[Draft], whole: Whole, measure: Measure, *, all_used: bool) -> Coverage:
    """What the drafts show, which are as many as there may be when `all_used`.

    A line that is cut short is not a shown one, but its tokens are, as far as it goes.
    """
    shown = _shown(drafts)
    files = tuple(_file_coverage(file, shown, all_used=all_used) for file in whole.files)
    hunks = [hunk for file in whole.files for hunk in file.hunks]
    texts = whole.texts
    texts_shown = sum(item.tokens for item in texts if item.id in shown.ids) + tokens_of(shown.cut.values())
    diff_shown = sum(hunk.tokens_in(span.start, span.stop) for hunk in hunks for span in _spans(hunk, shown))
    total = sum(item.whole_tokens for item in texts) + _tokens_about(hunks)
    return Coverage(
        pull=pull,
        chunks=len(drafts),
        tokens_shown=measure.tokenizer.scaled(texts_shown + diff_shown),
        tokens_total=measure.tokenizer.scaled(total),
        changed_lines_shown=sum(file.changed_lines_shown for file in files),
        changed_lines_total=sum(file.changed_lines for file in files),
        description_complete=_are_shown(whole.description, shown),
        threads_shown=sum(_are_shown(thread.items, shown) for thread in whole.threads),
        threads_total=len(whole.threads),
        comments_shown=sum(_are_shown(comment, shown) for comment in whole.comments),
        comments_total=len(whole.comments),
        files=files,
    )


def week_coverage(coverages: Iterable[Coverage]) -> CoverageTotals:
    """The sums over all pull requests of a week."""
    pulls = tuple(coverages)
    files = [file for coverage in pulls for file in coverage.files]
    ways = Counter(file.shown for file in files)
    reasons = Counter(file.reason for file in files if file.reason is not None)
    return CoverageTotals(
        pulls=len(pulls),
        pulls_complete=sum(coverage.complete for coverage in pulls),
        changed_lines=sum(coverage.changed_lines_total for coverage in pulls),
        changed_lines_shown=sum(coverage.changed_lines_shown for coverage in pulls),
        files=len(files),
        files_full=ways["full"],
        files_partial=ways["partial"],
        files_by_name=ways["name_only"],
        files_folded=ways["folded"],
        tokens=sum(coverage.tokens_total for coverage in pulls),
        tokens_shown=sum(coverage.tokens_shown for coverage in pulls),
        unread=tuple(UnreadFiles(reason=reason, files=reasons[reason]) for reason in sorted(reasons)),
    )


def changed_left_out(files: Iterable[FileDiff], drafts: Sequence[Draft]) -> list[int]:
    """For each file, how many changed lines the drafts do not show whole."""
    shown = _shown(drafts)
    return [file.changed - _changed_shown(file, shown) for file in files]


def _shown(drafts: Sequence[Draft]) -> _Shown:
    spans: dict[int, list[Span]] = defaultdict(list)
    ids = set()
    cut = {}
    for item in (item for draft in drafts for item in draft.items()):
        if item.span is not None:
            spans[item.span.hunk].append(item.span)
        elif item.lines and item.left_out:
            cut[item.id] = item
        elif item.lines:
            ids.add(item.id)
    cut = {identifier: item for identifier, item in cut.items() if identifier not in ids}
    lines = (item.lines[0] for item in cut.values())
    return _Shown(frozenset(ids), spans, cut, Counter(line.path for line in lines if line.kind == "diff"))


def _spans(hunk: ShownHunk, shown: _Shown) -> Sequence[Span]:
    return shown.spans.get(hunk.number, ())


def _are_shown(items: Iterable[Item], shown: _Shown) -> bool:
    return all(item.id in shown.ids for item in items)


def _changed_shown(file: FileDiff, shown: _Shown) -> int:
    return sum(hunk.changed_in(span.start, span.stop) for hunk in file.hunks for span in _spans(hunk, shown))


def _file_coverage(file: FileDiff, shown: _Shown, *, all_used: bool) -> FileCoverage:
    lines_shown = sum(span.stop - span.start for hunk in file.hunks for span in _spans(hunk, shown))
    long_lines = sum(len(hunk.long_lines) for hunk in file.hunks if _spans(hunk, shown))
    cut_lines = shown.cut_lines[file.change.path]
    lines = sum(map(len, file.hunks))
    known = file.change.patch_state in ("complete", "no_text_change", "submodule")
    named = file.name.id in shown.ids
    full = lines_shown == lines and not long_lines and known and named
    some = lines_shown + cut_lines > 0
    all_there = lines_shown + cut_lines == lines
    only_cut = all_there and long_lines + cut_lines > 0 and not (cut_lines and all_used)
    reason = file.noise or file_state(file.change) or ("lines cut short" if only_cut else "token budget")
    return FileCoverage(
        path=file.change.path,
        shown="full" if full else "partial" if some else "name_only" if named else "folded",
        reason=None if full else reason,
        changed_lines=max(file.change.additions + file.change.deletions, file.changed),
        changed_lines_shown=_changed_shown(file, shown),
    )


def _tokens_about(hunks: Sequence[ShownHunk]) -> int:
    """Tokens of all hunks: as counted, and of the rest, lines and ends of lines, in proportion to its characters."""
    counted = [hunk.counted for hunk in hunks]
    tokens, characters = sum(own.tokens for own in counted), sum(own.characters for own in counted)
    ratio = tokens / characters if characters else _TOKENS_PER_CHARACTER
    return tokens + ceil(ratio * sum(own.left for own in counted))
