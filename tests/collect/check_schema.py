"""Holds `github_schema.graphql` and every query against GitHub's official schema; npm fetches it for the moment.

    make check-schema

Not a part of the tests: it needs node and a network. The published schema is not quite valid (a field defined twice,
deprecated fields behind ones that are not), so it is taken as valid.
"""

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from github_graphql import github_schema
from github_points import load
from github_query_list import queries
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    build_schema,
    is_introspection_type,
    is_specified_scalar_type,
    parse,
    validate,
)

_PACKAGE = "@octokit/graphql-schema"
_MOST_POINTS = 10
_MOST_NODES = 20_000


def official_schema() -> tuple[str, GraphQLSchema]:
    """Which version was fetched, and its schema."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        done = subprocess.run(["npm", "pack", _PACKAGE, "--silent"], cwd=folder, check=True, capture_output=True)
        archive = done.stdout.decode().split()[-1]
        with tarfile.open(folder / archive) as files:
            files.extract("package/schema.graphql", folder, filter="data")
        text = (folder / "package" / "schema.graphql").read_text(encoding="utf-8")
    return archive.removesuffix(".tgz"), build_schema(text, assume_valid=True, assume_valid_sdl=True)


def differences(ours: GraphQLSchema, official: GraphQLSchema) -> Iterator[str]:
    """Where our schema says what the official one does not."""
    for name, kind in ours.type_map.items():
        if is_introspection_type(kind) or is_specified_scalar_type(kind):
            continue
        other = official.type_map.get(name)
        if other is None:
            yield f"{name}: no such type"
        elif type(kind) is not type(other):
            yield f"{name}: is {type(other).__name__}"
        else:
            yield from _members(kind, other)


def _members(ours: GraphQLNamedType, other: GraphQLNamedType) -> Iterator[str]:
    if isinstance(ours, GraphQLEnumType) and isinstance(other, GraphQLEnumType):
        yield from (f"{ours.name}.{value}: no such value" for value in ours.values.keys() - other.values.keys())
    elif isinstance(ours, GraphQLUnionType) and isinstance(other, GraphQLUnionType):
        names = {member.name for member in ours.types} - {member.name for member in other.types}
        yield from (f"{ours.name}: {name} is no member" for name in names)
    elif isinstance(ours, GraphQLInputObjectType) and isinstance(other, GraphQLInputObjectType):
        for name, field in ours.fields.items():
            if name not in other.fields or str(field.type) != str(other.fields[name].type):
                yield f"{ours.name}.{name}: differs"
        required = {name for name, field in other.fields.items() if str(field.type).endswith("!")}
        yield from (f"{ours.name}.{name}: is required" for name in required - ours.fields.keys())
    elif isinstance(ours, GraphQLObjectType | GraphQLInterfaceType):
        assert isinstance(other, GraphQLObjectType | GraphQLInterfaceType)
        names = {one.name for one in ours.interfaces} - {one.name for one in other.interfaces}
        yield from (f"{ours.name}: is no {name}" for name in names)
        for name, field in ours.fields.items():
            found = other.fields.get(name)
            yield from _field(f"{ours.name}.{name}", field, found) if found else [f"{ours.name}.{name}: no such field"]


def _field(place: str, ours: GraphQLField, other: GraphQLField) -> Iterator[str]:
    if str(ours.type) != str(other.type):
        yield f"{place}: is {other.type}, not {ours.type}"
    for name, argument in ours.args.items():
        found = other.args.get(name)
        if found is None or str(argument.type) != str(found.type):
            yield f"{place}({name}): {'no such argument' if found is None else f'is {found.type}'}"
    required = {name for name, argument in other.args.items() if str(argument.type).endswith("!")}
    yield from (f"{place}({name}): is required" for name in required - ours.args.keys())


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> int:
    version, official = official_schema()
    ours = github_schema()
    wrong = list(differences(ours, official))
    for line in wrong:
        _print(f"github_schema.graphql: {line}")
    bad = 0
    for name, query, variables in queries():
        document = parse(query)
        errors = [error.message for schema in (ours, official) for error in validate(schema, document)]
        cost = load(official, document, variables)
        errors += [error.message for error in cost.errors]
        if cost.points > _MOST_POINTS or cost.nodes > _MOST_NODES:
            errors.append(f"more than {_MOST_POINTS} points or {_MOST_NODES} nodes")
        bad += bool(errors)
        _print(f"{name}: {cost.points} points, {cost.nodes} nodes, {'; '.join(errors) or 'valid'}")
    types = sum(1 for name in ours.type_map if not name.startswith("__"))
    _print(f"{version}: {types} types of ours, {len(wrong)} differences; {len(queries())} queries, {bad} refused")
    return 1 if wrong or bad else 0


if __name__ == "__main__":
    sys.exit(main())
