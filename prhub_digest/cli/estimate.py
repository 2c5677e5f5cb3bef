"""`estimate`: what a run would ask of the model, what that takes and costs, before anything is paid."""

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prhub_digest.cli.asked import Asked, begin
from prhub_digest.cli.costs import sum_of
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
    from prhub_digest.models.prices import Price
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.estimating import PartEstimate
    from prhub_digest.settings import Settings

_COLUMNS = ("part", "model", "calls", "stored", "tokens in", "tokens out", "USD live", "USD in a batch")


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
    opened = reopen(folder, lang, ModelKind.batch, console=_silent(), changes=_models(folder, model, small_model))
    with opened.folder.lock():
        parts = estimated(opened, reply_store(settings, _silent()))
    _show(opened, parts, _prices(opened, settings), as_json=as_json)


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


def _models(folder: Path, model: str | None, small_model: str | None) -> dict[str, object]:
    """The models to ask instead of the run's; a small model that only followed the other one goes on to follow it."""
    stored = stored_manifest(folder)[1]
    if small_model is None and stored["small_model"] in (None, stored["model"]):
        small_model = model
    return {name: given for name, given in (("model", model), ("small_model", small_model)) if given is not None}


def _silent() -> Console:
    """What a real run says of its settings and replies is no news here."""
    from io import StringIO

    return Console(StringIO(), StringIO())


def _prices(opened: "Run", settings: "Settings") -> "PriceList":
    from prhub_digest.llm.prices import PriceList

    return PriceList(settings.prices, opened.builder.provider if opened.builder else settings.provider)


def _show(opened: "Run", parts: "tuple[PartEstimate, ...]", prices: "PriceList", *, as_json: bool) -> None:
    console = Console()
    costs = [_cost(part, prices.find(part.model)) for part in parts]
    if as_json:
        console.product(json.dumps(_as_json(opened, parts, costs, prices), ensure_ascii=False, indent=2) + "\n")
        return
    rows = [
        (
            part.part,
            part.model,
            *_counts([part]),
            *(sum_of([amount]) if part.asked else "-" for amount in cost),
        )
        for part, cost in zip(parts, costs, strict=True)
    ]
    rows.append(("total", "", *_counts(parts), *(sum_of(amounts) for amounts in zip(*costs, strict=True))))
    console.table(f"{opened.manifest.repository}, {opened.manifest.period}", _COLUMNS, rows)
    for line in _notes(opened, parts, prices):
        console.message(line)


def _cost(part: "PartEstimate", price: "Price | None") -> "tuple[Decimal | None, Decimal | None]":
    """Live, and in a batch."""
    from prhub_digest.llm.prices import usd
    from prhub_digest.models.llm import Usage

    if not part.asked:
        return Decimal(0), Decimal(0)
    if price is None:
        return None, None
    usage = Usage(calls=part.asked, input_tokens=part.input_tokens, output_tokens=part.output_tokens)
    return usd(price, usage), usd(price, usage, batch=True)


def _counts(parts: "tuple[PartEstimate, ...] | list[PartEstimate]") -> tuple[str, ...]:
    fields = ("calls", "stored", "input_tokens", "output_tokens")
    return tuple(f"{sum(getattr(part, name) for part in parts):,}" for name in fields)


def _notes(opened: "Run", parts: "tuple[PartEstimate, ...]", prices: "PriceList") -> list[str]:
    """What a reader of the figures should know."""
    from prhub_digest.llm.prices import dollars

    if not any(part.asked for part in parts):
        return ["every reply is stored: the run asks for nothing"]
    schemas = sum(part.schema_tokens for part in parts)
    lines = [f"where an endpoint counts the schema of the answers, {schemas:,} tokens in more"]
    if not opened.tokenizer.exact:
        lines.append(f"the model's vocabulary is not known: tokens are those of {opened.tokenizer.name}")
    for model in dict.fromkeys(part.model for part in parts if part.asked):
        price = prices.find(model)
        if price is None:
            lines.append(f"no price is known for {model!r}; [[prices]] in prhub.toml gives it one (docs/cost.md)")
        else:
            since = f", on {price.date}, {price.source}" if price.source else ""
            lines.append(f"{model}: {dollars(price.input)} in, {dollars(price.output)} out, a million tokens{since}")
    return lines


def _as_json(
    opened: "Run",
    parts: "tuple[PartEstimate, ...]",
    costs: "list[tuple[Decimal | None, Decimal | None]]",
    prices: "PriceList",
) -> dict[str, Any]:
    from dataclasses import asdict

    from prhub_digest.pipeline.costs import as_float

    rows = [
        asdict(part) | {"usd": as_float(live), "batch_usd": as_float(batch)}
        for part, (live, batch) in zip(parts, costs, strict=True)
    ]
    whole: dict[str, Any] = {
        name: sum(row[name] for row in rows)
        for name in ("calls", "stored", "input_tokens", "output_tokens", "schema_tokens")
    }
    for name in ("usd", "batch_usd"):
        amounts = [row[name] for row in rows]
        whole[name] = None if None in amounts else round(sum(amounts), 6)
    used = {part.model: prices.find(part.model) for part in parts}
    return {
        "folder": str(opened.folder.path),
        "tokenizer": opened.tokenizer.name,
        "parts": rows,
        "total": whole,
        "prices": {model: price.model_dump(mode="json") if price else None for model, price in used.items()},
    }
