"""The fixture source: a recorded week in a folder, `manifest.json` and `pulls/<number>.json`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from prhub_digest.errors import SourceError
from prhub_digest.models.base import Record
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, PullRequest

_R = TypeVar("_R", bound=Record)


def read_manifest(folder: Path) -> FixtureManifest:
    """The manifest of a fixture.

    Raises:
        SourceError: no such file, or a field is wrong; names file and field.
    """
    return _read(folder / "manifest.json", FixtureManifest)


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
        faults = [f"{'.'.join(map(str, fault['loc'])) or 'the file'}: {fault['msg']}" for fault in error.errors()]
        more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
        raise SourceError(f"{path}: {'; '.join(faults[:3])}{more}") from error
