"""What the arguments ask for: where pull requests come from, and who answers."""

import dataclasses
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from prhub_digest.errors import UsageError

GITHUB = "https://github.com"


class SourceKind(StrEnum):
    github = "github"
    git = "git"
    fixture = "fixture"


class ModelKind(StrEnum):
    openai = "openai"
    batch = "batch"
    replay = "replay"
    none = "none"


class ReplayKind(StrEnum):
    """What answers a request of a replay: its recorded reply alone, an older one too, or nobody."""

    strict = "strict"
    nearest = "nearest"
    stub = "stub"


@dataclass(frozen=True)
class Target:
    """Where pull requests come from, and who answers.

    `location` is OWNER/REPO for GitHub, else a path or a URL that git can read; `fixture` is a name or a folder.
    `replay` counts when a replay answers.
    """

    source: SourceKind
    llm: ModelKind
    location: str | None
    fixture: str | None
    replay: ReplayKind = ReplayKind.strict

    def as_settings(self) -> dict[str, Any]:
        """For run.json: text that JSON can hold, without credentials."""
        from prhub_digest.collect.git_command import without_credentials
        from prhub_digest.run_folder import name_as_text

        return {
            "source": self.source.value,
            "llm": self.llm.value,
            "location": self.location and name_as_text(without_credentials(self.location)),
            "fixture": self.fixture and name_as_text(self.fixture),
            "replay": self.replay.value if self.llm is ModelKind.replay else None,
        }

    @classmethod
    def of_settings(cls, stored: dict[str, Any]) -> "Target":
        from prhub_digest.run_folder import text_as_name

        location, fixture = (stored[key] and text_as_name(stored[key]) for key in ("location", "fixture"))
        replay = ReplayKind(stored.get("replay") or ReplayKind.strict)
        return cls(SourceKind(stored["source"]), ModelKind(stored["llm"]), location, fixture, replay)


def target_of(
    repository: str | None,
    source: SourceKind | None,
    llm: ModelKind | None,
    *,
    dry_run: bool,
    fixture: str | None,
    server_url: str | None,
    replay: ReplayKind | None = None,
) -> Target:
    """What the arguments ask for; `server_url` is where git finds OWNER/REPO.

    Raises:
        UsageError: they contradict each other, or name no repository.
    """
    target = _target(repository, source, llm, dry_run=dry_run, fixture=fixture, server_url=server_url)
    if replay is None:
        return target
    if target.llm is not ModelKind.replay:
        raise UsageError(f"--replay {replay.value} says how a replay answers; add --dry-run, or leave --replay out")
    return dataclasses.replace(target, replay=replay)


def _target(
    repository: str | None,
    source: SourceKind | None,
    llm: ModelKind | None,
    *,
    dry_run: bool,
    fixture: str | None,
    server_url: str | None,
) -> Target:
    if dry_run:
        if source not in (None, SourceKind.fixture) or llm not in (None, ModelKind.replay):
            raise UsageError("--dry-run is --source fixture --llm replay; leave --source and --llm out")
        source, llm = SourceKind.fixture, ModelKind.replay
    if source is None and fixture is not None and repository is None:
        source = SourceKind.fixture
    if fixture == "":
        raise UsageError("--fixture is empty; name a shipped fixture, or a folder such as ./week/")
    if llm is ModelKind.replay and source is not SourceKind.fixture:
        raise UsageError("--llm replay answers from a fixture; add --source fixture")
    if source is SourceKind.fixture:
        if repository is not None:
            raise UsageError(f"a fixture has its own repository; leave {repository!r} out, or leave out --dry-run")
        from prhub_digest.shipped import fixture_name

        return Target(source, llm or ModelKind.replay, None, fixture_name("demo" if fixture is None else fixture))
    if fixture is not None:
        raise UsageError("--fixture goes with --dry-run or --source fixture")
    if repository is None:
        raise UsageError(
            "which repository? Give OWNER/REPO on GitHub, ./PATH to a clone or a URL that git can read;"
            " or --dry-run for the demo"
        )
    kind, location = _place(repository, source, server_url or GITHUB)
    return Target(kind, llm or ModelKind.openai, location, None)


def _place(repository: str, source: SourceKind | None, server_url: str) -> tuple[SourceKind, str]:
    """OWNER/REPO is on GitHub, read by its API, or by git on request; a path needs `./` or `/`; a URL is for git."""
    if (
        "://" in repository
        or re.match(r"[\w.-]+@[\w.-]+:", repository)
        or repository.startswith(("/", "./", "../", "~"))
        or repository in (".", "..")
    ):
        if source is SourceKind.github:
            hint = _hint(repository, server_url)
            raise UsageError(f"--source github reads OWNER/REPO, not {_quoted(repository)}{hint}")
        return SourceKind.git, str(Path(repository).expanduser()) if repository.startswith("~") else repository
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise UsageError(f"{repository!r} is no OWNER/REPO; a path to a clone needs ./ or /, such as ./{repository}")
    name = repository.removesuffix(".git")
    if source is SourceKind.git:
        return source, f"{server_url}/{name}.git"
    return SourceKind.github, name


def _quoted(repository: str) -> str:
    from prhub_digest.collect.git_command import without_credentials

    return repr(without_credentials(repository))


def _hint(repository: str, server_url: str) -> str:
    """What to write in place of a path or a URL."""
    from prhub_digest.collect.git_remote import is_url, repository_address

    address = repository_address(repository)
    if address is not None and address[1].lower() == f"{server_url}/{address[0]}".lower():
        return f"; give {address[0]}"
    if is_url(repository):
        return f", and this URL is not on {server_url}; leave --source out to read it with git"
    return "; leave --source out to read a clone with git"
