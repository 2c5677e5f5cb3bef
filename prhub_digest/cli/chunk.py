"""`chunk`: what the model would see of each pull request, and what it would not."""

import json
from typing import TYPE_CHECKING, Any

import typer

from prhub_digest.cli.options import Json
from prhub_digest.cli.stages import PullNumber, RunPath, refuse_unknown, reopen, until
from prhub_digest.console import counted, visible_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from prhub_digest.models.chunk import Chunk, Coverage, FileCoverage
    from prhub_digest.pipeline.context import Run


def add(app: typer.Typer) -> None:
    app.command("chunk", help="What the model would see of each pull request, and what it would not.")(chunk)


def chunk(run: RunPath, number: PullNumber = None, as_json: Json = False) -> None:
    from prhub_digest.pipeline.collecting import chunks_of, read_pull

    opened = reopen(run, ask=False)
    week = until(opened, "chunk")
    if number is None:
        for own in week.collection.numbers:
            read_pull(opened, own)  # the coverage is stored: it could tell of pull requests that are gone
        _show_week(opened, as_json=as_json)
        return
    refuse_unknown(number, week.collection, run)
    pull = read_pull(opened, number)
    chunks, coverage = chunks_of(opened, week.collection, pull, week.signals.of(number))
    if as_json:
        shown = [own.model_dump(mode="json", exclude={"lines"}) for own in chunks]
        _product(opened, {"pull": number, "chunks": shown, "coverage": coverage.model_dump(mode="json")})
        return
    opened.console.product("\n\n".join(own.text for own in chunks) + "\n")
    for line in (*_tokens(chunks), *_not_shown(coverage, opened.options.max_chunks)):
        opened.console.message(line)


def _show_week(opened: "Run", *, as_json: bool) -> None:
    from prhub_digest.pipeline.collecting import COVERAGE, WeekCoverage

    stored = opened.folder.read_record(COVERAGE, WeekCoverage)
    pulls = stored.pulls if stored else ()
    if as_json:
        totals = opened.manifest.coverage
        whole = totals.model_dump(mode="json") if totals else None
        _product(opened, {"coverage": whole, "pulls": [own.model_dump(mode="json") for own in pulls]})
        return
    rows = [
        (
            f"#{own.pull}",
            str(own.chunks),
            f"{own.tokens_shown} of {own.tokens_total}",
            f"{own.changed_lines_shown} of {own.changed_lines_total}",
            f"{sum(file.shown == 'full' for file in own.files)} of {len(own.files)}",
        )
        for own in pulls
    ]
    opened.console.table("Chunks", ("PR", "chunks", "tokens", "changed lines", "files in full"), rows)


def _product(opened: "Run", content: dict[str, Any]) -> None:
    opened.console.product(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _tokens(chunks: "Sequence[Chunk]") -> "Iterator[str]":
    """A line a chunk: its tokens, and those of its parts."""
    for own in chunks:
        parts = ", ".join(f"{part.part} {part.tokens}" for part in own.parts)
        yield f"chunk {own.index} of {own.total}: {counted(own.tokens, 'token')} ({parts or 'nothing fits'})"


def _not_shown(coverage: "Coverage", max_chunks: int) -> "Iterator[str]":
    """What the chunks lack, a line each: description, review threads, comments, files, changed lines in all."""
    if not coverage.description_complete:
        yield "description: not shown whole"
    talk = (
        ("review threads", coverage.threads_shown, coverage.threads_total),
        ("reviews and comments", coverage.comments_shown, coverage.comments_total),
    )
    for what, shown, total in talk:
        if shown < total:
            yield f"{what}: {total - shown} of {total} not shown whole"
    yield from (_file_not_shown(file) for file in coverage.files if file.shown != "full")
    left_out = coverage.changed_lines_total - coverage.changed_lines_shown
    if left_out:
        limit = f" (max_chunks is {max_chunks})" if coverage.chunks >= max_chunks else ""
        yield f"changed lines: {left_out} of {coverage.changed_lines_total} in no chunk{limit}"


def _file_not_shown(file: "FileCoverage") -> str:
    lines = f"{file.changed_lines_shown} of {file.changed_lines} changed lines"
    return f"{visible_line(file.path)}: {file.shown}, {lines} ({file.reason})"
