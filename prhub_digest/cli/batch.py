"""`batch export` and `batch import`: pending requests out as OpenAI Batch JSONL, replies in."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prhub_digest.cli.recording import open_recording
from prhub_digest.cli.run import pending_requests
from prhub_digest.cli.setup import REQUESTS, reply_store
from prhub_digest.cli.stages import reopen
from prhub_digest.cli.target import ModelKind
from prhub_digest.console import Console, counted
from prhub_digest.errors import PendingReplies, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from prhub_digest.models.llm import LogicalRequest, StoredReply

app = typer.Typer(
    name="batch",
    help="Requests out as OpenAI Batch JSONL files, replies in.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
Run = Annotated[Path | None, typer.Argument(metavar="[RUN]", help="A run folder made with --llm batch.")]
Fixture = Annotated[str | None, typer.Option(help="Instead of a run: a fixture's name or folder.")]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The requests that wait, where to store their replies, whether an id is answered already, the run folder."""

    requests: "tuple[LogicalRequest, ...]"
    save: "Callable[[StoredReply], object]"
    is_stored: "Callable[[str], bool]"
    folder: Path


@app.command("export")
def export_requests(
    run: Run = None,
    fixture: Fixture = None,
    to: Annotated[Path | None, typer.Option("--to", help="File. Default: batch/requests.jsonl in the run.")] = None,
) -> None:
    """Write the requests that wait for replies, one a line."""
    from prhub_digest.llm.batch import export

    if to is not None:
        _refuse_unless_new(to)
    waiting = _pending(run, fixture)
    path = to or waiting.folder / REQUESTS
    Console().message(f"{counted(export(waiting.requests, path), 'request')} waiting")
    Console().product(f"{path}\n")


@app.command("import")
def import_requests(
    files: Annotated[list[Path], typer.Argument(metavar="[RUN] FILE...", help="Batch output files.")],
    fixture: Fixture = None,
    by: Annotated[str, typer.Option(help="The model that answered, for the record.")] = "unnamed model",
) -> None:
    """Validate each reply like a live one and store it; exit 1 if a line could not be used."""
    from prhub_digest.llm.batch import import_replies
    from prhub_digest.run_folder import name_as_text

    run = None if fixture else files[0]
    sources = files if fixture else files[1:]
    if not sources:
        raise UsageError("which files? Give RUN FILE..., or --fixture NAME FILE...")
    waiting = _pending(run, fixture)
    requests, console, bad, recorded = waiting.requests, Console(), False, f"batch files, {name_as_text(by)}"
    for path in sources:
        result = import_replies(
            path,
            requests,
            validate=_fault,
            save=waiting.save,
            recorded=recorded,
            stored_before=waiting.is_stored,
        )
        imported = "1 reply" if len(result.imported) == 1 else f"{len(result.imported):,} replies"
        console.message(f"{path}: {imported} imported, {counted(len(result.missing), 'request')} still waiting")
        for name, reason in result.failed:
            console.warning(f"{name}: {reason}")
        for name in result.stored:
            console.message(f"{name}: stored already")
        for name in result.unknown:
            console.warning(f"{name}: no request waits for this reply")
        for name in result.duplicate:
            console.warning(f"{name}: stands there twice; the first one counts")
        if result.empty:
            console.warning(f"{path}: holds no reply")
        bad = bad or result.empty or bool(result.failed or result.unknown or result.duplicate)
        requests = tuple(request for request in requests if _custom_id(request) in result.missing)
    if bad:
        raise typer.Exit(1)


def _refuse_unless_new(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path} exists; choose another name or remove it")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")


def _pending(run: Path | None, fixture: str | None) -> _Waiting:
    if (run is None) == (fixture is None):
        raise UsageError("give a run folder, or --fixture NAME")
    if fixture is not None:
        recording = open_recording(fixture, ModelKind.batch)
        with suppress(PendingReplies):
            recording.go()
        waiting = recording.pending.pending if recording.pending else ()
        replies = recording.replies
        return _Waiting(waiting, replies.save, replies.is_answered, recording.run.folder.path)
    assert run is not None  # noqa: S101 - one of the two is given
    return _pending_of_run(run)


def _pending_of_run(run: Path) -> _Waiting:
    import os
    from functools import partial

    from prhub_digest.llm.batch import is_stored
    from prhub_digest.pipeline.run import run_until
    from prhub_digest.settings import load_settings

    opened = reopen(run, llm=ModelKind.batch)
    with opened.folder.lock(), suppress(PendingReplies):
        run_until(opened, "render")
    store = reply_store(load_settings(None, {}, os.environ), opened.console)
    return _Waiting(pending_requests(opened), store.save, partial(is_stored, store=store), run)


def _fault(request: "LogicalRequest", content: str) -> str | None:
    from prhub_digest.llm.ask import checked_reply
    from prhub_digest.llm.reply_text import ReplyTextError
    from prhub_digest.models.replies import REPLIES

    try:
        checked_reply(content, request, REPLIES[request.schema_name])
    except ReplyTextError as error:
        return str(error)
    return None


def _custom_id(request: "LogicalRequest") -> str:
    from prhub_digest.llm.batch import custom_id

    return custom_id(request)
