"""From arguments and settings to a run that can start: the one place that chooses sources and clients."""

import os
import re
import time
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from prhub_digest.cli.known_secrets import clean_answer
from prhub_digest.cli.live_endpoint import ability_store, live_endpoint
from prhub_digest.cli.replaying import replies_of, stand_ins
from prhub_digest.cli.target import ModelKind, SourceKind, Target
from prhub_digest.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from prhub_digest.collect.source import Source
    from prhub_digest.console import Console
    from prhub_digest.llm.ask import Asker
    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.llm.budget import Budget
    from prhub_digest.llm.paying_store import PayingStore
    from prhub_digest.llm.request import RequestBuilder
    from prhub_digest.llm.store import Replies, ReplyStore
    from prhub_digest.models.filters import Filters
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.period import Period
    from prhub_digest.models.settings import Settings
    from prhub_digest.pipeline.context import Run
    from prhub_digest.run_folder import RunFolder
    from prhub_digest.tokens import Tokenizer


class Lang(StrEnum):
    en = "en"
    zh = "zh"


class Bots(StrEnum):
    group = "group"
    include = "include"


# As in "Receiving objects:  42% (39/92)".
_SHARE = re.compile(r":\s+\d+% \(\d+/\d+\)")
_SECONDS_BETWEEN_SHARES = 5.0
NO_MODEL = (
    "no model is set: name one with --model or PRHUB_MODEL (and OPENAI_BASE_URL for an endpoint of your own);"
    " without a model, --llm none makes a digest of facts only, and --dry-run replays the demo"
)


def fixture_manifest(target: Target) -> "FixtureManifest | None":
    from prhub_digest.collect.fixture import read_manifest
    from prhub_digest.shipped import fixture_dir

    return read_manifest(fixture_dir(target.fixture)) if target.fixture else None


def source_of(target: Target, settings: "Settings", console: "Console") -> "Source":
    if target.fixture is not None:
        from prhub_digest.collect.fixture import FixtureSource
        from prhub_digest.shipped import fixture_dir

        return FixtureSource(fixture_dir(target.fixture))
    assert target.location is not None  # noqa: S101 - a Target without fixture has one
    if target.source is SourceKind.github:
        from prhub_digest.collect.github_access import github_access
        from prhub_digest.collect.github_source import GitHubSource

        # Looked for when something is asked, so that a finished run needs no token.
        access = partial(github_access, settings.github_api_url, settings.github_server_url, os.environ)
        return GitHubSource(target.location, access, filters_of(settings), settings.max_wait, _saying(console))
    from prhub_digest.collect.git_repo import GitSource

    if settings.labels:
        raise UsageError("--label needs labels, which git does not know; use --source github, or leave labels out")
    return GitSource(target.location, settings.cache_dir / "git", _saying(console))


def _saying(console: "Console") -> "Callable[[str], None]":
    """What a source says, at once; of the hundreds of shares that git reports, one every few seconds."""
    shown = time.monotonic()

    def say(line: str) -> None:
        nonlocal shown
        if _SHARE.search(line):
            if time.monotonic() - shown < _SECONDS_BETWEEN_SHARES:
                return
            shown = time.monotonic()
        console.message(line)

    return say


def filters_of(settings: "Settings") -> "Filters":
    from prhub_digest.models.filters import Filters

    return Filters.model_validate({name: getattr(settings, name) for name in Filters.model_fields})


def effective(settings: "Settings", target: Target, manifest: "FixtureManifest | None") -> "Settings":
    """The settings with what a fixture decides: budgets, rules, filters; in a replay also its model and label."""
    if manifest is None:
        return settings
    answering = manifest.model_settings if target.llm is ModelKind.replay else {}
    return settings.updated(**manifest.week_settings, **answering)


def open_run(
    settings: "Settings",
    target: Target,
    console: "Console",
    *,
    repository: str,
    period: "Period",
    folder: "RunFolder | None" = None,
    asker: "Callable[[Budget], Asker] | None" = None,
    ask: bool = True,
    fresh: bool = False,
) -> "Run":
    """A run on its folder, or on `folder`; `asker` makes the one that stands in for the target's own.

    Without `ask` nobody is asked now; the target's model stays the one that later stages ask. `fresh`: the caller
    will start over, whatever the folder holds.

    Raises:
        UsageError: no model is set, a prompt is faulty, the folder cannot be used or holds pull requests of another
            source; nothing is written then.
    """
    from prhub_digest import __version__
    from prhub_digest.cli.stored_settings import as_stored, name_changes, refuse_another_source, who_answers
    from prhub_digest.models.run import RunManifest
    from prhub_digest.pipeline.context import MANIFEST, Run
    from prhub_digest.run_folder import RunFolder
    from prhub_digest.tokens import tokenizer_for

    folder = folder or RunFolder.of(settings.out, repository, period.label)
    tokenizer = tokenizer_for(settings.model or "", settings.small_model or "")
    builder = _builder(settings, target, tokenizer) if ask else None
    stored = as_stored(settings) | target.as_settings()
    manifest = None if fresh else folder.read_valid(MANIFEST, RunManifest)
    if manifest is not None:
        refuse_another_source(folder.path, manifest.settings, stored)
        stored |= {} if ask else who_answers(manifest.settings)
        name_changes(manifest, stored, console)
    new = RunManifest(version=__version__, repository=repository, period=period.label, settings=stored)
    manifest = (manifest or new).updated(version=__version__, settings=stored, tokenizer=tokenizer.name)
    run = Run(folder, _options(settings, target), tokenizer, console, manifest)
    if builder is not None:
        run.builder = builder
        run.manifest = run.manifest.updated(prompts=builder.hashes())
        budget = _budget(settings, target, builder, console)
        run.asker = asker(budget) if asker else _asker(settings, target, console, folder, budget)
    return run


