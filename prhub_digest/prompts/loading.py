"""Prompt files -> prompts, checked at load: nothing is found wrong in the middle of a paid run."""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

import jinja2
from jinja2 import meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from prhub_digest.errors import PromptError
from prhub_digest.hygiene import wrap_untrusted
from prhub_digest.models.replies import REPLIES
from prhub_digest.prompts.front_matter import read_front_matter, refuse_other_use
from prhub_digest.prompts.prompt import Part, Prompt
from prhub_digest.prompts.template import compile_template, parse_template

SUFFIX = ".prompt.md"
_ROLE = re.compile(r"^=== (\w+)[ \t]*$", re.MULTILINE)
_FILTERS = ("join", "length", "indent")


def load_prompts(shipped: Path, override: Path | None = None) -> dict[str, Prompt]:
    """Every prompt by id; a file in `override` replaces the shipped file of the same name.

    Raises:
        PromptError: a file is not a valid prompt; it names file, line and fix.
    """
    if override is not None and not override.is_dir():
        raise PromptError(f"--prompts {override}: no such folder")
    ours, theirs = _files(shipped), _files(override) if override is not None else {}
    if not ours:
        raise PromptError(f"no prompt files (*{SUFFIX}) in {shipped}")
    if unknown := sorted(theirs.keys() - ours.keys()):
        known = ", ".join(name.removesuffix(SUFFIX) for name in ours)
        raise PromptError(f"{override}: {unknown[0]} overrides no prompt; there are {known}")
    environment = _environment([folder for folder in (override, shipped) if folder is not None])
    prompts = {
        name.removesuffix(SUFFIX): load_prompt(theirs.get(name, path), environment, path) for name, path in ours.items()
    }
    if override is not None:
        _refuse_unused(override, shipped, prompts)
    return prompts


def _files(folder: Path) -> dict[str, Path]:
    """The prompt files of a folder by name.

    Raises:
        PromptError: what is named like one of its files is a folder, or a link to nothing.
    """
    for path in sorted(folder.glob("*.md")):
        if not path.is_file():
            raise PromptError(f"{path}: is no file; prompts and partials are files of text")
    return {path.name: path for path in sorted(folder.glob(f"*{SUFFIX}"))}


def _refuse_unused(override: Path, shipped: Path, prompts: Mapping[str, Prompt]) -> None:
    """A misspelt file would leave the shipped text in place without a word."""
    files = sorted(path for path in override.glob("*.md"))
    if not files:
        raise PromptError(f"--prompts {override}: no prompt files in it; they are <id>{SUFFIX} and _<name>.md")
    included = {name for prompt in prompts.values() for name in prompt.partials()}
    for path in files:
        if path.name.endswith(SUFFIX) or path.name in included:
            continue
        known = sorted(included | {other.name for other in shipped.glob(f"*{SUFFIX}")})
        close = difflib.get_close_matches(path.name, known, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
        raise PromptError(f"{path}: no prompt uses this file; {hint}")


def load_prompt(path: Path, environment: ImmutableSandboxedEnvironment, shipped: Path) -> Prompt:
    """The prompt at `path`, which may replace the `shipped` one."""
    front_text, body, body_line = _split_front_matter(path, _read(path))
    front = read_front_matter(path, front_text)
    if path != shipped:
        replaced, _, _ = _split_front_matter(shipped, _read(shipped))
        refuse_other_use(path, front_text, front, read_front_matter(shipped, replaced))
    prompt = Prompt(path, front, _split_roles(path, body, body_line), environment)
    _check(prompt)
    return prompt


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}") from error


def _environment(folders: list[Path]) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(folders, encoding="utf-8-sig"),
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
        if not source.strip():
            raise PromptError(f"{path}:{line}: nothing stands under === {mark[1]}; write its text, or leave it out")
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
        if part.role == "system":
            _refuse_strangers(prompt, part)
    _refuse_idle_inputs(prompt)
    for partial in prompt.partials().values():
        _check_template(prompt, partial.path, 1, partial.source)


def _refuse_strangers(prompt: Prompt, part: Part) -> None:
    """What strangers wrote has no place beside the instructions."""
    for name in _names(prompt, part.source):
        declared = prompt.front.inputs.get(name)
        if declared is not None and declared.trust == "untrusted":
            raise PromptError(f"{prompt.path}:{part.line}: {name!r} is untrusted; it belongs under === user")


def _refuse_idle_inputs(prompt: Prompt) -> None:
    """A request without its material, or without the ref that the reply must echo, would be paid for in vain."""
    used = {name for part in prompt.parts for name in _names(prompt, part.source)}
    for name, declared in prompt.front.inputs.items():
        if declared.required and name not in used:
            raise PromptError(f"{prompt.path}: the input {name!r} is required, but stands nowhere in the body")
    if "ref" not in used:
        raise PromptError(f"{prompt.path}: {{{{ ref }}}} stands nowhere in the body; every reply must echo it")


def _names(prompt: Prompt, source: str) -> set[str]:
    """The names that a text uses, itself or through its partials."""
    texts = [source]
    included = prompt.environment.parse(source)
    partials = prompt.partials()
    waiting = [name for name in meta.find_referenced_templates(included) if name]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            texts.append(partials[name].source)
            waiting += [n for n in meta.find_referenced_templates(prompt.environment.parse(partials[name].source)) if n]
    return {node.name for text in texts for node in prompt.environment.parse(text).find_all(nodes.Name)}


def _check_template(prompt: Prompt, path: Path, first_line: int, source: str) -> None:
    tree = parse_template(prompt.environment, path, first_line, source)
    wrapped = set()
    for node in tree.find_all(nodes.Filter):
        if node.name == "untrusted":
            wrapped.add(id(node.node))
        if node.name not in prompt.environment.filters:
            known = ", ".join(sorted(prompt.environment.filters))
            raise PromptError(f"{path}:{first_line + node.lineno - 1}: no filter {node.name!r}; there are {known}")
    compile_template(prompt.environment, path, first_line, source)
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
