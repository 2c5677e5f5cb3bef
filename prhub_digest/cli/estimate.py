"""`estimate`: what a run would ask of the model, what that takes and costs, before anything is paid."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prhub_digest.cli.asked import Asked, begin
from prhub_digest.cli.estimate_report import show
from prhub_digest.cli.options import (
    Authors,
    Base,
    BotsShown,
    Config,
    Fixture,
    Json,
    Labels,
    MaxWait,
    Out,
    Paths,
    Refresh,
    Since,
    Source,
    Timezone,
    Until,
    Week,
)
from prhub_digest.cli.setup import Lang, reply_store
from prhub_digest.cli.stages import reopen, stored_manifest
from prhub_digest.cli.target import ModelKind
from prhub_digest.console import Console

if TYPE_CHECKING:
    from prhub_digest.llm.prices import PriceList
    from prhub_digest.models.settings import Settings
    from prhub_digest.pipeline.calibrating import Calibration
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.estimating import PartEstimate


def add(app: typer.Typer) -> None:
    app.command("estimate", help="What a run would ask of the model, and cost, before anything is paid.")(estimate)


def estimate(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]", help="A run folder; or, as for collect, a repository, which is collected first."
        ),
    ] = None,
    week: Week = None,
    since: Since = None,
    until: Until = None,
    tz: Timezone = None,
    lang: Annotated[
        list[Lang] | None, typer.Option(help="Language of the digest; repeatable. Default: en, or as in the run.")
    ] = None,
    source: Source = None,
    base: Base = None,
    labels: Labels = None,
    authors: Authors = None,
    paths: Paths = None,
    bots: BotsShown = None,
    max_wait: MaxWait = None,
    fixture: Fixture = None,
    model: Annotated[str | None, typer.Option(help="Model name. Default: as in the run.")] = None,
    small_model: Annotated[str | None, typer.Option(help="Model for single pull requests. Default: --model.")] = None,
    out: Out = None,
    config: Config = None,
    refresh: Refresh = False,
    as_json: Json = False,
) -> None:
    from prhub_digest.pipeline.estimating import estimate as estimated
    from prhub_digest.settings import load_settings

    flags: dict[str, Any] = {
        "base": base,
        "labels": labels,
        "authors": authors,
        "paths": paths,
        "bots": bots,
        "max_wait": max_wait,
        "languages": [language.value for language in lang] if lang else None,
        "timezone": tz,
        "out": out,
    }
    folder = _run_folder(run)
    if folder is None:
        asked = Asked(run, source, None, dry_run=False, fixture=fixture, week=week, since=since, until=until)
        folder = _collected(asked, config, flags, refresh=refresh)
    settings = load_settings(config, {}, os.environ)
    changes = _changes(folder, model, small_model, settings)
    opened = reopen(folder, lang, ModelKind.batch, console=_silent(), changes=changes, config=config)
    with opened.folder.lock():
        counted = estimated(opened, reply_store(settings, _silent()))
    held = _calibrations(opened, counted, settings)
    show(opened, counted, held, _prices(opened, settings), as_json=as_json)


def _run_folder(argument: str | None) -> Path | None:
    """The argument as a run folder, if it is one; else it names a repository."""
    return Path(argument) if argument and (Path(argument) / "run.json").is_file() else None


def _collected(asked: Asked, config: Path | None, flags: dict[str, Any], *, refresh: bool) -> Path:
    console = Console()
    _, opened, whence, period = begin(asked, config, flags, console, ask=False)
    from prhub_digest.cli.run import in_words, warn_of_missing
    from prhub_digest.pipeline.collecting import collect

    with opened.folder.lock():
        collection = collect(opened, whence, period, refresh=refresh)
    console.message(f"{opened.folder.path}: {in_words(collection)}")
    warn_of_missing(console, collection)
    return opened.folder.path


def _changes(folder: Path, model: str | None, small_model: str | None, settings: "Settings") -> dict[str, object]:
    """The models to ask instead of the run's; a small model that only followed the other one goes on to follow it.

    The label of a replay is that of its fixture; where another model is asked, it is the user's, as it will be then.
    """
    stored = stored_manifest(folder)[1]
    if small_model is None and stored["small_model"] in (None, stored["model"]):
        small_model = model
    given = {"model": model, "small_model": small_model}
    if stored["llm"] == ModelKind.replay and (model, small_model) != (None, None):
        given["provider"] = settings.provider
    return {name: value for name, value in given.items() if value is not None}


def _silent() -> Console:
    """What a real run says of its settings and replies is no news here."""
    from io import StringIO

    return Console(StringIO(), StringIO())


def _prices(opened: "Run", settings: "Settings") -> "PriceList":
    from prhub_digest.llm.prices import PriceList

    return PriceList(settings.prices, opened.builder.provider if opened.builder else settings.provider)


def _calibrations(opened: "Run", parts: "tuple[PartEstimate, ...]", settings: "Settings") -> "dict[str, Calibration]":
    """By model that is asked: from counted tokens to those expected."""
    from prhub_digest.llm.upkeep import usable_replies
    from prhub_digest.pipeline.calibrating import calibration

    builder, tokenizer = opened.builder, opened.tokenizer
    if builder is None:
        return {}
    return {
        model: calibration(usable_replies(settings.cache_dir / "replies"), model, builder.provider, tokenizer)
        for model in dict.fromkeys(part.model for part in parts if part.asked)
    }
