"""`manifest.json` of a fixture: the week it holds and the settings its replies were recorded with."""

from typing import Any

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.digest import Language
from prhub_digest.models.file_kinds import KindRule
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Area


class FixtureManifest(Record):
    """`recorded` says how the replies came about (`batch files, <model>`); `failed` maps subjects to their reasons."""

    name: str
    description: str
    collection: Collection
    languages: tuple[Language, ...] = ("en", "zh")
    areas: tuple[Area, ...] = ()
    signals: SignalSettings = Field(SignalSettings(), exclude_if=lambda signals: signals == SignalSettings())
    file_kinds: tuple[KindRule, ...] = Field((), exclude_if=lambda rules: not rules)
    model: str
    small_model: str
    provider: str
    chunk_tokens: int
    max_chunks: int
    compose_tokens: int = 20000
    highlights: int = 24
    recorded: str = ""
    failed: dict[str, str] = Field(default_factory=dict)

    @property
    def week_settings(self) -> dict[str, Any]:
        """What decides about the week, by the names of `Settings`: budgets, rules, filters."""
        return {
            "chunk_tokens": self.chunk_tokens,
            "max_chunks": self.max_chunks,
            "compose_tokens": self.compose_tokens,
            "highlights": self.highlights,
            "areas": self.areas,
            "signals": self.signals,
            "file_kinds": self.file_kinds,
            "overrides": (),
            "glossary": (),
            "timezone": self.collection.period.timezone,
            **self.collection.filters.model_dump(),
        }

    @property
    def model_settings(self) -> dict[str, Any]:
        """Who answered when it was recorded, by the same names."""
        return {
            "model": self.model,
            "small_model": self.small_model,
            "provider": self.provider,
            "base_url": None,
        }
