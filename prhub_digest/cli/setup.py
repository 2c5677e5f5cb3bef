"""From arguments and settings to a run that can start: the one place that chooses sources and clients."""

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from prhub_digest.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from prhub_digest.collect.source import Source
    from prhub_digest.console import Console
    from prhub_digest.llm.ask import Asker
    from prhub_digest.llm.client import Client
    from prhub_digest.llm.request import RequestBuilder
    from prhub_digest.llm.store import Replies, ReplyStore
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.period import Period
    from prhub_digest.pipeline.context import Run
    from prhub_digest.run_folder import RunFolder
    from prhub_digest.settings import Settings
    from prhub_digest.tokens import Tokenizer


class SourceKind(StrEnum):
    git = "git"
    fixture = "fixture"


class ModelKind(StrEnum):
    openai = "openai"
    batch = "batch"
    replay = "replay"
    none = "none"


class Lang(StrEnum):
    en = "en"
    zh = "zh"


REQUESTS = "batch/requests.jsonl"
NO_MODEL = (
    "no model is set: name one with --model or PRHUB_MODEL (and OPENAI_BASE_URL for an endpoint of your own);"
    " without a model, --llm none makes a digest of facts only, and --dry-run replays the demo"
)


@dataclass(frozen=True)
class Target:
    """Where pull requests come from, and who answers. `fixture` is a name or a folder."""

    source: SourceKind
    llm: ModelKind
    location: str | None
    fixture: str | None

    def as_settings(self) -> dict[str, Any]:
        """For run.json: text that JSON can hold, without credentials."""
        from prhub_digest.collect.git_command import without_credentials
        from prhub_digest.run_folder import name_as_text

        return {
            "source": self.source.value,
            "llm": self.llm.value,
            "location": self.location and name_as_text(without_credentials(self.location)),
            "fixture": self.fixture and name_as_text(self.fixture),
        }

    @classmethod
    def of_settings(cls, stored: dict[str, Any]) -> "Target":
        from prhub_digest.run_folder import text_as_name

        location, fixture = (stored[key] and text_as_name(stored[key]) for key in ("location", "fixture"))
        return cls(SourceKind(stored["source"]), ModelKind(stored["llm"]), location, fixture)


def target_of(
    repository: str | None, source: SourceKind | None, llm: ModelKind | None, *, dry_run: bool, fixture: str | None
) -> Target:
    """What the arguments ask for.

    Raises:
        UsageError: they contradict each other, or name no repository.
    """
    if dry_run:
        if source not in (None, SourceKind.fixture) or llm not in (None, ModelKind.replay):
            raise UsageError("--dry-run is --source fixture --llm replay; leave --source and --llm out")
        source, llm = SourceKind.fixture, ModelKind.replay
    if source is None:
        source = SourceKind.fixture if fixture is not None and repository is None else SourceKind.git
    if fixture == "":
        raise UsageError("--fixture is empty; name a shipped fixture, or a folder such as ./week/")
    if llm is ModelKind.replay and source is not SourceKind.fixture:
        raise UsageError("--llm replay answers from a fixture; add --source fixture")
    if source is SourceKind.fixture:
        if repository is not None:
            raise UsageError(f"a fixture has its own repository; leave {repository!r} out, or leave out --dry-run")
        return Target(source, llm or ModelKind.replay, None, "demo" if fixture is None else fixture)
    if fixture is not None:
        raise UsageError("--fixture goes with --dry-run or --source fixture")
    if repository is None:
        raise UsageError(
            "which repository? Give ./PATH to a clone or a URL that git can read; or --dry-run for the demo"
        )
    return Target(source, llm or ModelKind.openai, _location(repository), None)


def _location(repository: str) -> str:
    """A path needs `./` or `/`; a URL is one git can read; OWNER/REPO is one on the git server."""
    if (
        "://" in repository
        or re.match(r"[\w.-]+@[\w.-]+:", repository)
        or repository.startswith(("/", "./", "../", "~"))
    ):
        return str(Path(repository).expanduser()) if repository.startswith("~") else repository
    if repository in (".", ".."):
        return repository
    if re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        server = os.environ.get("GITHUB_SERVER_URL") or "https://github.com"
        return f"{server.rstrip('/')}/{repository}.git"
    raise UsageError(f"{repository!r} is no OWNER/REPO; a path to a clone needs ./ or /, such as ./{repository}")


def fixture_manifest(target: Target) -> "FixtureManifest | None":
    from prhub_digest.collect.fixture import read_manifest
    from prhub_digest.shipped import fixture_dir

    return read_manifest(fixture_dir(target.fixture)) if target.fixture else None


