"""The settings of one run, merged once: defaults, `prhub.toml`, environment, flags.

Plain pydantic and tomllib rather than pydantic-settings: the environment comes as a mapping, every error names the
place a value came from, and importing pydantic-settings costs 90 ms more, a third of what `--help` may take.
"""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import ValidationError

from prhub_digest.errors import SettingsError
from prhub_digest.models.base import Record
from prhub_digest.models.file_kinds import KindRule
from prhub_digest.models.glossary import Term
from prhub_digest.models.prices import Price
from prhub_digest.models.ranking import Override
from prhub_digest.models.settings import Settings
from prhub_digest.models.signal_settings import SignalSettings, Tag, path_pattern
from prhub_digest.models.signals import Area
from prhub_digest.models.twice import Twice, twice
from prhub_digest.toml_places import line_of, parse_toml, place_of_line

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
        _refuse_idle_areas(settings, path, text)
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
    table = parse_toml(path, text)
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


def _refuse_idle_areas(settings: Settings, path: Path, text: str) -> None:
    """What is learned from a repository may be named oddly; what somebody writes is meant to match."""
    wanted = f"write {Settings.model_fields['areas'].description}"
    for index, area in enumerate(settings.areas):
        if not area.paths:
            place = _at(path, text, "areas", index)
            raise SettingsError(f"{place}: area {area.key!r} has no paths, so that nothing can be in it; {wanted}")
        for number, pattern in enumerate(area.paths):
            try:
                path_pattern(pattern)
            except ValueError as fault:
                place = _at(path, text, "areas", index, "paths")
                raise SettingsError(f"{place}: areas.{index}.paths.{number} = {pattern!r}: {fault}; {wanted}") from None


def _explain(detail: Any, origins: Mapping[str, str], path: Path, text: str) -> str:
    """One line about one faulty value; `detail` is pydantic's."""
    keys = [str(part) for part in detail["loc"]]
    top = keys[0]
    origin = origins.get(top, top)
    if found := twice(detail):
        return _explain_twice(found, path, text)
    place = _at(path, text, *detail["loc"]) if origin == str(path) else origin
    if detail["type"] == "extra_forbidden":
        known = Settings.model_fields if len(keys) == 1 else _TABLES[_table_of(detail["loc"])].model_fields
        return f"{place}: unknown key {'.'.join(keys)}{_suggestion(keys[-1], known)}"
    if detail["type"] == "missing":
        return f"{place}: {'.'.join(keys)} is missing; write {_wanted(detail['loc'])}"
    fault = f"{detail['msg'].removeprefix('Value error, ')}; " if detail["type"] == "value_error" else ""
    value = "…" if top in {_SECRET, *_ADDRESSES} else _shown(detail["input"])
    return f"{place}: {'.'.join(keys)} = {value}: {fault}write {_wanted(detail['loc'])}"


def _explain_twice(found: Twice, path: Path, text: str) -> str:
    """Lists of entries that have names can only be set in the file."""
    first = ".".join(map(str, found.first))
    line = line_of(text, found.first)
    where = f" (line {line})" if line and line != line_of(text, found.again) else ""
    again = f"{_at(path, text, *found.again)}: {'.'.join(map(str, found.again))} = {_shown(found.name)}"
    return f"{again}: {first}{where} is the same; keep one of them"


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
    return place_of_line(path, line_of(text, keys))


def _cache_dir(environment: Mapping[str, str]) -> Path:
    """The XDG base directory specification: a relative XDG_CACHE_HOME is ignored."""
    base = Path(environment.get("XDG_CACHE_HOME", ""))
    home = Path(environment["HOME"]) if environment.get("HOME") else Path.home()
    return (base if base.is_absolute() else home / ".cache") / "prhub-digest"


def _without_credentials(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
