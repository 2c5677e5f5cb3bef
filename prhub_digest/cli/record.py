"""`record`: a run as a fixture that replays without key or network, or a fixture's stale replies asked anew."""

from pathlib import Path
from typing import Annotated

import typer

from prhub_digest.cli.recording import Recording, open_recording
from prhub_digest.cli.run import export_pending
from prhub_digest.cli.setup import ModelKind
from prhub_digest.cli.stages import stored_manifest
from prhub_digest.console import Console
from prhub_digest.errors import PendingReplies, UsageError


def add(app: typer.Typer) -> None:
    app.command(
        "record", help="Save a run as a fixture (RUN FOLDER), or ask a fixture's stale replies anew (--fixture)."
    )(record)


def record(
    run: Annotated[Path | None, typer.Argument(metavar="[RUN]", help="A finished run folder.")] = None,
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="The new fixture's folder.")] = None,
    fixture: Annotated[str | None, typer.Option(help="A shipped fixture's name, or a folder.")] = None,
    llm: Annotated[
        ModelKind, typer.Option(help="batch writes the requests that wait to a file; openai asks an endpoint.")
    ] = ModelKind.batch,
) -> None:
    if llm not in (ModelKind.batch, ModelKind.openai):
        raise UsageError("--llm must be batch or openai here")
    if fixture is not None and run is None:
        recording = open_recording(fixture, llm)
    elif run is not None and folder is not None and fixture is None:
        _copy(run, folder)
        recording = open_recording(f"{folder}/", llm, from_store=True)
    else:
        raise UsageError("give --fixture NAME, or RUN and FOLDER")
    finish(recording)


def finish(recording: Recording) -> None:
    try:
        recording.go()
    except PendingReplies as waiting:
        raise export_pending(recording.run, waiting, _import_command(recording)) from None
    for path in recording.finish():
        Console().message(f"removed, since nothing uses it: {path}")
    Console().message(f"{recording.folder}: every reply is recorded")


def _import_command(recording: Recording) -> str:
    return f"prhub-digest batch import --fixture {_as_argument(recording.folder)} REPLIES.jsonl"


def _as_argument(folder: Path) -> str:
    """A folder as `--fixture` takes it: a word without a `/` would name a shipped fixture."""
    return str(folder) if "/" in str(folder) else f"./{folder}"


def _copy(run: Path, folder: Path) -> None:
    """The manifest and the pull requests of a run as a new fixture."""
    from prhub_digest.llm.store import write_whole
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.pull_request import Collection, PullRequest
    from prhub_digest.models.signals import Signals
    from prhub_digest.pipeline.collecting import COLLECTION, SIGNALS
    from prhub_digest.run_folder import RunFolder, name_as_text, pull_name

    made, settings = stored_manifest(run)
    if settings["llm"] == ModelKind.replay:
        raise UsageError(f"{run} is a replay of the fixture {settings['fixture']}; copy that fixture's folder instead")
    source = RunFolder(run)
    collection, signals = source.read_record(COLLECTION, Collection), source.read_record(SIGNALS, Signals)
    finished = "render" in made.stages and settings["llm"] != ModelKind.none and settings["model"] is not None
    if collection is None or signals is None or not finished:
        raise UsageError(f"{run} is not a finished run with a model; finish it with: prhub-digest run")
    if (folder / "manifest.json").exists():
        raise UsageError(
            f"{folder} is a fixture already; ask its stale replies anew with --fixture {_as_argument(folder)}"
        )
    pulls = {number: source.read_record(pull_name(number), PullRequest) for number in collection.numbers}
    for number, pull in pulls.items():
        if pull is None or pull.number != number:
            raise UsageError(f"{run} lacks pull request {number}; collect it again with --refresh")
    for number, pull in pulls.items():
        if pull is not None:
            write_whole(folder / pull_name(number), pull.to_json())
    names = (
        "languages",
        "model",
        "small_model",
        "provider",
        "chunk_tokens",
        "max_chunks",
        "compose_tokens",
        "highlights",
    )
    manifest = FixtureManifest(
        name=name_as_text(folder.name),
        description=f"{collection.repository}, {collection.period.label}",
        collection=collection.updated(source="fixture"),
        areas=signals.areas,
        **{name: settings[name] for name in names},
    )
    write_whole(folder / "manifest.json", manifest.to_json())
