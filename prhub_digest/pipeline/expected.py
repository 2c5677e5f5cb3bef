"""What calls take on average whose requests or replies nobody has yet: pure arithmetic.

All figures were measured on the demo fixture's requests and replies, in tokens of o200k; `factor` makes them those of
another vocabulary. docs/cost.md shows the measurement.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prhub_digest.compose import BODY, ITEMS_A_CALL, LINES_A_CALL, MOST_THEMES, worded_first
from prhub_digest.models.digest import Language
from prhub_digest.models.plan import Plan, SectionName

# Of a summary: so much whatever it is about, and so much of its input.
_SUMMARY_OUTPUT, _SUMMARY_OUTPUT_OF_INPUT = 282, 0.175
# Statements in the request for a headline, by the chunks of the pull request.
_STATEMENTS_OF_CHUNK = 108
# Facts in the planning requests, by the tokens of the summaries' replies that they come from: those of the themes, and
# those of the highlights and dangers.
FACTS_OF_SUMMARY, DANGERS_OF_SUMMARY = 0.207, 0.140
HEADLINE_OUTPUT = 45
# A pull request in a comparison, and the letters of twelve as JSON.
COMPARED, COMPARISON_OUTPUT = 135, 60
PLAN_OUTPUT_OF_ITEM = 46
NAME_OUTPUT = 35
# Of a sentence that is refused, a share is asked for once more, mostly alone.
_REPAIRS_OF_ITEM = 0.01
_REPAIR_INPUT, _REPAIR_OUTPUT = 120, 76
# What the executive summary is shown of the sentences before it.
_KEPT = 0.75
_INPUT_OF_ITEM: dict[SectionName, int] = {
    "executive": 195,
    "headings": 53,
    "changes": 179,
    "trends": 124,
    "risks": 204,
    "recommendations": 175,
    "highlights": 234,
}
_OUTPUT_OF_ITEM: dict[Language, int] = {"en": 59, "zh": 67}
SENTENCE_OUTPUT = max(_OUTPUT_OF_ITEM.values())
_HEADING_OUTPUT = 22
# A translated line: a headline, or what is told of a thread or a figure.
_INPUT_OF_LINE, _OUTPUT_OF_LINE, _LINES_OF_PULL = 30, 39, 2.9
_CHANGES_OF_PULL, _MOST_CHANGES = 1.1, 35
_HIGHLIGHTS_OF_PULL = 0.3


@dataclass(frozen=True, slots=True)
class Tokens:
    calls: float = 0
    input: float = 0
    output: float = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(self.calls + other.calls, self.input + other.input, self.output + other.output)


@dataclass(frozen=True, slots=True)
class Items:
    """How many sentences each section of a digest has, and how many lines other languages than English translate."""

    by_section: dict[SectionName, int]
    lines: int = 0

    @classmethod
    def expected(cls, pulls: int, areas: int, highlights: int) -> "Items":
        """Of a week of so many pull requests in so many areas."""
        most: dict[SectionName, int] = {
            "executive": 5,
            "headings": min(MOST_THEMES, areas),
            "changes": min(_MOST_CHANGES, round(_CHANGES_OF_PULL * pulls)),
            "trends": 4,
            "risks": 5,
            "recommendations": 5,
            "highlights": min(highlights, max(1, math.floor(_HIGHLIGHTS_OF_PULL * pulls))),
        }
        by_section = {section: min(count, 2 * pulls) for section, count in most.items()}
        return cls(by_section, round(_LINES_OF_PULL * pulls))

    @classmethod
    def of_plan(cls, plan: Plan) -> "Items":
        by_section = {section: len(plan.items(section)) for section in ("executive", "headings", *BODY)}
        cited = plan.cited
        told = (fact for fact in plan.facts if fact.kind != "figure" or fact.id in cited)
        return cls(by_section, len({text for fact in told for text in fact.lines.values()}))

    @property
    def themes(self) -> int:
        return self.by_section["headings"]

    @property
    def planned(self) -> int:
        """Those that the plan of the sections names; key changes and highlights are not among them."""
        return sum(self.by_section[section] for section in ("executive", "trends", "risks", "recommendations"))

    @property
    def body(self) -> int:
        return sum(self.by_section[section] for section in BODY)


def summary_output(input_tokens: float, factor: float, calls: int = 1) -> float:
    """The output of so many summarize calls with so much input in all."""
    return _SUMMARY_OUTPUT * factor * calls + _SUMMARY_OUTPUT_OF_INPUT * input_tokens


def headline_input(chunks: int, factor: float) -> float:
    """What a headline's request shows of a pull request's chunks."""
    return _STATEMENTS_OF_CHUNK * chunks * factor


def wording_calls(items: Items, language: Language) -> int:
    """The calls of one language, without repairs."""
    sections = sum(_calls(items.by_section[section]) for section in ("executive", *worded_first(language)))
    return sections + _line_calls(items, language)


def worded(
    items: Items, language: Language, known: Sequence[tuple[str, int]], constants: tuple[int, int], factor: float
) -> Tokens:
    """The wording of one language: body, repairs, lines, and the executive summary, which sees the body's sentences.

    `known` are its requests that can be counted, by subject. `constants` are the input of a request for sentences
    without items, and of one for lines.
    """
    constant, sentence, closing = constants[0], _OUTPUT_OF_ITEM[language] * factor, items.by_section["executive"]
    size = sum(size for _, size in known)
    if any(subject.endswith(".executive") for subject, _ in known):
        return Tokens(len(known), size, closing * sentence)
    headings = items.themes * _HEADING_OUTPUT * factor if language != "en" else 0.0
    lines = _lines(items, language, constants[1], factor)
    body = Tokens(len(known), size) if known else _body(items, language, constant, factor) + replace(lines, output=0)
    of_body = sum(".lines" not in subject for subject, _ in known) if known else body.calls - lines.calls
    asked = items.body * of_body / max(1, sum(_calls(items.by_section[section]) for section in BODY))
    repairs = _REPAIRS_OF_ITEM * asked
    repaired = Tokens(repairs, repairs * (constant + _REPAIR_INPUT * factor), repairs * _REPAIR_OUTPUT * factor)
    shown = closing * _INPUT_OF_ITEM["executive"] * factor + _KEPT * items.body * sentence
    executive = Tokens(1, constant + shown, closing * sentence) if closing else Tokens()
    return body + Tokens(output=asked * sentence + headings + lines.output) + repaired + executive


def _lines(items: Items, language: Language, constant: int, factor: float) -> Tokens:
    """The translated lines of a language."""
    calls = _line_calls(items, language)
    count = items.lines if calls else 0
    return Tokens(calls, calls * constant + count * _INPUT_OF_LINE * factor, count * _OUTPUT_OF_LINE * factor)


def _line_calls(items: Items, language: Language) -> int:
    return 0 if language == "en" else math.ceil(items.lines / LINES_A_CALL)


def _body(items: Items, language: Language, constant: int, factor: float) -> Tokens:
    """The requests for headings and body, whose output is not in it."""
    tokens = Tokens()
    for section in worded_first(language):
        count = items.by_section[section]
        calls = _calls(count)
        tokens += Tokens(calls, calls * constant + count * _INPUT_OF_ITEM[section] * factor)
    return tokens


def _calls(items: int) -> int:
    return math.ceil(items / ITEMS_A_CALL)