def source_of(target: Target, settings: "Settings", console: "Console") -> "Source":
    if target.fixture is not None:
        from prhub_digest.collect.fixture import FixtureSource
        from prhub_digest.shipped import fixture_dir

        return FixtureSource(fixture_dir(target.fixture))
    from prhub_digest.collect.git_repo import GitSource

    assert target.location is not None  # noqa: S101 - a Target without fixture has one
    return GitSource(target.location, settings.cache_dir / "git", console.message)


def effective(settings: "Settings", target: Target, manifest: "FixtureManifest | None") -> "Settings":
    """The settings with what a fixture decides: its budgets and areas; in a replay also its model and label."""
    if manifest is None:
        return settings
    changes: dict[str, Any] = {
        "chunk_tokens": manifest.chunk_tokens,
        "max_chunks": manifest.max_chunks,
        "compose_tokens": manifest.compose_tokens,
        "highlights": manifest.highlights,
        "areas": manifest.areas,
        "timezone": manifest.collection.period.timezone,
    }
    if target.llm is ModelKind.replay:
        changes |= {
            "model": manifest.model,
            "small_model": manifest.small_model,
            "provider": manifest.provider,
            "base_url": None,
        }
    return settings.updated(**changes)


def open_run(
    settings: "Settings",
    target: Target,
    console: "Console",
    *,
    repository: str,
    period: "Period",
    folder: "RunFolder | None" = None,
    asker: "Asker | None" = None,
    ask: bool = True,
    fresh: bool = False,
) -> "Run":
    """A run on its folder, or on `folder`; `asker` stands in for the one that the target would choose.

    Without `ask` nobody is asked now; the target's model stays the one that later stages ask. `fresh`: the caller
    will start over, whatever the folder holds.

    Raises:
        UsageError: no model is set, a prompt is faulty, the folder cannot be used or holds pull requests of another
            source; nothing is written then.
    """
    from prhub_digest import __version__
    from prhub_digest.cli.stored_settings import as_stored, name_changes, refuse_another_source
    from prhub_digest.models.run import RunManifest
    from prhub_digest.pipeline.context import MANIFEST, Run
    from prhub_digest.run_folder import RunFolder
    from prhub_digest.tokens import tokenizer_for

    folder = folder or RunFolder.of(settings.out, repository, period.label)
    tokenizer = tokenizer_for(settings.model or "")
    builder = _builder(settings, target, tokenizer) if ask else None
    stored = as_stored(settings) | target.as_settings()
    manifest = None if fresh else folder.read_valid(MANIFEST, RunManifest)
    if manifest is not None:
        refuse_another_source(folder.path, manifest.settings, stored)
        name_changes(manifest.settings, stored, console)
    new = RunManifest(version=__version__, repository=repository, period=period.label, settings=stored)
    manifest = (manifest or new).updated(version=__version__, settings=stored, tokenizer=tokenizer.name)
    run = Run(folder, _options(settings), tokenizer, console, manifest)
    if builder is not None:
        run.builder = builder
        run.manifest = run.manifest.updated(prompts=builder.hashes())
        run.asker = asker or _asker(settings, target, console)
    return run


def _options(settings: "Settings") -> Any:
    from prhub_digest.pipeline.context import RunOptions

    return RunOptions(
        languages=settings.languages,
        chunk_tokens=settings.chunk_tokens,
        max_chunks=settings.max_chunks,
        compose_tokens=settings.compose_tokens,
        highlights=settings.highlights,
        concurrency=settings.concurrency,
        areas=settings.areas,
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


def _asker(settings: "Settings", target: Target, console: "Console") -> "Asker":
    from prhub_digest.llm.ask import Asker

    return Asker(_client(settings, target), _replies(settings, target, console))


def _replies(settings: "Settings", target: Target, console: "Console") -> "Replies":
    if target.llm is ModelKind.replay and target.fixture is not None:
        from prhub_digest.llm.replay import ReplayStore
        from prhub_digest.shipped import fixture_dir

        manifest = fixture_manifest(target)
        return ReplayStore(fixture_dir(target.fixture), manifest.failed if manifest else {}, target.fixture)
    return reply_store(settings, console)


def reply_store(settings: "Settings", console: "Console") -> "ReplyStore":
    from prhub_digest.llm.store import ReplyStore

    return ReplyStore(settings.cache_dir / "replies", console.warning)


def _client(settings: "Settings", target: Target) -> "Client":
    match target.llm:
        case ModelKind.replay:
            from prhub_digest.llm.replay import ReplayClient

            return ReplayClient()
        case ModelKind.batch:
            from prhub_digest.llm.batch import PendingClient

            return PendingClient()
        case _:
            return live_client(settings)


def live_client(settings: "Settings") -> "Client":
    from prhub_digest.llm.openai_api import OpenAIClient

    key = settings.api_key.get_secret_value() if settings.api_key else None
    return OpenAIClient(settings.base_url, key, settings.timeout_seconds, settings.concurrency)
