"""What the model is shown of a pull request, and what it is not."""

from typing import Literal, NamedTuple

from pydantic import Field, SkipValidation

from prhub_digest.models.base import Record

PlaceKind = Literal["title", "description", "file", "diff", "thread", "comment"]
Side = Literal["new", "old"]
PartName = Literal["title", "files", "description", "conversation", "diff"]
Shown = Literal["full", "partial", "name_only", "folded"]


class Place(Record):
    """Where a line stands in the pull request.

    `path` is set for `file`, `diff` and `thread`; `line` is a line number of the file (new side, or old side for a
    removed line) or of the text, counted from 1; `thread` and `comment` name the review thread and its comment.
    """

    kind: PlaceKind
    path: str | None = None
    line: int | None = None
    side: Side | None = None
    thread: str | None = None
    comment: str | None = None


class PartTokens(Record):
    part: PartName
    tokens: int


class SourceLine(NamedTuple):
    """One line of a pull request after hygiene, as quotes are taken from it; `id` is unique in its pull request.

    The other fields are those of its `place`. It is no record, since a week has millions of them; it is never stored.
    """

    id: str
    text: str
    kind: PlaceKind
    path: str | None = None
    line: int | None = None
    side: Side | None = None
    thread: str | None = None
    comment: str | None = None

    @classmethod
    def at(cls, identifier: str, text: str, place: Place) -> "SourceLine":
        return cls(identifier, text, place.kind, place.path, place.line, place.side, place.thread, place.comment)

    @property
    def place(self) -> Place:
        return Place(
            kind=self.kind, path=self.path, line=self.line, side=self.side, thread=self.thread, comment=self.comment
        )


class Chunk(Record):
    """A part of one pull request within the token budget. `text` is exactly what the prompt inserts.

    `lines` are the lines that `text` shows, in its order; `tokens` counts `text`, and `parts` its parts with their
    headings, which stand in the text one after the other.
    """

    pull: int
    index: int = Field(ge=1)
    total: int = Field(ge=1)
    text: str
    tokens: int
    parts: tuple[PartTokens, ...] = ()
    lines: SkipValidation[tuple[SourceLine, ...]]


class FileCoverage(Record):
    path: str
    shown: Shown
    reason: str | None = None
    changed_lines: int
    changed_lines_shown: int


class Coverage(Record):
    """How much of a pull request its chunks show; tokens are counted on the shown form of the text.

    `tokens_total` also counts lines that no chunk had room for and the ends of lines that were cut, in proportion to
    their characters. `comments` are reviews and comments outside review threads.
    `chunk_tokens` is the size of the chunks where the model's context was too small for those of the settings.
    """

    pull: int
    chunks: int
    tokens_shown: int
    tokens_total: int
    changed_lines_shown: int
    changed_lines_total: int
    description_complete: bool
    threads_shown: int
    threads_total: int
    comments_shown: int = 0
    comments_total: int = 0
    files: tuple[FileCoverage, ...]
    chunk_tokens: int | None = Field(None, exclude_if=lambda tokens: tokens is None)

    @property
    def complete(self) -> bool:
        return (
            self.description_complete
            and self.threads_shown == self.threads_total
            and self.comments_shown == self.comments_total
            and all(file.shown == "full" for file in self.files)
        )
