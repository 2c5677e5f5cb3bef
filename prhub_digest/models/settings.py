"""The settings of one run: what each may be, and what an error message says to write."""

from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    Field,
    SecretStr,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from prhub_digest.models.base import Record, refuse_twice
from prhub_digest.models.digest import Language
from prhub_digest.models.file_kinds import KindRule
from prhub_digest.models.glossary import Glossary
from prhub_digest.models.prices import Number, Price
from prhub_digest.models.ranking import Override
from prhub_digest.models.signal_settings import SignalSettings, path_pattern
from prhub_digest.models.signals import Area

_LOOPBACK = ("localhost", "0.0.0.0", "::1", "::")  # noqa: S104 - compared with, never bound to

Whole = Annotated[int, Field(strict=True)]
Seconds = Annotated[float, Field(strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Pattern = Annotated[str, Field(pattern=r"^!?[^!\s]")]


def _of_paths(pattern: str) -> str:
    path_pattern(pattern.removeprefix("!"))
    return pattern


class Settings(Record):
    """Each field's description is what an error message says to write. Paths are relative to the working folder."""

    model: Text | None = Field(None, description='the name of a model, like "gpt-5-mini"')
    small_model: Text | None = Field(None, description='the name of a model, like "gpt-5-nano"')
    base_url: Text | None = Field(None, description='an address, like "http://localhost:8000/v1"')
    api_key: SecretStr | None = Field(None, description="a key in the environment variable OPENAI_API_KEY")
    provider: Text = Field("openai", description='a label, like "openai"')
    github_api_url: Text | None = Field(None, description='an address, like "https://github.example.com/api/v3"')
    github_server_url: Text | None = Field(None, description='an address, like "https://github.example.com"')
    max_wait: Seconds = Field(3600.0, ge=0, description="a number of seconds, 0 or more")
    base: tuple[Pattern, ...] = Field((), description='a list of patterns, like ["main", "release/*"]')
    labels: tuple[Pattern, ...] = Field((), description='a list of patterns, like ["bug*", "!wontfix"]')
    authors: tuple[Pattern, ...] = Field((), description='a list of patterns, like ["ada", "!*-ci"]')
    paths: tuple[Annotated[Pattern, AfterValidator(_of_paths)], ...] = Field(
        (), description='a list of patterns, like ["src/**", "!**/*.md"]'
    )
    bots: Literal["group", "include"] = Field("group", description='"group" or "include"')
    concurrency: Whole = Field(8, ge=1, le=256, description="a whole number from 1 to 256")
    timeout_seconds: Seconds = Field(120.0, gt=0, le=3600, description="a number of seconds, up to 3600")
    run_timeout_seconds: Seconds = Field(21_600.0, gt=0, le=604_800, description="a number of seconds, up to 604800")
    budget_usd: Number | None = Field(None, ge=0, description="an amount of US dollars, like 2.50")
    budget_tokens: Whole | None = Field(None, ge=0, description="a whole number of tokens, like 2000000")
    chunk_tokens: Whole = Field(6000, ge=500, description="a whole number of tokens, 500 or more")
    compose_tokens: Whole = Field(20_000, ge=500, le=24_000, description="a whole number of tokens, 500 to 24000")
    max_chunks: Whole = Field(4, ge=1, le=100, description="a whole number from 1 to 100")
    highlights: Whole = Field(24, ge=0, description="a whole number, 0 or more")
    languages: tuple[Language, ...] = Field(("en",), min_length=1, description='a list of "en" and "zh"')
    timezone: str = Field("UTC", description='a time zone, like "UTC" or "Asia/Shanghai"')
    out: Path = Field(Path("runs"), description='a folder, like "runs"')
    prompts: Path | None = Field(None, description='a folder of prompt files, like "prompts"')
    cache_dir: Path = Field(description='a folder, like "/var/cache/prhub-digest"')
    allow_partial: Switch = Field(False, description="true or false")
    strict: Switch = Field(False, description="true or false")
    signals: SignalSettings = Field(SignalSettings(), description="a table [signals]")
    file_kinds: tuple[KindRule, ...] = Field(
        (), description='[[file_kinds]] tables, each with kind = "..." and paths = ["..."]'
    )
    areas: tuple[Area, ...] = Field((), description='[[areas]] tables, each with key = "..." and paths = ["..."]')
    overrides: tuple[Override, ...] = Field(
        (),
        description="[[overrides]] tables, each with labels = [...] or pulls = [...],"
        " and points = ... or highlight = ...",
    )
    glossary: Glossary = Field((), description='[[glossary]] tables, each with en = "..." and zh = "..."')
    prices: tuple[Price, ...] = Field(
        (),
        description='[[prices]] tables, each with model = "...", input = ... and output = ... in US dollars per million'
        " tokens; also provider, cached_input and batch",
    )

    @model_validator(mode="before")
    @classmethod
    def _derive(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        derived = {"small_model": values.get("model"), "provider": _provider(values.get("base_url"))}
        return {**derived, **{key: value for key, value in values.items() if value is not None}}

    @field_validator("out", "prompts", "cache_dir", mode="before")
    @classmethod
    def _usable_path(cls, value: object) -> object:
        """`~` is the home folder also where no shell has seen it: in a file, and in `--out=~/runs`."""
        if value == "":  # which would be the working folder
            raise ValueError("empty")
        if isinstance(value, str) and "\0" in value:
            raise ValueError("holds a NUL character")
        if isinstance(value, str) and value.startswith("~"):
            try:
                return Path(value).expanduser()
            except RuntimeError:
                raise ValueError("no such home folder; ./~ is a folder of that name") from None
        return value

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        fault = _fault_of_address(value) if value is not None else ""
        if fault:
            raise ValueError(fault)
        return value

    @field_validator("api_key")
    @classmethod
    def _one_word(cls, value: SecretStr | None) -> SecretStr | None:
        """A key is sent in a header: nothing around it, and nothing in it that no header may hold."""
        if value is None:
            return None
        key = value.get_secret_value().strip()
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ValueError("holds a line break, a blank, or a character that is not ASCII, such as a curly quote")
        return SecretStr(key) if key else None

    @field_validator("github_api_url", "github_server_url")
    @classmethod
    def _github_address(cls, value: str | None, info: ValidationInfo) -> str | None:
        """The server's address is also what git clones from, so that it may be any that git can read."""
        if value is None:
            return None
        parts = urlsplit(value)
        known = {"http", "https"} if info.field_name == "github_api_url" else {"http", "https", "ssh", "file"}
        if parts.scheme not in known or not (parts.hostname or parts.scheme == "file"):
            raise ValueError("not an http or https address")
        if parts.password is not None or ("@" in parts.netloc and parts.scheme != "ssh"):
            raise ValueError("holds a name or a password; leave them out, a token stands in GITHUB_TOKEN")
        return value.rstrip("/")

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("no such time zone") from None
        return value

    @field_validator("languages")
    @classmethod
    def _each_language_once(cls, value: tuple[Language, ...]) -> tuple[Language, ...]:
        return tuple(dict.fromkeys(value))

    @field_validator("areas")
    @classmethod
    def _each_area_once(cls, value: tuple[Area, ...]) -> tuple[Area, ...]:
        refuse_twice(area.key for area in value)
        return value


def _fault_of_address(address: str) -> str:
    """Why it is not the address of an http or https server; empty when it is one."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").encode("idna")
    except ValueError:  # also of a name that no host can have
        return "not an http or https address"
    if parts.scheme not in {"http", "https"} or not host or not address.isprintable():
        return "not an http or https address"
    try:
        port = parts.port
    except ValueError:
        port = 0
    return "its port is no number from 1 to 65535" if port == 0 else ""


def _provider(base_url: object) -> str:
    """The label under which replies are kept: who answers, whatever the path or the port."""
    if not isinstance(base_url, str):
        return "openai"
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return "openai"
    if host in _LOOPBACK or host.startswith("127."):
        return "local"
    return "openai" if host == "api.openai.com" else host or "openai"
