"""Names that a package hands out without declaring them there: `__init__.py`, `__all__`, `index.ts`, `pub use`."""

import re
from collections.abc import Iterator, Sequence

from prhub_digest.signals.file_diffs import FileDiff, Row

_ALL_ENTRY = re.compile(r"""^\s*["'](?P<name>[A-Za-z]\w*)["'],?\s*(?:#.*)?$""")
_ALL_LINE = re.compile(r"^__all__\s*\+?=\s*[\[(](?P<names>.*)")
_IMPORT = re.compile(r"^(?:from\s+(?P<module>\.[\w.]*|[\w.]+)\s+)import\s+\(?(?P<names>[\w ,*]*)")
_IMPORT_ENTRY = re.compile(r"^ {4}(?P<name>[A-Za-z]\w*)(?: as (?P<alias>\w+))?,\s*(?:#.*)?$")
_INDEX = re.compile(r"^(?:export\b.*(?:\{(?P<names>[^}]*)\}|\*)(?: from (?P<module>\S+))?)")
_PUB_USE = re.compile(r"^pub use (?P<names>[^;]+);")
_LISTING = re.compile(r"(?:^|/)(?:__init__\.py|(?:index|main|mod|public[-_]api)\.[cm]?[jt]sx?|lib\.rs)$")
_QUOTED = re.compile(r"""["'](\w+)["']""")
_LOOKBACK = 80


def lists_exports(file: FileDiff) -> bool:
    """Whether a file may hold such a list at all."""
    return _LISTING.search(file.path) is not None or file.mentions(("__all__",))


def exported_names(path: str, rows: Sequence[Row], place: int, section: str) -> Iterator[str]:
    """The public names that one line of such a list hands out."""
    text = rows[place].text
    name = path.rpartition("/")[2]
    if name.endswith(".py"):
        yield from (own for own in _python_names(name, rows, place, section) if not own.startswith("_"))
    elif _LISTING.search(path) and name != "lib.rs":
        found = _INDEX.match(text)
        if found:
            yield from _listed(found["names"]) if found["names"] else [f"* from {found['module']}"]
    elif name == "lib.rs":
        found = _PUB_USE.match(text)
        if found:
            inner = found["names"].replace("{", ",").replace("}", ",").rpartition("::")[2] or found["names"]
            yield from _listed(inner)


def _python_names(name: str, rows: Sequence[Row], place: int, section: str) -> Iterator[str]:
    text = rows[place].text
    whole = _ALL_LINE.match(text)
    if whole:
        yield from _QUOTED.findall(whole["names"])
        return
    entry = _ALL_ENTRY.match(text)
    if entry:
        if _inside(rows, place, section, "__all__"):
            yield entry["name"]
        return
    if name != "__init__.py":
        return
    found = _IMPORT.match(text)
    # What a package takes from elsewhere is not its own.
    if found and found["module"].startswith("."):
        yield from _listed(found["names"])
        return
    part = _IMPORT_ENTRY.match(text)
    if part and _inside(rows, place, section, "from ."):
        yield part["alias"] or part["name"]


def _inside(rows: Sequence[Row], place: int, section: str, opening: str) -> bool:
    """Whether the bracket that a line stands in was opened by a line that begins so."""
    for row in reversed(rows[max(0, place - _LOOKBACK) : place]):
        if row.text[:1].strip() and row.text[0] not in ")]}#":
            return row.text.startswith(opening)
    return section.startswith(opening) or (opening == "__all__" and not section)


def _listed(names: str) -> list[str]:
    """`a, b as c` -> a, c."""
    parts = (part.strip().removeprefix("type ").rpartition(" as ")[2].strip() for part in names.split(","))
    return [part for part in parts if part and part not in {"*", "self", "default"}]
