"""What the model is shown of a pull request, and what it is not."""

from typing import Literal

from pydantic import Field

from prhub_digest.models.base import Record


class Place(Record):
    """Where a line stands in the pull request.

    `path` is set for `file`, `diff` and `thread`; `line` is a line number of the file (new side, or old side for a
    removed line) or of the text, counted from 1; `thread` and `comment` name the review thread and its comment.
    """

    kind: Literal["title", "description", "file", "diff", "thread", "comment"]
    path: str | None = None
    line: int | None = None
    side: Literal["new", "old"] | None = None
    thread: str | None = None
    comment: str | None = None


class SourceLine(Record):
    """One line of a pull request after hygiene, as quotes are taken from it; `id` is unique in its pull request."""

    id: str
    text: str
    place: Place


class Chunk(Record):
    """A part of one pull request within the token budget. `text` is exactly what the prompt inserts.

    `lines` are the lines that `text` shows, in its order; `tokens` counts `text`.
    """

    pull: int
    index: int = Field(ge=1)
    total: int = Field(ge=1)
    text: str
    tokens: int
    lines: tuple[SourceLine, ...]


class FileCoverage(Record):
    path: str
    shown: Literal["full", "partial", "name_only", "folded"]
    reason: str | None = None
    changed_lines: int
    changed_lines_shown: int


class Coverage(Record):
    """How much of a pull request its chunks show; tokens are counted on the shown form of the text.

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
    files: tuple[FileCoverage, ...]
    chunk_tokens: int | None = Field(None, exclude_if=lambda tokens: tokens is None)

    @property
    def complete(self) -> bool:
        return (
            self.description_complete
            and self.threads_shown == self.threads_total
            and all(file.shown == "full" for file in self.files)
        )
