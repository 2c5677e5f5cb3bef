"""The front matter of a prompt file: what may stand there, and errors that name file, line and fix."""

import difflib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from prhub_digest.errors import PromptError
from prhub_digest.models.base import Record
from prhub_digest.prompts.plain_yaml import read_mapping

Whole = Annotated[int, Field(strict=True)]


class PromptInput(Record):
    """`trust: untrusted` values come from pull requests and must pass the filter `untrusted`."""

    type: Literal["text", "integer", "list"]
    trust: Literal["computed", "repo", "untrusted"]
    required: bool = Field(default=True, strict=True)
    max_tokens: Whole | None = Field(default=None, gt=0)


class FrontMatter(Record):
    """`model` is a tier, never a name; `version`, `notes` and `cases` are not part of the hash."""

    id: str
    version: Whole = Field(ge=1)
    stage: Literal["summarize", "rank", "compose", "judge"]
    inputs: dict[str, PromptInput]
    output: str
    model: Literal["small", "large"]
    temperature: float = Field(default=0.0, strict=True, ge=0, le=2)
    max_output_tokens: Whole = Field(gt=0)
    cases: str | None = None
    notes: str | None = None


def read_front_matter(path: Path, text: str) -> FrontMatter:
    values, lines = read_mapping(path, text)
    try:
        return FrontMatter.model_validate(values)
    except ValidationError as error:
        raise PromptError("\n".join(_fault(path, lines, fault) for fault in error.errors())) from error


def refuse_other_use(path: Path, text: str, front: FrontMatter, replaced: FrontMatter) -> None:
    """An override words a prompt anew; who asks it, with which inputs and for what, stays as it is.

    Raises:
        PromptError: the front matter at `path` says otherwise.
    """
    _, lines = read_mapping(path, text)
    for key, wanted in (("stage", replaced.stage), ("output", replaced.output)):
        if getattr(front, key) != wanted:
            raise PromptError(f"{path}:{lines[key,]}: {key} {getattr(front, key)!r}; {front.id} has {key}: {wanted}")
    for name in replaced.inputs.keys() - front.inputs.keys():
        raise PromptError(f"{path}:{lines['inputs',]}: the input {name!r} is missing; {front.id} is given it")
    for name, own in front.inputs.items():
        given = replaced.inputs.get(name)
        line = lines["inputs", name]
        if given is None:
            raise PromptError(f"{path}:{line}: nothing gives {front.id} an input {name!r}; {_known(name, replaced)}")
        if own.trust != given.trust == "untrusted":
            raise PromptError(f"{path}:{line}: {name!r} comes from pull requests; write trust: untrusted")
        if own.required and not given.required:
            raise PromptError(f"{path}:{line}: {name!r} is not given every time; write required: false")


def _known(name: str, front: FrontMatter) -> str:
    close = difflib.get_close_matches(name, front.inputs, 1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(front.inputs)}"


def _fault(path: Path, lines: dict[tuple[str, ...], int], fault: Any) -> str:
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
