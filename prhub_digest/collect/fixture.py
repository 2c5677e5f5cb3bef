"""The fixture source: a recorded week in a folder, `manifest.json` and `pulls/<number>.json`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from prhub_digest.errors import SourceError
from prhub_digest.models.base import Record
from prhub_digest.models.filters import Filters
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, PullRequest
from prhub_digest.models.settings import Settings
from prhub_digest.models.twice import twice

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_R = TypeVar("_R", bound=Record)


def read_manifest(folder: Path) -> FixtureManifest:
    """The manifest of a fixture, which holds settings that a run can have.

    Raises:
        SourceError: no such file, or a field is wrong; names file and field.
    """
    path = folder / "manifest.json"
    manifest = _read(path, FixtureManifest)
    period, numbers = manifest.collection.period, manifest.collection.numbers
    try:
        Settings.model_validate({"cache_dir": folder, **manifest.week_settings, **manifest.model_settings})
    except ValidationError as error:
        raise SourceError(f"{path}: {_few([_fault_of_setting(fault) for fault in error.errors()])}") from None
    if period.since >= period.until:
        raise SourceError(f"{path}: collection.period.since: is not before until")
    try:
        _ = period.days
    except OverflowError:
        raise SourceError(f"{path}: collection.period: no calendar here reaches that far") from None
    again = [number for number, count in Counter(numbers).items() if count > 1]
    if again:
        raise SourceError(f"{path}: collection.numbers: {again[0]} stands there twice; keep one of them")
    return manifest


class FixtureSource:
    """The pull requests of a fixture; its texts were masked when it was recorded."""

    rereads = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def repository(self) -> str:
        return read_manifest(self._folder).collection.repository

    def head(self) -> None:
        return None

    def collection(self, period: Period) -> Collection:
        """The fixture's own collection.

        Raises:
            SourceError: the fixture is broken, or holds another period.
        """
        own = read_manifest(self._folder).collection
        if (own.period.since, own.period.until) != (period.since, period.until):
            raise SourceError(
                f"{self._folder}: this fixture holds {own.period.label} ({own.period.timezone}),"
                f" not {period.label} ({period.timezone}); leave out --week, or choose another fixture"
            )
        return own

    def pull_requests(self, collection: Collection, skip: frozenset[int]) -> Iterator[PullRequest]:
        """The pull requests in the order of the collection.

        Raises:
            SourceError: a file is missing or broken, or holds another pull request.
        """
        for number in collection.numbers:
            if number in skip:
                continue
            path = self._folder / "pulls" / f"{number}.json"
            pull = _read(path, PullRequest)
            if pull.number != number:
                raise SourceError(f"{path}: number: is {pull.number}, but the file is named {number}.json")
            yield pull


def _read(path: Path, record: type[_R]) -> _R:
    try:
        return record.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file; a fixture has manifest.json and pulls/<number>.json") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        faults = [f"{_key(fault['loc']) or 'the file'}: {fault['msg']}" for fault in error.errors()]
        raise SourceError(f"{path}: {_few(faults)}") from error


def _fault_of_setting(fault: "ErrorDetails") -> str:
    """Which key of the manifest holds no value that the setting can have, and what it can be."""
    if found := twice(fault):
        return f"{_key(found.again)} = {found.name!r}: {_key(found.first)} is the same; keep one of them"
    name, *rest = fault["loc"]
    folder: tuple[str, ...] = ()
    if name == "timezone":
        folder = ("collection", "period")
    elif name in Filters.model_fields:
        folder = ("collection", "filters")
    why = f"{fault['msg'].removeprefix('Value error, ')}; " if fault["type"] == "value_error" else ""
    wanted = Settings.model_fields[str(name)].description
    return f"{_key((*folder, name, *rest))} = {fault['input']!r}: {why}write {wanted}"


def _key(keys: Iterable[str | int]) -> str:
    return ".".join(map(str, keys))


def _few(faults: list[str]) -> str:
    more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
    return "; ".join(faults[:3]) + more
