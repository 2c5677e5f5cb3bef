"""Flags of what users and their programs meet: the public interface, its settings, and their defaults."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from prhub_digest.models.signals import Flag
from prhub_digest.signals.defaults import declared_defaults, parameter_defaults
from prhub_digest.signals.exports import exported_names, lists_exports
from prhub_digest.signals.file_diffs import FileDiff, Row, is_code
from prhub_digest.signals.file_places import holds_settings, is_for_developers, is_handed_out, is_public, is_tooling
from prhub_digest.signals.flag_evidence import Place, from_places
from prhub_digest.signals.names import (
    DECLARING_WORDS,
    docker_names,
    environment_names,
    field_names,
    field_option_names,
    is_keyed,
    key_and_value,
    option_names,
    route_names,
)
from prhub_digest.signals.subject import Subject
from prhub_digest.signals.symbols import marks_exports

# A name with the part of its line that must not differ, and where it stands; of one side.
_Named = Iterator[tuple[str, str, Place]]
_Rule = Callable[[FileDiff, Sequence[Row], int, str], Iterator[str]]
_SIDES = ("removed", "added")


def public_api(subject: Subject) -> Flag:
    """An exported symbol, option or route was added, removed or changed its signature."""
    paths = subject.settings.public_paths
    public = [file for file in subject.source if file.edited and is_public(file.path, paths)]
    symbols = _differences(_symbols(subject, file, side) for file in public for side in (0, 1))
    declaring = [file for file in public if file.mentions(DECLARING_WORDS)]
    declared = _differences(_declared(file, side, _options_and_routes) for file in declaring for side in (0, 1))
    places = (*(place for place in symbols if _is_meant(place, paths)), *declared)
    return from_places(subject.pull, "public_api", places, "no exported symbol changed", _unread(public))


def configuration(subject: Subject) -> Flag:
    """A key, an option or an environment variable was added, removed or renamed."""
    paths = subject.settings.configuration_paths
    files = [file for file in subject.product if not is_tooling(file.path) and not is_for_developers(file.path)]

    def names(file: FileDiff, rows: Sequence[Row], place: int, _section: str) -> Iterator[str]:
        yield from environment_names(rows[place].text)
        if file.kind == "build":
            yield from docker_names(rows[place].text)
        elif file.kind == "source":
            yield from option_names(rows, place)
            yield from field_option_names(rows, place)

    def keys(_file: FileDiff, rows: Sequence[Row], place: int, _section: str) -> Iterator[str]:
        key = key_and_value(rows[place].text)
        return iter([key[0]] if key else [])

    def fields(file: FileDiff, rows: Sequence[Row], place: int, section: str) -> Iterator[str]:
        return (f"{file.path} {name}" for name in field_names(file.path, rows, place, section))

    code = [file for file in files if file.kind != "config" and file.mentions(DECLARING_WORDS)]
    declaring = [file for file in files if file.kind == "source" and holds_settings(file.path, paths)]
    keyed = [
        file for file in files if file.kind == "config" and is_keyed(file.path) and holds_settings(file.path, paths)
    ]
    places = (
        *_differences(_declared(file, side, names) for file in code for side in (0, 1)),
        *_differences(_declared(file, side, fields) for file in declaring for side in (0, 1)),
        *_differences(_declared(file, side, keys) for file in keyed for side in (0, 1)),
    )
    unread = _unread(file for file in files if file.kind in {"source", "config"})
    return from_places(subject.pull, "configuration", places, "no key, option or variable added or removed", unread)


def default_changed(subject: Subject) -> Flag:
    """The same name has another default value than before."""
    paths = subject.settings.configuration_paths
    files = [
        file
        for file in subject.product
        if file.change.status != "added"
        and not is_for_developers(file.path)
        and (
            file.kind == "source"
            or (file.kind == "config" and is_keyed(file.path) and holds_settings(file.path, paths))
        )
    ]
    places = [place for file in files for hunk in range(len(file.hunks)) for place in _new_values(subject, file, hunk)]
    return from_places(subject.pull, "default_changed", places, "no default value changed", _unread(files))


def _new_values(subject: Subject, file: FileDiff, number: int) -> Iterator[Place]:
    """Names that stand once on each side of a hunk with values that differ."""
    old = _values(subject, file, number, 0)
    new = _values(subject, file, number, 1) if old else {}
    for name in [name for name in new if name in old]:  # in the order of the lines
        if len(old[name]) == len(new[name]) == 1 and old[name][0][0] != new[name][0][0]:
            row = new[name][0][1]
            yield Place(file.path, row.number, f"{name} was {old[name][0][0]}", row.text)


def _values(subject: Subject, file: FileDiff, number: int, side: int) -> dict[str, list[tuple[str, Row]]]:
    hunk = file.hunks[number]
    found: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    rows = hunk.sides[side]
    for place, row in enumerate(rows):
        if not row.changed or not is_code(row.text):
            continue
        if file.kind == "source":
            for name, value in declared_defaults(file.path, rows, place, hunk.section):
                found[name].append((value, row))
        else:
            key = key_and_value(row.text)
            if key and key[1]:
                found[key[0]].append((key[1].rstrip(","), row))
    if file.kind == "source":
        for symbol in subject.symbols[file.path][number][side]:
            for name, value in parameter_defaults(symbol.signature).items():
                found[f"{symbol.name}({name})"].append((value, symbol.row))
    return found


def _symbols(subject: Subject, file: FileDiff, side: int) -> tuple[int, _Named]:
    return side, _exported(subject, file, side)


def _exported(subject: Subject, file: FileDiff, side: int) -> _Named:
    listing = lists_exports(file)
    for hunk, symbols in zip(file.hunks, subject.symbols[file.path], strict=True):
        for symbol in symbols[side]:
            place = Place(file.path, symbol.row.number, _SIDES[side], symbol.row.text)
            yield symbol.name, symbol.signature, place
        rows = hunk.sides[side]
        for place_of, row in enumerate(rows) if listing else ():
            if row.changed:
                for name in exported_names(file.path, rows, place_of, hunk.section):
                    what = f"{_SIDES[side]} as an export"
                    yield f"export {name}", "", Place(file.path, row.number, what, row.text)


def _is_meant(place: Place, paths: tuple[str, ...]) -> bool:
    """What only other files of the package must import is public once somebody may rely on it, not when it is new."""
    if place.path.endswith((".py", ".pyi")):
        return place.what != "added" or is_handed_out(place.path, paths)
    return marks_exports(place.path) or is_handed_out(place.path, paths)


def _options_and_routes(_file: FileDiff, rows: Sequence[Row], place: int, _section: str) -> Iterator[str]:
    yield from option_names(rows, place)
    yield from field_option_names(rows, place)
    yield from route_names(rows[place].text)


def _declared(file: FileDiff, side: int, rule: _Rule) -> tuple[int, _Named]:
    return side, _named(file, side, rule)


def _named(file: FileDiff, side: int, rule: _Rule) -> _Named:
    for hunk in file.hunks:
        rows = hunk.sides[side]
        for place, row in enumerate(rows):
            for name in rule(file, rows, place, hunk.section):
                if is_code(row.text):
                    yield name, "", Place(file.path, row.number, _SIDES[side], row.text)


def _differences(parts: Iterable[tuple[int, _Named]]) -> Iterator[Place]:
    """Names of one side of the whole pull request only, and names whose kept parts differ: what moved is neither."""
    sides: tuple[dict[str, list[tuple[str, Place]]], ...] = (defaultdict(list), defaultdict(list))
    for side, named in parts:
        for name, kept, place in named:
            sides[side][name].append((kept, place))
    old, new = sides
    for name in sorted(old.keys() | new.keys()):
        was, now = ({kept for kept, _ in side.get(name, ())} for side in sides)
        if was == now:
            continue
        both = (*new.get(name, ()), *old.get(name, ()))
        place = next(place for kept, place in both if kept not in was & now)
        yield place._replace(what="signature changed") if was and now else place


def _unread(files: Iterable[FileDiff]) -> str:
    return next((file.path for file in files if not file.whole), "")
