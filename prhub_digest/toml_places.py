"""Where a key stands in the text of a TOML file, so that an error message can name the line."""

import re
from collections.abc import Sequence


def line_of(text: str, keys: Sequence[str | int]) -> int | None:
    """The line of a key, counted from 1, or of the table that it stands in; None when neither is found.

    `areas, 1, "key"` is that key in the second `[[areas]]` table, `signals, "platforms", 0, "key"` one in the first
    `[[signals.platforms]]` table.
    """
    place = next((place for place, key in enumerate(keys) if isinstance(key, int)), None)
    index = keys[place] if place is not None else 0
    table = [str(key) for key in keys[: place if place is not None else 1]]
    inside = [str(key) for key in keys[(place + 1 if place is not None else 1) :]]
    if inside and (dotted := _lines_of(text, ".".join([*table, inside[0]]))):
        return dotted[0]
    numbers = _lines_of(text, ".".join(table)) or _lines_of(text, table[-1])
    if not numbers:
        return None
    assert isinstance(index, int)  # noqa: S101 - found as one above
    number = numbers[min(index, len(numbers) - 1)]
    if not inside or index >= len(numbers):
        return number
    end = numbers[index + 1] if index + 1 < len(numbers) else None
    return next((line for line in _lines_of(text, inside[0]) if number < line < (end or line + 1)), number)


def _lines_of(text: str, key: str) -> list[int]:
    written = re.compile(rf"""\s*(\[\[?\s*)?["']?{re.escape(key)}["']?\s*[=.\]]""")
    return [number for number, line in enumerate(text.split("\n"), 1) if written.match(line)]
