"""Case files: what a prompt's recorded replies hold, or the request that it makes of given inputs (docs/prompts.md)."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, get_args, get_origin

from pydantic import Field, model_validator

from prhub_digest.llm.reply_text import read_reply
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.base import Record
from prhub_digest.models.llm import LogicalRequest, StoredReply
from prhub_digest.models.replies import REPLIES
from prhub_digest.prompts import load_prompts
from prhub_digest.shipped import fixture_dir, prompts_dir

PROMPTS = load_prompts(prompts_dir())
# What is wanted, and the values at the path; where there are none, `absent` and `at_most` (words or entries) hold.
CHECKS: Mapping[str, Callable[[Any, list[Any]], bool]] = {
    "absent": lambda wanted, found: not any(re.search(wanted, value) for value in found),
    "at_most": lambda most, found: all(len(own.split() if isinstance(own, str) else own) <= most for own in found),
    "contains": lambda wanted, found: any(re.search(wanted, value) for value in found),
    "equals": lambda wanted, found: bool(found) and all(value == wanted for value in found),
    "in": lambda wanted, found: bool(found) and all(value in wanted for value in found),
    "matches": lambda wanted, found: bool(found) and all(re.fullmatch(wanted, value) for value in found),
}


class Origin(Record):
    """The replies about one pull request, all its parts, or about the subjects that a pattern names (`en.*`)."""

    fixture: str
    pull: int | None = None
    subject: str = ""

    def files(self, prompt: str) -> list[Path]:
        patterns = [self.subject] if self.pull is None else [f"pr-{self.pull}", f"pr-{self.pull}.*"]
        globs = (f"replies/{prompt}/{pattern}.json" for pattern in patterns)
        found = sorted(path for glob in globs for path in fixture_dir(self.fixture).glob(glob))
        assert found, f"no reply of {prompt} is recorded for {' or '.join(patterns)}"
        return found


class Case(Record):
    why: str
    origin: Origin | None = Field(None, alias="from")
    inputs: dict[str, str] | None = None
    expect: tuple[dict[str, Any], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def complete(self) -> Self:
        if (self.origin is None) == (self.inputs is None):
            raise ValueError("give either from or inputs")
        if self.origin and (self.origin.pull is None) == (not self.origin.subject):
            raise ValueError("from has either a pull or a subject")
        for assertion in self.expect:
            checks = assertion.keys() - {"path"}
            if "path" not in assertion or len(checks) != 1 or not checks <= {*CHECKS, "order"}:
                raise ValueError(f"{assertion}: an assertion has a path and one of order, {', '.join(CHECKS)}")
        return self


def case_files() -> dict[str, Path]:
    """By prompt and name."""
    files = sorted(prompts_dir().glob("cases/*/*.case.yaml"))
    return {f"{path.parent.name}/{path.name.removesuffix('.case.yaml')}": path for path in files}


def faults(prompt: str, case: Case) -> Iterator[str]:
    """Every assertion that does not hold. Raises ValueError for a path that no such answer can have."""
    kind = REPLIES[PROMPTS[prompt].front.output] if case.origin else LogicalRequest
    for assertion in case.expect:
        refuse_unknown(kind, assertion["path"])
    answers = [_request(prompt, case.inputs)] if case.inputs is not None else []
    answers += [_reply(path) for path in case.origin.files(prompt)] if case.origin else []
    for assertion in case.expect:
        path = assertion["path"]
        found = _values(answers, path)
        if case.origin and "order" in assertion:
            about = [case.origin.updated(pull=pull).files(prompt) for pull in assertion["order"]]
            found = [max(_values([_reply(file) for file in files], path)) for files in about]
            holds = all(above > below for above, below in pairwise(found))
        else:
            holds = all(CHECKS[name](wanted, found) for name, wanted in assertion.items() if name != "path")
        if not holds:
            yield f"{assertion} does not hold for {found}"


@cache
def _reply(path: Path) -> dict[str, Any]:
    stored = StoredReply.model_validate_json(path.read_bytes())
    return read_reply(stored.content, REPLIES[stored.request.schema_name], stored.request.ref).model_dump(mode="json")


def _request(prompt: str, inputs: Mapping[str, str]) -> dict[str, Any]:
    builder = RequestBuilder(PROMPTS, {"small": "small", "large": "large"}, "case", len)
    return builder.build(prompt, subject="case", values=inputs).model_dump(mode="json")


def _values(nodes: list[Any], path: str) -> list[Any]:
    """What stands at `claims[*].text` or `scores.risk.score` of each."""
    for name, _, place in (step.rstrip("]").partition("[") for step in path.split(".")):
        nodes = [node[name] for node in nodes]
        if place:
            nodes = [item for node in nodes for item in (node if place == "*" else node[int(place) :][:1])]
    return nodes


def refuse_unknown(kind: Any, path: str) -> None:
    """Raises ValueError when no such record can have the path."""
    for name, _, place in (step.rstrip("]").partition("[") for step in path.split(".")):
        fields = getattr(kind, "model_fields", {})
        if name not in fields or (place and get_origin(fields[name].annotation) is not tuple):
            raise ValueError(f"{path}: no such field as {name!r}{f'[{place}]' if place else ''}")
        kind = fields[name].annotation
        kind = get_args(kind)[0] if place else kind
