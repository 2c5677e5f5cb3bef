"""Every line of a pull request, cleaned, with the short id under which the model may cite it.

The first letter of an id tells the part: `T` title, `B` description, `F` file list, `D` diff, `R` review threads, `C`
reviews and comments. Numbers run over the whole pull request, in the record's order, whatever a budget later shows.
"""

from collections.abc import Iterator

from prhub_digest.diff import Hunk, parse_hunks
from prhub_digest.hygiene import clean_code, clean_prose, clean_title
from prhub_digest.models.chunk import Place, SourceLine
from prhub_digest.models.pull_request import (
    Comment,
    FileChange,
    PatchState,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)

_NOT_SHOWN: dict[PatchState, str] = {
    "complete": "",
    "truncated": "diff cut short by the source",
    "not_given": "diff not given by the source",
    "binary": "binary",
    "no_text_change": "no change of text",
    "submodule": "submodule pointer",
}


def source_lines(pull: PullRequest) -> tuple[SourceLine, ...]:
    """All lines, part by part: title, description, files, diff, review threads, then reviews and comments."""
    return (
        *_numbered("T", _title(pull)),
        *_numbered("B", _prose(pull.body or "", Place(kind="description"))),
        *_numbered("F", map(_file, pull.files)),
        *_numbered("D", (line for file in pull.files for line in _diff(file))),
        *_numbered("R", (line for thread in pull.threads or () for line in _thread(thread))),
        *_numbered("C", _conversation(pull)),
    )


def file_state(file: FileChange) -> str:
    """Why a file's diff is not all there, in words for a reader; empty when it is."""
    return _NOT_SHOWN[file.patch_state]


def _numbered(letter: str, lines: Iterator[tuple[str, Place]]) -> Iterator[SourceLine]:
    for number, (text, place) in enumerate(lines, 1):
        yield SourceLine(id=f"{letter}{number}", text=text, place=place)


def _title(pull: PullRequest) -> Iterator[tuple[str, Place]]:
    if title := clean_title(pull.title):
        yield title, Place(kind="title", line=1)


def _prose(text: str, place: Place) -> Iterator[tuple[str, Place]]:
    """The lines of a text that hold something. Lines of a comment stand at the comment, those of a body are counted."""
    for number, line in enumerate(clean_prose(text).split("\n"), 1):
        if line.strip():
            yield line.rstrip(), place if place.kind == "thread" else place.updated(line=number)


def _file(file: FileChange) -> tuple[str, Place]:
    parts: list[str] = [file.status]
    if file.previous_path is not None and file.previous_path != file.path:
        parts.append(f"from {shown_path(file.previous_path)}")
    parts.append(f"+{file.additions} -{file.deletions}")
    state = f" ({file_state(file)})" if file_state(file) else ""
    return f"{shown_path(file.path)} {' '.join(parts)}{state}", Place(kind="file", path=file.path)


def shown_path(path: str) -> str:
    """A path on one line, the unseen in it made visible."""
    return clean_code(path).replace("\n", "\\x0a").replace("\t", "\\x09")


def _diff(file: FileChange) -> Iterator[tuple[str, Place]]:
    for hunk in parse_hunks(file.patch or ""):
        yield _hunk_header(hunk), _hunk_place(file.path, hunk)
        for line in hunk.lines:
            side = "old" if line.new_line is None else "new"
            number = line.old_line if line.new_line is None else line.new_line
            place = Place(kind="diff", path=file.path, line=number, side=side)
            yield clean_code(line.kind + line.text), place


def _hunk_header(hunk: Hunk) -> str:
    ranges = f"-{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count}"
    return clean_code(f"@@ {ranges} @@ {hunk.section}".rstrip())


def _hunk_place(path: str, hunk: Hunk) -> Place:
    if hunk.new_count:
        return Place(kind="diff", path=path, line=hunk.new_start, side="new")
    return Place(kind="diff", path=path, line=hunk.old_start, side="old")


def _thread(thread: ReviewThread) -> Iterator[tuple[str, Place]]:
    side = None if thread.line is None else "new"
    place = Place(kind="thread", path=thread.path, line=thread.line, side=side, thread=thread.id)
    yield _thread_header(thread), place
    for comment in thread.comments:
        at_comment = place.updated(comment=comment.id)
        yield f"{_author(comment.author)}:", at_comment
        yield from _prose(_visible_body(comment), at_comment)


def _thread_header(thread: ReviewThread) -> str:
    where = shown_path(thread.path) + (f":{thread.line}" if thread.line is not None else " (line is gone)")
    resolved = {True: "resolved", False: "unresolved", None: "resolution unknown"}[thread.resolved]
    outdated = {True: ", outdated", False: "", None: ", outdated unknown"}[thread.outdated]
    return f"review thread on {where}, {resolved}{outdated}"


def _conversation(pull: PullRequest) -> Iterator[tuple[str, Place]]:
    for review in pull.reviews or ():
        yield from _review(review)
    for comment in pull.comments or ():
        place = Place(kind="comment", comment=comment.id)
        hidden = " (hidden by a maintainer)" if comment.minimized else ""
        yield f"comment by {_author(comment.author)}{hidden}:", place
        yield from _prose(_visible_body(comment), place)


def _review(review: Review) -> Iterator[tuple[str, Place]]:
    place = Place(kind="comment")
    yield f"review by {_author(review.author)}: {review.state.replace('_', ' ')}", place
    yield from _prose(review.body, place)


def _visible_body(comment: Comment) -> str:
    return "" if comment.minimized else comment.body


def _author(person: Person) -> str:
    return f"{person.kind} {clean_title(person.label)}"
