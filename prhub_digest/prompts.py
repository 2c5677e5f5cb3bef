"""Prompt files: strict loading, rendering in a sandbox, and the hash that tells one version from another.

A prompt is `<id>.prompt.md`: YAML front matter, then a Jinja2 body whose roles are split by lines `=== system` and
`=== user` before anything is rendered, so that no value can forge a role. Partials are `_<name>.md` beside it.
"""

import difflib
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import jinja2
import yaml
from jinja2 import meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import Field, ValidationError

from prhub_digest.errors import PromptError
from prhub_digest.hygiene import wrap_untrusted
from prhub_digest.models.base import Record
from prhub_digest.models.llm import Message, canonical_json
from prhub_digest.models.replies import REPLIES

SUFFIX = ".prompt.md"
_ROLE = re.compile(r"^=== (\w+)[ \t]*$", re.MULTILINE)
_FILTERS = ("join", "length", "indent")


class PromptInput(Record):
    """`trust: untrusted` values come from pull requests and must pass the filter `untrusted`."""

    type: Literal["text", "integer", "list"]
    trust: Literal["computed", "repo", "untrusted"]
    required: bool = True
    max_tokens: int | None = Field(default=None, gt=0)


class FrontMatter(Record):
    """`model` is a tier, never a name; `version`, `notes` and `cases` are not part of the hash."""

    id: str
    version: int = Field(ge=1)
    stage: Literal["summarize", "rank", "compose", "judge"]
    inputs: dict[str, PromptInput]
    output: str
    model: Literal["small", "large"]
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_output_tokens: int = Field(gt=0)
    cases: str | None = None
    notes: str | None = None


@dataclass(frozen=True)
class Part:
    """One message of the body; `line` is where its text starts in the file, from 1."""

    role: Literal["system", "user"]
    source: str
    line: int


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
        partials = {name: self._tree(source) for name, source in sorted(self.partials().items())}
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
                text = self.environment.from_string(part.source).render(values)
            except jinja2.TemplateError as error:
                raise PromptError(f"{self.path}: cannot render the {part.role} part: {error}") from error
            rendered.append(Message(role=part.role, content=text.strip()))
        return tuple(rendered)

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

    def partials(self) -> dict[str, str]:
        """The text of every partial that the body includes, directly or through another, by file name."""
        found: dict[str, str] = {}
        waiting = [part.source for part in self.parts]
        while waiting:
            for name in meta.find_referenced_templates(self.environment.parse(waiting.pop())):
                if name not in found:
                    source = _partial(self.environment, self.path, name)
                    found[str(name)] = source
                    waiting.append(source)
        return found


def load_prompts(shipped: Path, override: Path | None = None) -> dict[str, Prompt]:
    """Every prompt by id; a file in `override` replaces the shipped file of the same name.

    Raises:
        PromptError: a file is not a valid prompt; it names file, line and fix.
    """
    if override is not None and not override.is_dir():
        raise PromptError(f"--prompts {override}: no such folder")
    folders = [folder for folder in (override, shipped) if folder is not None]
    files: dict[str, Path] = {}
    for folder in reversed(folders):
        files.update({path.name: path for path in sorted(folder.glob(f"*{SUFFIX}"))})
    if not files:
        raise PromptError(f"no prompt files (*{SUFFIX}) in {shipped}")
    environment = _environment(folders)
    prompts = {path.name.removesuffix(SUFFIX): load_prompt(path, environment) for path in files.values()}
    if unknown := prompts.keys() - {path.name.removesuffix(SUFFIX) for path in shipped.glob(f"*{SUFFIX}")}:
        known = sorted(prompts.keys() - unknown)
        raise PromptError(f"{override}: {min(unknown)}{SUFFIX} overrides no prompt; there are {', '.join(known)}")
    return prompts


def load_prompt(path: Path, environment: ImmutableSandboxedEnvironment) -> Prompt:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
    text = text.replace("\r\n", "\n")
    front_text, body, body_line = _split_front_matter(path, text)
    front = _front_matter(path, front_text)
    prompt = Prompt(path, front, _split_roles(path, body, body_line), environment)
    _check(prompt)
    return prompt


def _environment(folders: list[Path]) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(folders),
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters = {name: environment.filters[name] for name in _FILTERS} | {"untrusted": wrap_untrusted}
    environment.globals.clear()
    return environment


def _split_front_matter(path: Path, text: str) -> tuple[str, str, int]:
    if not text.startswith("---\n"):
        raise PromptError(f"{path}:1: a prompt starts with front matter between two lines of ---")
    end = text.find("\n---\n", 3)
    if end < 0:
        raise PromptError(f"{path}:1: the front matter is not closed; end it with a line of ---")
    return text[4 : end + 1], text[end + 5 :], text.count("\n", 0, end + 5) + 1


def _front_matter(path: Path, text: str) -> FrontMatter:
    lines = _key_lines(path, text)
    try:
        return FrontMatter.model_validate(yaml.safe_load(text))
    except ValidationError as error:
        raise PromptError("\n".join(_front_matter_fault(path, lines, fault) for fault in error.errors())) from error


