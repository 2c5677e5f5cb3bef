"""Case files: what a prompt's replies hold, recorded or live, or the request that it makes of given inputs.

docs/prompts.md describes them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, get_args, get_origin

from pydantic import Field, model_validator

from prhub_digest.llm.reply_text import read_reply
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.base import Record
from prhub_digest.models.digest import WordingReply
from prhub_digest.models.llm import LogicalRequest, StoredReply
from prhub_digest.models.replies import REPLIES
from prhub_digest.prompts import load_prompts
from prhub_digest.shipped import fixture_dir, prompts_dir

PROMPTS = load_prompts(prompts_dir())
# What is wanted, and the values at the path.
CHECKS: Mapping[str, Callable[[Any, list[Any]], bool]] = {
    "absent": lambda wanted, found: not any(re.search(wanted, value) for value in found),
    "at_least": lambda least, found: bool(found) and all(_length(value) >= least for value in found),
    "at_most": lambda most, found: all(_length(value) <= most for value in found),
    "at_most_a_sentence": lambda most, found: all(_size(own) <= most for value in found for own in _sentences(value)),
    "at_most_sentences": lambda most, found: all(len(_sentences(value)) <= most for value in found),
    "contains": lambda wanted, found: any(re.search(wanted, value) for value in found),
    "equals": lambda wanted, found: bool(found) and all(value == wanted for value in found),
    "in": lambda wanted, found: bool(found) and all(value in wanted for value in found),
    "matches": lambda wanted, found: bool(found) and all(re.fullmatch(wanted, value) for value in found),
}
# A pattern, what was asked about, and what the answer says.
COMPARISONS: Mapping[str, Callable[[str, str, str], bool]] = {
    "given": lambda pattern, asked, text: all(_stands(own, asked) for own in re.findall(pattern, text)),
    "kept": lambda pattern, asked, text: set(re.findall(pattern, asked)) <= set(re.findall(pattern, text)),
}
_MATERIAL = re.compile(r"<(data-[0-9a-f]+)>\n(.*?)\n</\1>", re.DOTALL)
_ITEM = re.compile(r"^item (\S+)\n((?:.+\n?)+)", re.MULTILINE)
_SENTENCE_END = re.compile(r"""(?<=[.!?])["”`)]?\s+|(?<=[。！？])(?=.)""")
_CHINESE = re.compile(r"[一-鿿]")


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, or one item of a wording; `asked` is the material that it is about."""

    content: Mapping[str, Any]
    asked: str = ""


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
    """`expect` is about recorded replies, or the request of `inputs`; `live` about what a model replies to that."""

    why: str
    origin: Origin | None = Field(None, alias="from")
    inputs: dict[str, str] | None = None
    expect: tuple[dict[str, Any], ...] = ()
    live: tuple[dict[str, Any], ...] = ()

    @model_validator(mode="after")
    def complete(self) -> Self:
        if (self.origin is None) == (self.inputs is None):
            raise ValueError("give either from or inputs")
        if self.origin and (self.origin.pull is None) == (not self.origin.subject):
            raise ValueError("from has either a pull or a subject")
        if self.live and self.inputs is None:
            raise ValueError("live needs inputs")
        if not self.expect and not self.live:
            raise ValueError("nothing is expected")
        known = ("order", *CHECKS, *COMPARISONS)
        for assertion in (*self.expect, *self.live):
            checks = assertion.keys() - {"path", "asked"}
            if "path" not in assertion or len(checks) != 1 or not checks <= {*known}:
                raise ValueError(f"{assertion}: an assertion has a path and one of {', '.join(known)}")
            if "order" in checks and (self.origin is None or "asked" in assertion):
                raise ValueError(f"{assertion}: order compares recorded pull requests, whatever was asked")
        return self


def case_files() -> dict[str, Path]:
    """By prompt and name."""
    files = sorted(prompts_dir().glob("cases/*/*.case.yaml"))
    return {f"{path.parent.name}/{path.name.removesuffix('.case.yaml')}": path for path in files}


def faults(prompt: str, case: Case) -> Iterator[str]:
    """Every assertion about recorded replies or the request that does not hold.

    Raises ValueError for a path that no such answer can have.
    """
    reply = REPLIES[PROMPTS[prompt].front.output]
    for assertions, kind in ((case.expect, reply if case.origin else LogicalRequest), (case.live, reply)):
        for assertion in assertions:
            refuse_unknown(kind, assertion["path"])
    files = case.origin.files(prompt) if case.origin else []
    answers = [answer for path in files for answer in _recorded(path)]
    if case.inputs is not None:
        answers.append(Answer(request_of(prompt, case.inputs).model_dump(mode="json")))
    for assertion in case.expect:
        if case.origin and "order" in assertion:
            failing = _out_of_order(prompt, case.origin, assertion)
        else:
            failing = unmet(assertion, answers)
        if failing:
            yield f"{assertion} does not hold for {failing}"


def _out_of_order(prompt: str, origin: Origin, assertion: Mapping[str, Any]) -> list[Any]:
    """The highest values of the pull requests, unless each is above the next."""
    answers = [
        [answer.content for path in origin.updated(pull=pull).files(prompt) for answer in _recorded(path)]
        for pull in assertion["order"]
    ]
    highest = [max(_values(parts, assertion["path"])) for parts in answers]
    return [] if all(above > below for above, below in pairwise(highest)) else highest


def unmet(assertion: Mapping[str, Any], answers: Iterable[Answer]) -> list[Any]:
    """What the assertion does not hold for, or why it holds for nothing."""
    about = re.compile(assertion.get("asked", ""))
    chosen = [answer for answer in answers if about.search(answer.asked)]
    if not chosen:
        return ["no request: none asks about this"]
    [(check, wanted)] = [(name, own) for name, own in assertion.items() if name not in {"path", "asked"}]
    values = [_values([answer.content], assertion["path"]) for answer in chosen]
    if check in COMPARISONS:
        texts = ["\n".join(found) for found in values]
        holds = COMPARISONS[check]
        return [text for answer, text in zip(chosen, texts, strict=True) if not holds(wanted, answer.asked, text)]
    found = [value for own in values for value in own]
    if CHECKS[check](wanted, found):
        return []
    return [value for value in found if not CHECKS[check](wanted, [value])] or ["nothing: there is none"]


@cache
def _recorded(path: Path) -> tuple[Answer, ...]:
    return answers_of(StoredReply.model_validate_json(path.read_bytes()))


def answers_of(stored: StoredReply) -> tuple[Answer, ...]:
    """The reply beside all material of its request; of a wording, each item beside its own."""
    material = "\n".join(found[2] for found in _MATERIAL.finditer(stored.request.messages[-1].content))
    reply = read_reply(stored.content, REPLIES[stored.request.schema_name], stored.request.ref).model_dump(mode="json")
    if stored.request.schema_name != WordingReply.__name__:
        return (Answer(reply, material),)
    asked = {found[1]: found[2] for found in _ITEM.finditer(material)}
    return tuple(Answer({**reply, "items": [item]}, asked[item["item"]]) for item in reply["items"])


def request_of(prompt: str, inputs: Mapping[str, str], model: str = "model") -> LogicalRequest:
    builder = RequestBuilder(PROMPTS, {"small": model, "large": model}, "case", len)
    return builder.build(prompt, subject="case", values=inputs)


def _values(nodes: list[Any], path: str) -> list[Any]:
    """What stands at `claims[*].text` or `scores.risk.score` of each."""
    for name, _, place in (step.rstrip("]").partition("[") for step in path.split(".")):
        nodes = [node[name] for node in nodes]
        if place:
            nodes = [item for node in nodes for item in (node if place == "*" else node[int(place) :][:1])]
    return nodes


def _length(value: Any) -> int:
    """In words, or in entries."""
    return len(value.split() if isinstance(value, str) else value)


def _size(sentence: str) -> int:
    """In Chinese characters, or in words where there are none."""
    return len(_CHINESE.findall(sentence)) or _length(sentence)


def _sentences(text: str) -> list[str]:
    return [own for own in _SENTENCE_END.split(text) if own.strip()]


def _stands(name: str, text: str) -> bool:
    """As a whole: `1` stands neither in `16` nor in `0.1`."""
    return re.search(rf"(?<![A-Za-z0-9_])(?<![0-9]\.){re.escape(name)}(?!\.?[A-Za-z0-9_])", text) is not None


def refuse_unknown(kind: Any, path: str) -> None:
    """Raises ValueError when no such record can have the path."""
    for name, _, place in (step.rstrip("]").partition("[") for step in path.split(".")):
        fields = getattr(kind, "model_fields", {})
        if name not in fields or (place and get_origin(fields[name].annotation) is not tuple):
            raise ValueError(f"{path}: no such field as {name!r}{f'[{place}]' if place else ''}")
        kind = fields[name].annotation
        kind = get_args(kind)[0] if place else kind
