"""`manifest.json` of a fixture: the week it holds and the settings its replies were recorded with."""

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
