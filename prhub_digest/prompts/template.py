"""What of Jinja2 a prompt may use: enough to insert values, and nothing that computes, repeats or hides text."""

import math
from pathlib import Path

import jinja2
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from prhub_digest.errors import PromptError

_KNOWN = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.If,
    nodes.For,
    nodes.Include,
    nodes.Scope,  # around other statements
    nodes.Name,
    nodes.Const,
    nodes.List,
    nodes.Tuple,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Filter,
    nodes.Test,
    nodes.Keyword,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Neg,
    nodes.CondExpr,
    nodes.Concat,
)
# What the others are called where they are written; all further expressions are arithmetic.
_STATEMENTS: dict[type[nodes.Node], str] = {
    nodes.Assign: "set",
    nodes.AssignBlock: "set",
    nodes.CallBlock: "call",
    nodes.FilterBlock: "filter",
    nodes.FromImport: "from",
    nodes.ScopedEvalContextModifier: "autoescape",
}
_EXPRESSIONS: dict[type[nodes.Node], str] = {nodes.Call: "a call", nodes.Dict: "a mapping", nodes.Slice: "a slice"}
# Jinja2 and Python follow about twice as many.
_DEEPEST = 40
_WIDEST = 100


def parse_template(
    environment: ImmutableSandboxedEnvironment, path: Path, first_line: int, source: str
) -> nodes.Template:
    """The tree of a template that uses only what a prompt may.

    Raises:
        PromptError: names file, line and fix.
    """
    try:
        tree = environment.parse(source)
    except jinja2.TemplateSyntaxError as error:
        raise PromptError(f"{path}:{first_line + error.lineno - 1}: {error.message}") from error
    except RecursionError:
        raise PromptError(f"{path}:{first_line}: {_too_deep('below this line')}") from None
    except ValueError:
        raise PromptError(f"{path}:{first_line}: below this line, a number has too many digits") from None
    waiting: list[tuple[nodes.Node, int, int]] = [(tree, 0, 1)]
    while waiting:
        node, depth, line = waiting.pop()
        line = node.lineno or line
        fault = _too_deep("it") if depth > _DEEPEST else _fault(node)
        if fault:
            raise PromptError(f"{path}:{first_line + line - 1}: {fault}")
        waiting += [(child, depth + 1, line) for child in reversed(list(node.iter_child_nodes()))]
    return tree


def compile_template(environment: ImmutableSandboxedEnvironment, path: Path, first_line: int, source: str) -> None:
    """Finds at load what Jinja2 and Python refuse only then.

    Raises:
        PromptError: names file, line and fix.
    """
    try:
        environment.compile(source)
    except jinja2.TemplateSyntaxError as error:
        raise PromptError(f"{path}:{first_line + error.lineno - 1}: {error.message}") from error
    except (RecursionError, SyntaxError, MemoryError):  # Python's limits of blocks, of parentheses and of its stack
        raise PromptError(f"{path}:{first_line}: {_too_deep('below this line')}") from None


def _too_deep(where: str) -> str:
    return f"{where} nests too deep, with more than {_DEEPEST} parts in each other or 20 loops; make it simpler"


def _fault(node: nodes.Node) -> str:
    """Why a prompt may not use it; empty when it may."""
    if isinstance(node, nodes.Const):
        return _fault_of_constant(node.value)
    if isinstance(node, nodes.Filter) and node.name == "indent":
        given = [*node.args, *(keyword.value for keyword in node.kwargs)]
        small = (isinstance(value, nodes.Const) and not _over(value.value, _WIDEST) for value in given)
        return "" if all(small) else f"indent takes a number of blanks that is written out, up to {_WIDEST}"
    if isinstance(node, _KNOWN):
        return ""
    if isinstance(node, nodes.Stmt):
        name = _STATEMENTS.get(type(node), type(node).__name__.lower())
        return f"{{% {name} %}} is not for prompts; a prompt's statements are if, for and include"
    name = _EXPRESSIONS.get(type(node), "arithmetic")
    return f"{name} is not for prompts; a value is inserted, compared, or passed to a filter"


def _over(value: object, most: int) -> bool:
    return isinstance(value, int | float) and value > most


def _fault_of_constant(value: object) -> str:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return "holds half a character (a surrogate), which no text can"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number is too large"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number is too large"
    return ""
