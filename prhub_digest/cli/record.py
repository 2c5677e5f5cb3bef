"""`record`: a run as a fixture that replays without key or network, or a fixture's stale replies asked anew."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prhub_digest.cli.costs import say_costs
from prhub_digest.cli.known_secrets import keys_in
from prhub_digest.cli.options import BudgetTokens, BudgetUsd
from prhub_digest.cli.recording import UNFINISHED, Recording, open_recording
from prhub_digest.cli.run import export_pending
from prhub_digest.cli.stages import stored_manifest
from prhub_digest.cli.target import ModelKind
from prhub_digest.console import Console, counted
from prhub_digest.errors import PendingReplies, UsageError

if TYPE_CHECKING:
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.pull_request import Collection, PullRequest

_MODEL_SETTINGS = (
    *("languages", "model", "small_model", "provider"),
    *("chunk_tokens", "max_chunks", "compose_tokens", "highlights"),
)


def add(app: typer.Typer) -> None:
    app.command(
        "record",
        help="Save a run as a fixture (RUN FOLDER), or ask a fixture's stale replies anew (--fixture)."
        " Settings are those of the run or the fixture.",
    )(record)


def record(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN]", help="A finished run folder, or a collected one whose settings name a model."),
    ] = None,
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="The new fixture's folder.")] = None,
    fixture: Annotated[str | None, typer.Option(help="A shipped fixture's name, or a folder.")] = None,
    anonymize: Annotated[
        bool,
        typer.Option(
            "--anonymize", help="Call people user-1, user-2, ... everywhere; changed requests are asked anew."
        ),
    ] = False,
    llm: Annotated[
        ModelKind, typer.Option(help="batch writes the requests that wait to a file; openai asks an endpoint.")
    ] = ModelKind.batch,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
) -> None:
    if llm not in (ModelKind.batch, ModelKind.openai):
        raise UsageError("--llm must be batch or openai here")
    limits = {"budget_usd": budget_usd, "budget_tokens": budget_tokens}
    if llm is ModelKind.batch and any(limit is not None for limit in limits.values()):
        raise UsageError("--budget-usd and --budget-tokens bound what an endpoint is asked: add --llm openai")
    if fixture is not None and run is None:
        if anonymize:
            raise UsageError("--anonymize goes with RUN and FOLDER: a fixture is anonymized when it is made")
        recording = open_recording(fixture, llm, limits=limits)
    elif run is not None and folder is not None and fixture is None:
        _copy(run, folder, anonymous=anonymize)
        recording = open_recording(f"{folder}/", llm, from_store=True, limits=limits)
    else:
        raise UsageError("give --fixture NAME, or RUN and FOLDER")
    finish(recording)


def finish(recording: Recording) -> None:
    try:
        result = recording.go()
    except PendingReplies as waiting:
        raise export_pending(recording.run, waiting, _what_then(recording)) from None
    say_costs(Console(), recording.run)
    for path in recording.finish():
        Console().message(f"removed, since nothing uses it: {path}")
    failed = [failure for failure in result.failures if failure.stage in ("summarize", "compose")]
    for failure in failed:
        Console().warning(f"{failure.stage} {failure.subject}, which a replay repeats: {failure.reason}")
    Console().message(f"{recording.folder}: every {'other ' if failed else ''}reply is recorded")
    if failed:
        raise typer.Exit(1)


def _what_then(recording: Recording) -> str:
    fixture = _as_argument(recording.folder)
    return (
        f"prhub-digest batch import --fixture {fixture} REPLIES.jsonl\n"
        f"and go on with: prhub-digest record --fixture {fixture}"
    )


def _as_argument(folder: Path) -> str:
    """A folder as `--fixture` takes it: a word without a `/` would name a shipped fixture."""
    return str(folder) if "/" in str(folder) else f"./{folder}"


def _copy(run: Path, folder: Path, *, anonymous: bool) -> None:
    """The manifest and the pull requests of a run as a new fixture; no secret goes into it.

    A recording of the same week that was not finished is gone on with: its replies stay, the rest is written anew.

    Raises:
        UsageError: the run cannot be recorded, or the fixture is there; nothing is written then.
    """
    from prhub_digest.llm.secret_scan import refuse_secrets
    from prhub_digest.llm.store import write_whole
    from prhub_digest.run_folder import pull_name

    settings = _recordable(run)
    collection, pulls = _collected(run)
    begun = _begun(folder, collection)
    collection, pulls = _scanned(collection, pulls)
    if anonymous:
        from prhub_digest.collect.anonymize import anonymize

        week = anonymize(collection, pulls)
        collection, pulls = week.collection, week.pulls
        Console().message(
            f"{counted(week.people, 'stand-in')} for people; a request that changes with them has no reply yet"
        )
    manifest = _manifest(run, folder, settings, collection, pulls)
    files = {pull_name(pull.number): pull for pull in pulls} | {"manifest.json": manifest}
    for name, record in files.items():
        refuse_secrets(folder / name, record, keys_in)
    if begun:
        Console().message(f"{folder} holds a recording that was not finished; going on with it")
    write_whole(
        folder / UNFINISHED, "This recording is not finished; the same `prhub-digest record` goes on with it.\n"
    )
    for path in {*folder.glob("pulls/*.json")} - {folder / name for name in files}:
        path.unlink()
    for name, record in files.items():
        write_whole(folder / name, record.to_json())


def _begun(folder: Path, collection: "Collection") -> bool:
    """Whether the folder holds the beginning of a recording of this week.

    Raises:
        UsageError: it holds a whole fixture, one of another week, or other files; or there can be no such folder.
    """
    from prhub_digest.collect.fixture import read_manifest

    _refuse_files(folder)
    if not (folder / "manifest.json").exists():
        return False
    there = read_manifest(folder).collection
    same = (there.repository, there.period) == (collection.repository, collection.period)
    if not same or not (folder / UNFINISHED).exists():
        raise UsageError(
            f"{folder} is a fixture already; ask its stale replies anew with --fixture {_as_argument(folder)}"
        )
    return True


def _refuse_files(folder: Path) -> None:
    """Raises UsageError when files are in the way: one where the folder is to be, or some that are no fixture's."""
    in_the_way = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    if in_the_way.exists() and not in_the_way.is_dir():
        what = "is a file" if in_the_way == folder else f"cannot be made: {in_the_way} is a file"
        raise UsageError(f"{folder} {what}; name a new folder for the fixture")
    if in_the_way == folder and not any((folder / name).exists() for name in ("manifest.json", UNFINISHED)):
        held = next(folder.iterdir(), None)
        if held is not None:
            raise UsageError(f"{folder} is no fixture, and holds {held.name}; name a new or an empty folder")


