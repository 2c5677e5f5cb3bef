"""What run.json holds of a run's settings, and what they say when the folder is opened again."""

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.console import Console
    from prhub_digest.models.run import RunManifest
    from prhub_digest.models.settings import Settings

# Who answers and what is asked. Collecting asks nobody, so that these say nothing until another stage does.
_ANSWERING = ("llm", "replay", "model", "small_model", "provider", "base_url", "prompts")
# Where to write, how fast and how long, and what ends with which exit code: nothing in a folder depends on it.
_OF_NO_RESULT = frozenset(
    {"out", "concurrency", "max_wait", "timeout_seconds", "run_timeout_seconds", "allow_partial", "strict"}
)
TABLES = ("areas", "overrides", "glossary", "file_kinds")
# An endpoint and batch files answer the same requests: what came of one is of use to the other.
_SAME_REPLIES = {"openai", "batch"}


def as_stored(settings: "Settings") -> dict[str, Any]:
    """The settings as run.json holds them; `out` and `prompts` may be names that are no text."""
    from prhub_digest.run_folder import name_as_text
    from prhub_digest.settings import public

    names = {key: name_as_text(value) for key, value in public(settings).items() if isinstance(value, str)}
    return public(settings) | names


def refuse_another_source(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Two clones of one name would share a folder, and the second would overwrite the pages of the first.

    Raises:
        UsageError: the folder was made from another source.
    """
    if _place(old) != _place(new):
        raise UsageError(
            f"{folder} holds the pull requests of {_origin(old)}, not of {_origin(new)};"
            " give another folder with --out, or start over in this one with --fresh"
        )


def _place(stored: dict[str, Any]) -> tuple[str, ...]:
    """A source, however its path or its name is written; GitHub's names are the same in upper and lower case."""
    from prhub_digest.collect.git_remote import is_url
    from prhub_digest.run_folder import text_as_name

    location, fixture = stored.get("location") or "", stored.get("fixture") or ""
    if stored.get("source") == "github":
        return "github", f"{_server(stored)}/{location.lower()}", fixture
    if location and not is_url(location):
        location = str(Path(text_as_name(location)).resolve())
    if "/" in fixture:
        fixture = str(Path(text_as_name(fixture)).resolve())
    return str(stored.get("source")), location, fixture


def _origin(stored: dict[str, Any]) -> str:
    if stored.get("fixture"):
        return f"the fixture {stored['fixture']}"
    place = str(stored.get("location"))
    return f"{place} on {_server(stored)}" if stored.get("source") == "github" else place


def _server(stored: dict[str, Any]) -> str:
    """The host of a GitHub server; where only the API's address is set, it is on the same one or on `api.` of it."""
    address = stored.get("github_server_url") or stored.get("github_api_url") or "https://github.com"
    return urlsplit(address).netloc.lower().removeprefix("api.")


def who_answers(stored: dict[str, Any]) -> dict[str, Any]:
    """The part of a folder's settings that a command which asks nobody leaves as it is."""
    return {key: stored[key] for key in _ANSWERING if key in stored}


def name_changes(last: "RunManifest", new: dict[str, Any], console: "Console") -> None:
    """Tell the user which settings are others than those of the last run."""
    asked = last.prompts or last.stages.keys() - {"collect", "chunk"}
    told = {key: value for key, value in last.settings.items() if key not in _OF_NO_RESULT}
    old = {key: value for key, value in told.items() if asked or key not in _ANSWERING}
    if {old.get("llm"), new.get("llm")} == _SAME_REPLIES:
        del old["llm"]
    changed = [f"{key} {old[key]!r} -> {value!r}" for key, value in new.items() if key in old and old[key] != value]
    if changed:
        console.message(
            f"settings changed since the last run of this folder: {'; '.join(changed)}."
            " What depends on them is made again; --fresh starts over."
        )
