"""A TOML file, and where a key or a fault stands in its text, so that an error message can name the line."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prhub_digest.errors import SettingsError

# A number that is so long that Python does not turn it into text, in decimal or hexadecimal digits; no text in quotes.
_LONG_NUMBER = re.compile(r"""(?<!["'\w])\d\w{3500}""", re.ASCII)
# Fewer than Python can follow, far more than anything needs.
_DEEP = 100


def parse_toml(path: Path, text: str) -> dict[str, Any]:
    """The values of the file at `path`, which holds `text`.

    Raises:
        SettingsError: it cannot be read; names file, line and fault.
    """
    try:
        table = tomllib.loads(text)
        repr(table)  # as hexadecimal digits, tomllib reads a number that nothing can write as decimal ones
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        place = place_of_line(path, _line_of_deep_nesting(text))
        raise SettingsError(f"{place}: lists or tables nest too deep to be read; no setting nests so") from None
    except ValueError:
        place = place_of_line(path, _line_of_long_number(text))
        raise SettingsError(f"{place}: a number has too many digits to be read; no setting needs thousands") from None
    return table


def place_of_line(path: Path, line: int | None) -> str:
    return f"{path}, line {line}" if line else str(path)


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


def _line_of_long_number(text: str) -> int | None:
    found = _LONG_NUMBER.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None


def _line_of_deep_nesting(text: str) -> int | None:
    """The first line at whose end lists and tables can stand this deep in each other."""
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        opened = line.count("[") + line.count("{")
        if depth + opened > _DEEP or line.count(".") > _DEEP:
            return number
        depth = max(0, depth + opened - line.count("]") - line.count("}"))
    return None


def _lines_of(text: str, key: str) -> list[int]:
    written = re.compile(rf"""\s*(\[\[?\s*)?["']?{re.escape(key)}["']?\s*[=.\]]""")
    return [number for number, line in enumerate(text.split("\n"), 1) if written.match(line)]
