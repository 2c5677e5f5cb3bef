"""What every record shares: frozen, unknown fields refused, no NaN or infinity."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="null")

    def to_json(self) -> str:
        """UTF-8 JSON text, two spaces of indent, ending in a newline; the same bytes for the same record."""
        return self.model_dump_json(indent=2) + "\n"

    def updated(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated again."""
        return type(self).model_validate({name: getattr(self, name) for name in type(self).model_fields} | changes)


def refuse_twice(names: Iterable[str]) -> None:
    """For validators of lists whose entries have a name each.

    Raises:
        ValueError: a name stands there twice; it is the first such.
    """
    name, count = next(iter(Counter(names).most_common(1)), ("", 0))
    if count > 1:
        raise ValueError(f"{name!r} stands there twice")
