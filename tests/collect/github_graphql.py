"""GraphQL of the fake GitHub: graphql-core executes on `github_schema.graphql`; the rules and errors are GitHub's."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from github_points import Load, load
from github_resolvers import resolve, type_name
from github_scenarios import Scenario
from github_world import World
from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    build_schema,
    execute,
    parse,
    validate,
)

_SCHEMA_FILE = Path(__file__).with_name("github_schema.graphql")
_UNDEFINED = re.compile(r"Cannot query field '(\w+)' on type '(\w+)'")
Problem = dict[str, Any]


@cache
def github_schema() -> GraphQLSchema:
    return build_schema(_SCHEMA_FILE.read_text(encoding="utf-8"))


@lru_cache(maxsize=256)
def _parsed(query: str) -> DocumentNode | list[GraphQLError]:
    """The query, or what is wrong with it."""
    try:
        document = parse(query)
    except GraphQLError as error:
        return [error]
    return validate(github_schema(), document) or document


class Executor:
    """`rate` gives the fields of `rateLimit` for a query of so many points."""

    def __init__(self, world: World, scenario: Scenario, rate: Callable[[int], Mapping[str, Any]]) -> None:
        self._world, self._scenario, self._rate = world, scenario, rate

    def operation(self, query: str) -> str:
        """The name of the query's operation, "" when it has none or cannot be read."""
        document = _parsed(query)
        parts = document.definitions if isinstance(document, DocumentNode) else ()
        names = [part.name for part in parts if isinstance(part, OperationDefinitionNode)]
        return names[0].value if names and names[0] else ""

    def load(self, query: str, variables: Mapping[str, Any]) -> Load:
        document = _parsed(query)
        return load(github_schema(), document, variables) if isinstance(document, DocumentNode) else Load(0, 0)

    def answer(self, query: str, variables: dict[str, Any], asked: Load) -> dict[str, Any]:
        """The body of GitHub's answer to a query of that load."""
        document = _parsed(query)
        if not isinstance(document, DocumentNode):
            return {"errors": [_refused(error) for error in document]}
        missing = [pair for pair in self._scenario.missing_fields.items() if re.search(rf"\b{pair[0]}\b", query)]
        if missing:
            return {"errors": [_undefined(owner, name) for name, owner in missing]}
        if asked.errors:
            return {"errors": [{"type": e.kind, "message": e.message, "path": list(e.path)} for e in asked.errors]}
        context = SimpleNamespace(world=self._world, scenario=self._scenario, rate=self._rate(asked.points))
        result = execute(
            github_schema(),
            document,
            variable_values=variables,
            context_value=context,
            field_resolver=resolve,
            type_resolver=lambda value, *_: type_name(value),
        )
        assert isinstance(result, ExecutionResult)  # no resolver is a coroutine
        for error in result.errors or ():
            if error.original_error and not isinstance(error.original_error, GraphQLError):
                raise error.original_error  # the fake is wrong, or a record of the world is none that GitHub could have
        problems = [_problem(error) for error in result.errors or ()]
        limit = self._scenario.resource_limit
        if limit is not None and asked.nodes > limit:
            problems += _blank(result.data)
        return {"data": result.data, **({"errors": problems} if problems else {})}


def _problem(error: GraphQLError) -> Problem:
    """An error as GitHub writes it: the type beside the message."""
    extensions = dict(error.extensions or {})
    kind = extensions.pop("type", None)
    made = {"type": kind} if kind else {}
    if extensions:
        made["extensions"] = extensions
    return {**made, "path": error.path, "locations": _places(error), "message": error.message}


def _places(error: GraphQLError) -> list[dict[str, int]]:
    return [{"line": place.line, "column": place.column} for place in error.locations or ()]


def _refused(error: GraphQLError) -> Problem:
    """An error of a query that is not executed."""
    known = _UNDEFINED.match(error.message)
    return _undefined(known[2], known[1]) if known else {"locations": _places(error), "message": error.message}


def _undefined(type_: str, field: str) -> Problem:
    return {
        "path": ["query", field],
        "extensions": {"code": "undefinedField", "typeName": type_, "fieldName": field},
        "message": f"Field '{field}' doesn't exist on type '{type_}'",
    }


def _blank(data: dict[str, Any] | None) -> list[Problem]:
    """Make the nodes of an answer null, as GitHub does when a query is too heavy; the errors that say so."""
    problems = []
    for name, value in (data or {}).items():
        if name == "rateLimit" or value is None:
            continue
        owner, key, path = _first_list(data, name, value)
        items = owner[key]
        many = isinstance(items, Sequence)
        problems += [_too_heavy([*path, place]) for place in range(len(items))] if many else [_too_heavy(path)]
        owner[key] = [None] * len(items) if many else None
    return problems


def _first_list(owner: Any, name: str, value: Any) -> tuple[Any, str, list[str]]:
    """Where the nodes of a field of the answer are, or the field itself, with the path."""
    if isinstance(value, list):
        return owner, name, [name]
    for key, inner in value.items() if isinstance(value, dict) else ():
        found = _first_list(value, key, inner)
        if isinstance(found[0][found[1]], list):
            return found[0], found[1], [name, *found[2]]
    return owner, name, [name]


def _too_heavy(path: list[Any]) -> Problem:
    return {
        "type": "RESOURCE_LIMITS_EXCEEDED",
        "path": path,
        "message": "Resource limits for this query exceeded.",
    }
