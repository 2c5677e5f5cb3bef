"""What an endpoint turned out to take for a model, remembered from run to run.

One small JSON file for each endpoint and model, whole or absent. It saves requests and decides nothing else: one that
is damaged, or so old that the endpoint may have learnt since, is found out anew.
"""

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from prhub_digest.llm.store import write_whole
from prhub_digest.models.base import Record
from prhub_digest.models.llm import Rung

__all__ = ["RUNGS", "Abilities", "AbilityStore", "LimitName", "Rung", "plain_address"]

RUNGS: tuple[Rung, ...] = ("schema_strict", "schema", "json", "text")
LimitName = Literal["max_tokens", "max_completion_tokens"]

_LONGEST_LIFE = 30 * 86_400.0


class Abilities(Record):
    """The defaults are what is tried first. `temperature`: whether the endpoint takes another than its default.

    `limit_name`: None where it takes an output limit by neither name, so that none is sent. `most_output`: the most
    output tokens that it allows, where it has refused more.
    """

    rung: Rung = "schema_strict"
    limit_name: LimitName | None = "max_tokens"
    temperature: bool = True
    most_output: int | None = Field(None, gt=0)


class _Entry(Record):
    base_url: str
    model: str
    abilities: Abilities


class AbilityStore:
    """The files of one folder; several threads and processes may share it. `clock`: seconds since 1970."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    def find(self, base_url: str, model: str) -> Abilities | None:
        """What was saved within the last 30 days; None when that is nothing, or cannot be read."""
        path = self._path(base_url, model)
        try:
            if self._clock() - path.stat().st_mtime > _LONGEST_LIFE:
                return None
            entry = _Entry.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        return entry.abilities if (entry.base_url, entry.model) == (plain_address(base_url), model) else None

    def save(self, base_url: str, model: str, abilities: Abilities) -> None:
        """Never fails: where nothing can be written, the next run finds out by itself."""
        entry = _Entry(base_url=plain_address(base_url), model=model, abilities=abilities)
        with suppress(OSError):
            write_whole(self._path(base_url, model), entry.to_json())

    def _path(self, base_url: str, model: str) -> Path:
        name = hashlib.sha256(f"{plain_address(base_url)}\n{model}".encode()).hexdigest()
        return self._folder / f"{name[:32]}.json"


def plain_address(base_url: str) -> str:
    """Scheme, host, port and path: nothing of a name, password or key that the URL may hold."""
    parts = urlsplit(base_url.strip())
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"
