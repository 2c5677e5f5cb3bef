"""Which entries of a list have the same name, where `refuse_twice` has refused the list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prhub_digest.models.base import Record

Keys = tuple[str | int, ...]

_SAYS = " stands there twice"


@dataclass(frozen=True, slots=True)
class Twice:
    """Where a name stands first, where it stands again, and how it is spelt there."""

    first: Keys
    again: Keys
    name: str


def twice(detail: Mapping[str, Any]) -> Twice | None:
    """The two entries that `detail`, a fault as pydantic tells it, is about; None when it is about something else."""
    if not detail["msg"].endswith(_SAYS):
        return None
    wanted = detail["msg"].removeprefix("Value error, ").removesuffix(_SAYS)
    found = []
    for index, entry in enumerate(detail["input"]):
        own = entry.model_dump() if isinstance(entry, Record) else entry
        key = "key" if "key" in own else "en"
        # A term of the glossary is compared without its case and the width of its blanks.
        compared = own[key] if key == "key" else " ".join(own[key].split()).casefold()
        if repr(compared) == wanted:
            found.append(((*detail["loc"], index, key), own[key]))
    (first, _), (again, name) = found[:2]
    return Twice(first, again, name)