def _recordable(run: Path) -> dict[str, Any]:
    """The settings of a run that can be recorded.

    Raises:
        UsageError: it replays a fixture, has no model, or was begun and not finished.
    """
    made, settings = stored_manifest(run)
    if settings["llm"] == ModelKind.replay:
        raise UsageError(f"{run} is a replay of the fixture {settings['fixture']}; copy that fixture's folder instead")
    if {*made.stages} == {"collect"} and settings["model"] is None:
        raise UsageError(f"{run} names no model to record for; collect again with PRHUB_MODEL set")
    with_model = settings["llm"] != ModelKind.none and settings["model"] is not None
    if not with_model or not (made.is_done("render") or {*made.stages} == {"collect"}):
        raise UsageError(f"{run} is not a finished run with a model; finish it with: prhub-digest run")
    return settings


def _collected(run: Path) -> "tuple[Collection, tuple[PullRequest, ...]]":
    from prhub_digest.models.pull_request import Collection, PullRequest
    from prhub_digest.pipeline.collecting import COLLECTION
    from prhub_digest.run_folder import RunFolder, pull_name

    source = RunFolder(run)
    collection = source.read_record(COLLECTION, Collection)
    if collection is None:
        raise UsageError(f"{run} holds no collected pull requests; start with: prhub-digest collect")
    pulls = []
    for number in collection.numbers:
        pull = source.read_record(pull_name(number), PullRequest)
        if pull is None or pull.number != number:
            raise UsageError(f"{run} lacks pull request {number}; collect it again with --refresh")
        pulls.append(pull)
    return collection, tuple(pulls)


def _manifest(
    run: Path, folder: Path, settings: dict[str, Any], collection: "Collection", pulls: "tuple[PullRequest, ...]"
) -> "FixtureManifest":
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.signals import Area, Signals
    from prhub_digest.pipeline.collecting import SIGNALS
    from prhub_digest.run_folder import RunFolder, name_as_text
    from prhub_digest.signals import area_list

    signals = RunFolder(run).read_record(SIGNALS, Signals)
    configured = tuple(map(Area.model_validate, settings["areas"]))
    return FixtureManifest(
        name=name_as_text(folder.name),
        description=f"{collection.repository}, {collection.period.label}",
        collection=collection.updated(source="fixture"),
        areas=signals.areas if signals else area_list(pulls, configured),
        signals=settings.get("signals", {}),
        file_kinds=settings.get("file_kinds", ()),
        **{name: settings[name] for name in _MODEL_SETTINGS},
    )


def _scanned(
    collection: "Collection", pulls: "tuple[PullRequest, ...]"
) -> "tuple[Collection, tuple[PullRequest, ...]]":
    """Secrets are masked when a week is collected; the rules of today may know more of them."""
    from prhub_digest.collect.masking import mask, mask_collection

    masked = tuple(map(mask, pulls))
    told = mask_collection(collection)
    found = [f"#{pull.number}" for pull, now in zip(pulls, masked, strict=True) if pull != now]
    found += [f"#{own.number}" for own, now in zip(collection.set_aside, told.set_aside, strict=True) if own != now]
    if found:
        Console().warning(
            f"masked what looks like a secret and was not masked when it was collected: {', '.join(found)}"
        )
    return told, masked
