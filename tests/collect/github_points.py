"""What GitHub counts and enforces beyond the GraphQL language: page sizes, possible nodes, points.

The rules and the two worked examples that the tests use:
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLCompositeType,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
    type_from_ast,
    value_from_ast_untyped,
)

MAX_PAGE = 100
MAX_NODES = 500_000
_PAGED = {"nodes", "edges", "pageInfo"}


@dataclass(frozen=True)
class RuleError:
    """A rule of GitHub that a query breaks; `kind` is the `type` of GitHub's error."""

    kind: str
    message: str
    path: tuple[str, ...]


@dataclass(frozen=True)
class Load:
    """`requests`: how often connections are resolved when every page is full."""

    requests: int
    nodes: int
    errors: tuple[RuleError, ...] = ()

    @property
    def points(self) -> int:
        return max(1, (self.requests + 50) // 100)


@dataclass
class _Walk:
    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, Any]
    requests: int = 0
    nodes: int = 0

    def __post_init__(self) -> None:
        self.errors: list[RuleError] = []

    def visit(
        self, parent: GraphQLNamedType | None, selections: SelectionSetNode | None, times: int, path: tuple[str, ...]
    ) -> None:
        for owner, field in self.fields(parent, selections):
            definition = _field(owner, field.name.value)
            if definition is not None:
                self._field(definition, field, times, (*path, (field.alias or field.name).value))

    def fields(
        self, parent: GraphQLNamedType | None, selections: SelectionSetNode | None
    ) -> Iterator[tuple[GraphQLNamedType | None, FieldNode]]:
        """The selected fields with the type that they belong to, through all fragments."""
        for selection in selections.selections if selections else ():
            if isinstance(selection, FieldNode):
                yield parent, selection
            elif isinstance(selection, FragmentSpreadNode):
                yield from self._inside(parent, self.fragments[selection.name.value])
            elif isinstance(selection, InlineFragmentNode):
                yield from self._inside(parent, selection)

    def _inside(
        self, parent: GraphQLNamedType | None, fragment: FragmentDefinitionNode | InlineFragmentNode
    ) -> Iterator[tuple[GraphQLNamedType | None, FieldNode]]:
        inner = type_from_ast(self.schema, fragment.type_condition) if fragment.type_condition else parent
        yield from self.fields(inner, fragment.selection_set)

    def _field(self, definition: GraphQLField, field: FieldNode, times: int, path: tuple[str, ...]) -> None:
        inner = get_named_type(definition.type)
        arguments = {
            argument.name.value: value_from_ast_untyped(argument.value, dict(self.variables))
            for argument in field.arguments or ()
        }
        if inner.name.endswith("Connection"):
            size = self._page_size(field, arguments, path)
            self.requests += times
            self.nodes += times * size
            times *= size
        elif isinstance(arguments.get("ids"), list):
            times *= len(arguments["ids"])
            self.nodes += times
        self.visit(inner, field.selection_set, times, path)

    def _page_size(self, field: FieldNode, arguments: Mapping[str, Any], path: tuple[str, ...]) -> int:
        name = field.name.value
        given = {key: arguments[key] for key in ("first", "last") if arguments.get(key) is not None}
        paged = any(inner.name.value in _PAGED for _, inner in self.fields(None, field.selection_set))
        if not given and paged:
            message = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
            self.errors.append(RuleError("MISSING_PAGINATION_BOUNDARIES", message, path))
        for key, size in given.items():
            if size > MAX_PAGE:
                message = (
                    f"Requesting {size} records on the `{name}` connection exceeds the `{key}` limit of 100 records."
                )
                self.errors.append(RuleError("EXCESSIVE_PAGINATION", message, path))
            elif size < 1:
                message = f"`{key}` on the `{name}` connection must be at least 1, not {size}."
                self.errors.append(RuleError("ARGUMENT_LIMIT", message, path))
        return max(given.values(), default=0)


def load(schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any]) -> Load:
    """What a query asks for at most, and the rules that it breaks."""
    fragments = {part.name.value: part for part in document.definitions if isinstance(part, FragmentDefinitionNode)}
    operation = next(part for part in document.definitions if isinstance(part, OperationDefinitionNode))
    walk = _Walk(schema, fragments, variables)
    walk.visit(schema.query_type, operation.selection_set, 1, ())
    if walk.nodes > MAX_NODES:
        message = (
            f"This query requests up to {walk.nodes:,} possible nodes which exceeds the maximum limit of {MAX_NODES:,}."
        )
        walk.errors.append(RuleError("MAX_NODE_LIMIT_EXCEEDED", message, ()))
    return Load(walk.requests, walk.nodes, tuple(walk.errors))


def _field(owner: GraphQLNamedType | GraphQLCompositeType | None, name: str) -> GraphQLField | None:
    fields = owner.fields if isinstance(owner, (GraphQLObjectType, GraphQLInterfaceType)) else {}
    return fields.get(name)
