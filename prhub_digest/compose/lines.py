"""The lines of a page that no plan item words, in another language than English: a few calls for all of them.

These are headlines, what open review threads ask for, and metric and condition of the measured figures. Summaries
state them in English; a page in another language would be English for half of its length.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prhub_digest.compose.wording import LANGUAGES, WordingMaterial, glossary_of
from prhub_digest.models.digest import Language
from prhub_digest.models.llm import LogicalRequest
from prhub_digest.models.plan import Fact, Plan
from prhub_digest.models.summary import PullRequestSummary

LINES_PROMPT = "compose_lines"
LINES_A_CALL = 40
# A model that fails at more lines than these calls hold will not do better when it is asked again.
_MOST_REPAIRS = 2
_KINDS = {"headline": "headline", "thread": "review thread", "metric": "metric", "condition": "condition"}
_CODE = re.compile(r"`[^`\n]+`")
# A word of English: names have capitals, digits or joints inside, but for the first word of a line.
_WORD = re.compile(r"(?<![\w`./=-])(?:^[A-Z])?[a-z]{3,}(?![\w`/=])", re.ASCII)


@dataclass(frozen=True)
class EnglishLine:
    """A text once, with the ids of all lines that have it: equal lines stay equal, and share a bracket."""

    ids: tuple[str, ...]
    kind: str
    text: str


@dataclass(frozen=True)
class LinesTask:
    """One call. A line is shown under its position, since ids of review threads are long.

    A reply that lacks a few of forty lines is used: `line_repairs` asks for those.
    """

    subject: str
    lines: tuple[EnglishLine, ...]
    request: LogicalRequest
    may_lack: ClassVar[bool] = True

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        return {str(place): line.ids for place, line in enumerate(self.lines, 1)}


def shown_lines(
    plan: Plan, summaries: Mapping[int, PullRequestSummary], reverted: frozenset[int], language: Language
) -> dict[str, str]:
    """The English text of every line that the page shows and that has words, by line id, in rank order."""
    if language == "en":
        return {}
    lines = (line for fact in _shown(plan, summaries, reverted) for line in fact.lines.items())
    return {line_id: " ".join(text.split()) for line_id, text in lines if _WORD.search(_CODE.sub(" ", text))}


def line_tasks(material: WordingMaterial, shown: Mapping[str, str]) -> tuple[LinesTask, ...]:
    """The calls that translate these lines, given by id."""
    ids: dict[tuple[str, str], list[str]] = {}
    for line_id, text in shown.items():
        of, part, *rest = line_id.split(".")
        kind = part if of.isdigit() else rest[0]
        ids.setdefault((kind, text), []).append(line_id)
    lines = [EnglishLine(tuple(own), kind, text) for (kind, text), own in ids.items()]
    return tuple(_tasks(material, lines))


def line_repairs(
    material: WordingMaterial, tasks: Sequence[LinesTask], faults: Mapping[str, str]
) -> tuple[LinesTask, ...]:
    """One more look at the refused and the missing lines of all calls, with what was wrong with each, by line id."""
    refused = [line for task in tasks for line in task.lines if line.ids[0] in faults]
    return tuple(_tasks(material, refused[: _MOST_REPAIRS * LINES_A_CALL], faults))


def _shown(plan: Plan, summaries: Mapping[int, PullRequestSummary], reverted: frozenset[int]) -> Iterator[Fact]:
    """The facts whose lines stand on the page: the headline of a reverted pull request, for one, does not."""
    threads = ((pull, own) for pull, summary in summaries.items() for own in summary.unsettled_threads)
    worded = {(pull, own.thread) for pull, own in threads if own.worded_by == "model"}
    cited = plan.cited
    for fact in plan.facts:
        if (
            fact.id in cited
            if fact.kind == "figure"
            else (fact.pull, fact.thread) in worded
            if fact.kind == "thread"
            else fact.pull not in reverted
        ):
            yield fact


def _tasks(
    material: WordingMaterial, lines: Sequence[EnglishLine], faults: Mapping[str, str] | None = None
) -> Iterator[LinesTask]:
    groups = [tuple(lines[start : start + LINES_A_CALL]) for start in range(0, len(lines), LINES_A_CALL)]
    for number, group in enumerate(groups, 1):
        subject = f"{material.language}.lines" + (f".{number}" if len(groups) > 1 else "")
        items = "\n\n".join(f"item {place}\n{_KINDS[line.kind]}: {line.text}" for place, line in enumerate(group, 1))
        values = {"language": LANGUAGES[material.language], "items": items}
        if faults is not None:
            subject += ".repair"
            values["faults"] = "\n".join(f"{place}: {faults[line.ids[0]]}" for place, line in enumerate(group, 1))
        if terms := glossary_of(material, items):
            values["terms"] = terms
        yield LinesTask(subject, group, material.builder.build(LINES_PROMPT, subject=subject, values=values))
