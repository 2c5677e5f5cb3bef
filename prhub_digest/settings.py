"""The settings of one run, merged once: defaults, `prhub.toml`, environment, flags.

Plain pydantic and tomllib rather than pydantic-settings: the environment comes as a mapping, every error names the
place a value came from, and importing pydantic-settings costs 90 ms more, a third of what `--help` may take.
"""

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo

from pydantic import (
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from prhub_digest.errors import SettingsError
from prhub_digest.models.base import Record
from prhub_digest.models.digest import Language
from prhub_digest.models.file_kinds import KindRule
from prhub_digest.models.glossary import Glossary, Term
from prhub_digest.models.prices import Price
from prhub_digest.models.ranking import Override
from prhub_digest.models.signal_settings import SignalSettings, Tag
from prhub_digest.models.signals import Area
from prhub_digest.toml_places import line_of

CONFIG_NAME = "prhub.toml"
ENVIRONMENT = {
    "PRHUB_MODEL": "model",
    "PRHUB_SMALL_MODEL": "small_model",
    "PRHUB_CACHE_DIR": "cache_dir",
    "OPENAI_BASE_URL": "base_url",
    "OPENAI_API_KEY": "api_key",
    "GITHUB_API_URL": "github_api_url",
    "GITHUB_SERVER_URL": "github_server_url",
}
FLAGS = {
    "run_timeout_seconds": "--run-timeout",
    "languages": "--lang",
    "timezone": "--tz",
    "labels": "--label",
    "authors": "--author",
    "paths": "--path",
}
# Tables, by their path without indexes, and what each of them may hold.
_TABLES: dict[tuple[str, ...], type[Record]] = {
    ("areas",): Area,
    ("overrides",): Override,
    ("glossary",): Term,
    ("prices",): Price,
    ("file_kinds",): KindRule,
    ("signals",): SignalSettings,
    ("signals", "platforms"): Tag,
    ("signals", "modules"): Tag,
}
# What says nothing about the result; each command takes it from where it is given.
_OF_THE_COMMAND = frozenset({"cache_dir", "budget_usd", "budget_tokens", "prices"})
_SECRET = "api_key"  # noqa: S105 - the name of the field
# What is refused in a file, and the variable that holds it. GitHub's token is no setting: `collect` looks it up.
_REFUSED = {
    _SECRET: "OPENAI_API_KEY",
    "openai_api_key": "OPENAI_API_KEY",
    "github_token": "GITHUB_TOKEN",
    "gh_token": "GH_TOKEN",
    "token": "GITHUB_TOKEN",
}
# How alike a key must be to one that is meant.
_NEAR, _NEAR_SECRET = 0.7, 0.8
_ADDRESSES = ("base_url", "github_api_url", "github_server_url")
_LOOPBACK = ("localhost", "0.0.0.0", "::1", "::")  # noqa: S104 - compared with, never bound to

Whole = Annotated[int, Field(strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Pattern = Annotated[str, Field(pattern=r"^!?[^!\s]")]


class Settings(Record):
    """Each field's description is what an error message says to write. Paths are relative to the working folder."""

    model: Text | None = Field(None, description='the name of a model, like "gpt-5-mini"')
    small_model: Text | None = Field(None, description='the name of a model, like "gpt-5-nano"')
    base_url: Text | None = Field(None, description='an address, like "http://localhost:8000/v1"')
    api_key: SecretStr | None = Field(None, description="a key in the environment variable OPENAI_API_KEY")
    provider: Text = Field("openai", description='a label, like "openai"')
    github_api_url: Text | None = Field(None, description='an address, like "https://github.example.com/api/v3"')
    github_server_url: Text | None = Field(None, description='an address, like "https://github.example.com"')
    max_wait: float = Field(3600.0, ge=0, description="a number of seconds, 0 or more")
    base: tuple[Pattern, ...] = Field((), description='a list of patterns, like ["main", "release/*"]')
    labels: tuple[Pattern, ...] = Field((), description='a list of patterns, like ["bug*", "!wontfix"]')
    authors: tuple[Pattern, ...] = Field((), description='a list of patterns, like ["ada", "!*-ci"]')
    paths: tuple[Pattern, ...] = Field((), description='a list of patterns, like ["src/**", "!**/*.md"]')
    bots: Literal["group", "include"] = Field("group", description='"group" or "include"')
    concurrency: Whole = Field(8, ge=1, le=256, description="a whole number from 1 to 256")
    timeout_seconds: float = Field(120.0, gt=0, le=3600, description="a number of seconds, up to 3600")
    run_timeout_seconds: float = Field(21_600.0, gt=0, le=604_800, description="a number of seconds, up to 604800")
    budget_usd: Decimal | None = Field(None, ge=0, description="an amount of US dollars, like 2.50")
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
        if len({area.key for area in value}) < len(value):
            raise ValueError("an area stands there twice")
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


def load_settings(config: Path | None, flags: Mapping[str, object], environment: Mapping[str, str]) -> Settings:
    """Merge defaults, `config` (or `prhub.toml` in the working folder), environment and flags, the later one winning.

    `flags` has the names of the fields of `Settings`; a flag that is None or an empty list was not given, and an empty
    environment variable counts as unset.

    Raises:
        SettingsError: names the place, the key, the value and what to write instead.
    """
    text = _read(config)
    path = config or Path(CONFIG_NAME)
    table = _table(path, text)
    from_environment = {key: environment[name] for name, key in ENVIRONMENT.items() if environment.get(name)}
    given = {key: value for key, value in flags.items() if value is not None and value not in ([], ())}
    origins = (
        dict.fromkeys(table, str(path))
        | {key: name for name, key in ENVIRONMENT.items() if key in from_environment}
        | {key: FLAGS.get(key, "--" + key.replace("_", "-")) for key in given}
    )
    try:
        settings = Settings.model_validate({"cache_dir": _cache_dir(environment), **table, **from_environment, **given})
    except ValidationError as error:
        # One fault a key, rather a misspelt one than the one that is missing for it; what was derived from a faulty
        # value is not the user's.
        details = sorted(error.errors(), key=lambda detail: detail["type"] == "missing")
        faults = {detail["loc"][0]: detail for detail in reversed(details) if detail["loc"][0] in origins}
        lines = (_explain(detail, origins, path, text) for detail in reversed(faults.values()))
        raise SettingsError("\n".join(lines)) from None
    if origins.get("areas") == str(path):
        _refuse_areas_without_paths(settings, path, text)
    return settings


def public(settings: Settings) -> dict[str, Any]:
    """The settings for `run.json`, as JSON values: no key, no credentials in the address.

    The cache folder, the budgets and the prices are left out too: they say nothing about the result. Of the signals'
    settings, those that are not the defaults.
    """
    values = settings.model_dump(mode="json", exclude={_SECRET, *_OF_THE_COMMAND})
    values["signals"] = settings.signals.model_dump(mode="json", exclude_defaults=True)
    return {**values, "base_url": settings.base_url and _without_credentials(settings.base_url)}


def cache_origin(settings: Settings, environment: Mapping[str, str]) -> str:
    """What set the cache folder, for a message about it."""
    if environment.get("PRHUB_CACHE_DIR"):
        return "set by PRHUB_CACHE_DIR"
    default = settings.cache_dir == _cache_dir(environment)
    return "the default folder" if default else "set by cache_dir in the settings file"


def _read(config: Path | None) -> str:
    path = config or Path(CONFIG_NAME)
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        if config is None:
            return ""
        raise SettingsError(f"{path}: there is no such file; --config names a settings file") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: is not UTF-8; save it as UTF-8") from None


def _table(path: Path, text: str) -> dict[str, Any]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    for key, value in table.items():
        meant = _meant_secret(key, value)
        if meant is not None:
            what = "token" if meant.endswith("token") else "key"
            raise SettingsError(
                f"{_at(path, text, key)}: a {what} does not belong in a file that is shared; "
                f"remove {key} here and set the environment variable {_REFUSED[meant]}"
            )
    return table


def _meant_secret(key: str, value: object) -> str | None:
    """The secret that a key of a file is meant to hold, also when its name is misspelt."""
    name = key.lower().replace("-", "_")
    if name in _REFUSED:
        return name
    if name in Settings.model_fields or not isinstance(value, str):
        return None
    return next(iter(difflib.get_close_matches(name, _REFUSED, n=1, cutoff=_NEAR_SECRET)), None)


def _refuse_areas_without_paths(settings: Settings, path: Path, text: str) -> None:
    for index, area in enumerate(settings.areas):
        if not area.paths:
            raise SettingsError(
                f"{_at(path, text, 'areas', index)}: area {area.key!r} has no paths, so that nothing can be in it;"
                f" write {Settings.model_fields['areas'].description}"
            )


def _explain(detail: Any, origins: Mapping[str, str], path: Path, text: str) -> str:
    """One line about one faulty value; `detail` is pydantic's."""
    keys = [str(part) for part in detail["loc"]]
    top = keys[0]
    origin = origins.get(top, top)
    place = _at(path, text, *detail["loc"]) if origin == str(path) else origin
    if detail["type"] == "extra_forbidden":
        known = Settings.model_fields if len(keys) == 1 else _TABLES[_table_of(detail["loc"])].model_fields
        return f"{place}: unknown key {'.'.join(keys)}{_suggestion(keys[-1], known)}"
    if detail["type"] == "missing":
        return f"{place}: {'.'.join(keys)} is missing; write {_wanted(detail['loc'])}"
    fault = f"{detail['msg'].removeprefix('Value error, ')}; " if detail["type"] == "value_error" else ""
    value = "…" if top in {_SECRET, *_ADDRESSES} else _shown(detail["input"])
    return f"{place}: {'.'.join(keys)} = {value}: {fault}write {_wanted(detail['loc'])}"


def _table_of(loc: Sequence[str | int]) -> tuple[str, ...]:
    """The table that a value stands in: the path to it without indexes and its own key."""
    return tuple(key for key in loc[:-1] if isinstance(key, str))


def _wanted(loc: Sequence[str | int]) -> str | None:
    """What to write: the description of the value itself, or of the nearest table around it that has one."""
    names = tuple(key for key in loc if isinstance(key, str))
    for last in range(len(names), 1, -1):
        table = _TABLES.get(names[: last - 1])
        field = table.model_fields.get(names[last - 1]) if table else None
        if field is not None and field.description:
            return field.description
    return Settings.model_fields[names[0]].description


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _suggestion(key: str, known: Mapping[str, object]) -> str:
    names = [name for name in known if name != _SECRET]
    close = difflib.get_close_matches(key.replace("-", "_"), names, n=1, cutoff=_NEAR)
    return f"; did you mean {close[0]}?" if close else f"; known keys: {', '.join(names)}"


def _at(path: Path, text: str, *keys: str | int) -> str:
    """The file with the line of a key."""
    number = line_of(text, keys)
    return f"{path}, line {number}" if number else str(path)


def _cache_dir(environment: Mapping[str, str]) -> Path:
    """The XDG base directory specification: a relative XDG_CACHE_HOME is ignored."""
    base = Path(environment.get("XDG_CACHE_HOME", ""))
    home = Path(environment["HOME"]) if environment.get("HOME") else Path.home()
    return (base if base.is_absolute() else home / ".cache") / "prhub-digest"


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


def _without_credentials(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