def _options(settings: "Settings", target: Target) -> Any:
    from prhub_digest.pipeline.context import RunOptions

    return RunOptions(
        languages=settings.languages,
        chunk_tokens=settings.chunk_tokens,
        max_chunks=settings.max_chunks,
        compose_tokens=settings.compose_tokens,
        highlights=settings.highlights,
        concurrency=settings.concurrency,
        areas=settings.areas,
        overrides=settings.overrides,
        glossary=settings.glossary,
        signals=settings.signals,
        file_kinds=settings.file_kinds,
        filters=filters_of(settings),
        stand_ins=stand_ins(target),
    )


def _builder(settings: "Settings", target: Target, tokenizer: "Tokenizer") -> "RequestBuilder | None":
    """None when no model is asked; prompts of the user's are checked all the same."""
    from prhub_digest.llm.request import RequestBuilder
    from prhub_digest.prompts import load_prompts
    from prhub_digest.shipped import prompts_dir

    if target.llm is ModelKind.none:
        if settings.prompts is not None:
            load_prompts(prompts_dir(), settings.prompts)
        return None
    if settings.model is None:
        raise SettingsError(NO_MODEL)
    prompts = load_prompts(prompts_dir(), settings.prompts)
    models: dict[Literal["small", "large"], str] = {
        "large": settings.model,
        "small": settings.small_model or settings.model,
    }
    return RequestBuilder(prompts, models, settings.provider, tokenizer.count)


def _budget(settings: "Settings", target: Target, builder: "RequestBuilder", console: "Console") -> "Budget":
    """What counts the calls of a run; only a live endpoint is paid by it, and needs limits.

    Raises:
        UsageError: money is limited, and a model has no known price.
    """
    from prhub_digest.llm.budget import Budget
    from prhub_digest.llm.input_check import InputCheck
    from prhub_digest.llm.prices import PriceList

    check = InputCheck(console.warning)
    prices = PriceList(settings.prices, settings.provider, batch=target.llm is ModelKind.batch)
    if target.llm is not ModelKind.openai:
        return Budget(prices, builder.count, check=check)
    budget = Budget(prices, builder.count, usd=settings.budget_usd, tokens=settings.budget_tokens, check=check)
    budget.refuse_unpriced(builder.models[prompt.front.model] for prompt in builder.prompts.values())
    return budget


def _asker(settings: "Settings", target: Target, console: "Console", folder: "RunFolder", budget: "Budget") -> "Asker":
    from prhub_digest.llm.ask import Asker

    match target.llm:
        case ModelKind.replay:
            from prhub_digest.llm.replay import ReplayClient

            return Asker(ReplayClient(), _recorded(settings, target, console), budget=budget)
        case ModelKind.batch:
            return Asker(pending_client(settings, folder), reply_store(settings, console), budget=budget)
        case _:
            live, store = live_endpoint(settings, console), paying_store(settings, console)
            return Asker(
                live.client,
                store,
                breaker=live.breaker,
                deadline=live.deadline,
                budget=budget,
                turn=store.turn,
                clean=clean_answer,
            )


def _recorded(settings: "Settings", target: Target, console: "Console") -> "Replies":
    return replies_of(target.fixture, target.replay) if target.fixture is not None else reply_store(settings, console)


def reply_store(settings: "Settings", console: "Console") -> "ReplyStore":
    from prhub_digest.llm.store import ReplyStore

    return ReplyStore(settings.cache_dir / "replies", console.warning)


def paying_store(settings: "Settings", console: "Console") -> "PayingStore":
    """The same for a run that pays; its messages say where the folder was set."""
    from prhub_digest.llm.paying_store import PayingStore
    from prhub_digest.settings import cache_origin

    return PayingStore(settings.cache_dir / "replies", console.warning, cache_origin(settings, os.environ))


def pending_client(settings: "Settings", folder: "RunFolder") -> "PendingClient":
    """The client of batch files; it knows what was imported for the run, and what the endpoint takes."""
    from functools import lru_cache

    from prhub_digest.llm.abilities import Abilities
    from prhub_digest.llm.batch import PendingClient, Tries
    from prhub_digest.llm.endpoint import OPENAI_BASE_URL

    store, url = ability_store(settings), settings.base_url or OPENAI_BASE_URL
    return PendingClient(Tries(folder), lru_cache(lambda model: store.find(url, model) or Abilities()))
