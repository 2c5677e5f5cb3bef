"""One prompt: rendering in a sandbox, and the hash that tells one version from another."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Literal

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from prhub_digest.errors import PromptError
from prhub_digest.models.llm import Message, canonical_json
from prhub_digest.prompts.front_matter import FrontMatter
from prhub_digest.prompts.template import parse_template

# More than any model reads.
_LONGEST = 20_000_000


@dataclass(frozen=True)
class Part:
    """One message of the body; `line` is where its text starts in the file, from 1."""

    role: Literal["system", "user"]
    source: str
    line: int


@dataclass(frozen=True)
class Partial:
    path: Path
    source: str


@dataclass(frozen=True)
class Prompt:
    path: Path
    front: FrontMatter
    parts: tuple[Part, ...]
    environment: ImmutableSandboxedEnvironment

    @property
    def id(self) -> str:
        return self.front.id

    @cached_property
    def template_hash(self) -> str:
        """SHA-256 of the parsed body with its partials and the hashed front matter; comments do not count."""
        hashed = self.front.model_dump(exclude={"version", "notes", "cases"})
        trees = [[part.role, self._tree(part.source)] for part in self.parts]
        partials = {name: self._tree(partial.source) for name, partial in sorted(self.partials().items())}
        return hashlib.sha256(canonical_json([hashed, trees, partials]).encode()).hexdigest()

    def render(self, values: Mapping[str, Any], count: Callable[[str], int]) -> tuple[Message, ...]:
        """The messages for these values; values are inserted, never rendered.

        Raises:
            PromptError: a value is missing, unknown, or over its `max_tokens` by `count`.
        """
        self._check_values(values, count)
        rendered = []
        for part in self.parts:
            try:
                text = self._text(part, values)
            except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise PromptError(f"{self.path}: cannot render the {part.role} part: {error}") from error
            rendered.append(Message(role=part.role, content=text.strip()))
        return tuple(rendered)

    def _text(self, part: Part, values: Mapping[str, Any]) -> str:
        """Bounded, since loops in loops and partials in partials can say what they say any number of times."""
        pieces, size = [], 0
        for piece in self.environment.from_string(part.source).generate(values):
            size += len(piece)
            if size > _LONGEST:
                raise PromptError(f"{self.path}: the {part.role} part is longer than {_LONGEST} characters")
            pieces.append(piece)
        return "".join(pieces)

    def _tree(self, source: str) -> str:
        tokens = self.environment.lex(source)
        return repr(self.environment.parse("".join(text for _, kind, text in tokens if not kind.startswith("comment"))))

    def _check_values(self, values: Mapping[str, Any], count: Callable[[str], int]) -> None:
        required = {name for name, declared in self.front.inputs.items() if declared.required}
        missing, unknown = required - values.keys(), values.keys() - self.front.inputs.keys()
        if missing or unknown:
            raise PromptError(f"{self.path}: missing inputs {sorted(missing)}, unknown inputs {sorted(unknown)}")
        for name, declared in self.front.inputs.items():
            value = values.get(name)
            if declared.max_tokens and isinstance(value, str) and (size := count(value)) > declared.max_tokens:
                raise PromptError(f"{self.path}: input {name!r} has {size} tokens, over its {declared.max_tokens}")

    def partials(self) -> dict[str, Partial]:
        """Every partial that the body includes, directly or through another, by name."""
        found: dict[str, Partial] = {}
        includes: dict[str, list[str]] = {}
        waiting = [(self.path, part.line, part.source) for part in self.parts]
        while waiting:
            path, first_line, source = waiting.pop()
            for name in meta.find_referenced_templates(parse_template(self.environment, path, first_line, source)):
                includes.setdefault(path.name, []).append(str(name))
                if name not in found:
                    partial = _partial(self.environment, path, name)
                    found[str(name)] = partial
                    waiting.append((partial.path, 1, partial.source))
        try:
            TopologicalSorter(includes).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]
            file, told = found[circle[0]].path, " includes ".join(circle)
            raise PromptError(f"{file}: {told}; no partial may include itself, or through another") from None
        return found


def _partial(environment: ImmutableSandboxedEnvironment, path: Path, name: str | None) -> Partial:
    """A partial by the name that the file at `path` includes it with."""
    if name is None:
        raise PromptError(f"{path}: an include must name its file in quotes")
    if environment.loader is None or not name.startswith("_"):
        raise PromptError(f"{path}: {name!r} is no partial; a partial's name starts with _")
    try:
        source, file, _ = environment.loader.get_source(environment, name)
    except jinja2.TemplateNotFound:
        raise PromptError(f"{path}: the partial {name!r} is not beside it; partials are _<name>.md") from None
    except (UnicodeDecodeError, OSError) as error:
        raise PromptError(f"{path}: the partial {name!r} cannot be read as UTF-8: {error}") from error
    if not source.strip():
        raise PromptError(f"{file}: is empty; to leave out what it says, write why in a comment: {{# ... #}}")
    return Partial(Path(file or name), source)