def _key_lines(path: Path, text: str) -> dict[tuple[str, ...], int]:
    """The line of every key of the mapping and of its nested mappings, counted in the file."""
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise PromptError(f"{path}:{line}: the front matter is not YAML: {error.problem}") from error
    if not isinstance(tree, yaml.MappingNode):
        raise PromptError(f"{path}:2: the front matter must hold keys such as id, version and stage")
    lines: dict[tuple[str, ...], int] = {}

    def walk(node: yaml.MappingNode, above: tuple[str, ...]) -> None:
        for key, value in node.value:
            name = (*above, str(key.value))
            if name in lines:
                raise PromptError(f"{path}:{key.start_mark.line + 2}: {'.'.join(name)} stands twice; remove one")
            lines[name] = key.start_mark.line + 2
            if isinstance(value, yaml.MappingNode):
                walk(value, name)

    walk(tree, ())
    return lines


def _front_matter_fault(path: Path, lines: dict[tuple[str, ...], int], fault: Any) -> str:
    place = tuple(str(step) for step in fault["loc"])
    line = next((lines[place[:length]] for length in range(len(place), 0, -1) if place[:length] in lines), 1)
    name = ".".join(place)
    match fault["type"]:
        case "extra_forbidden":
            allowed = FrontMatter.model_fields if len(place) == 1 else PromptInput.model_fields
            close = difflib.get_close_matches(place[-1], allowed, 1)
            hint = f"did you mean {close[0]}?" if close else f"known keys: {', '.join(allowed)}"
            return f"{path}:{line}: unknown key {name!r}; {hint}"
        case "missing":
            return f"{path}:{line}: the key {name!r} is missing"
        case _:
            return f"{path}:{line}: {name}: {fault['msg']}"


def _split_roles(path: Path, body: str, first_line: int) -> tuple[Part, ...]:
    marks = list(_ROLE.finditer(body))
    if not marks or body[: marks[0].start()].strip():
        raise PromptError(f"{path}:{first_line}: the body must start with a line '=== system' or '=== user'")
    parts = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        line = first_line + body.count("\n", 0, mark.start())
        if mark[1] not in ("system", "user"):
            raise PromptError(f"{path}:{line}: role {mark[1]!r}; a role is system or user")
        source = body[mark.end() + 1 : following.start() if following else None]
        parts.append(Part(cast("Literal['system', 'user']", mark[1]), source, line + 1))
    return tuple(parts)


def _check(prompt: Prompt) -> None:
    """Names, filters and the wrapping of untrusted values are settled at load, not in the middle of a paid run."""
    front, path = prompt.front, prompt.path
    if front.id != path.name.removesuffix(SUFFIX):
        raise PromptError(f"{path}: id {front.id!r} must be the file's name without {SUFFIX}")
    if front.output not in REPLIES:
        raise PromptError(f"{path}: output {front.output!r} is no reply class; there are {', '.join(REPLIES)}")
    for part in prompt.parts:
        _check_template(prompt, path, part.line, part.source)
    for name, source in prompt.partials().items():
        _check_template(prompt, path.with_name(name), 1, source)


def _check_template(prompt: Prompt, path: Path, first_line: int, source: str) -> None:
    try:
        tree = prompt.environment.parse(source)
    except jinja2.TemplateSyntaxError as error:
        raise PromptError(f"{path}:{first_line + error.lineno - 1}: {error.message}") from error
    wrapped = set()
    for node in tree.find_all(nodes.Filter):
        if node.name == "untrusted":
            wrapped.add(id(node.node))
        if node.name not in prompt.environment.filters:
            known = ", ".join(sorted(prompt.environment.filters))
            raise PromptError(f"{path}:{first_line + node.lineno - 1}: no filter {node.name!r}; there are {known}")
    undeclared = meta.find_undeclared_variables(tree)
    inputs = prompt.front.inputs
    for name in tree.find_all(nodes.Name):
        line, declared = first_line + name.lineno - 1, inputs.get(name.name)
        if declared is None and name.name in undeclared:
            close = difflib.get_close_matches(name.name, inputs, 1)
            hint = f"did you mean {close[0]}?" if close else "declare it under inputs"
            raise PromptError(f"{path}:{line}: undefined variable {name.name!r}; {hint}")
        if declared is not None and declared.trust == "untrusted" and id(name) not in wrapped:
            raise PromptError(f"{path}:{line}: {name.name!r} is untrusted; write {{{{ {name.name} | untrusted }}}}")


def _partial(environment: ImmutableSandboxedEnvironment, path: Path, name: str | None) -> str:
    if name is None:
        raise PromptError(f"{path}: an include must name its file in quotes")
    if environment.loader is None or not name.startswith("_"):
        raise PromptError(f"{path}: {name!r} is no partial; a partial's name starts with _")
    try:
        return environment.loader.get_source(environment, name)[0]
    except jinja2.TemplateNotFound:
        raise PromptError(f"{path}: the partial {name!r} is not beside it; partials are _<name>.md") from None
