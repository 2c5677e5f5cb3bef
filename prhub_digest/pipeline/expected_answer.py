"""How long the answer to one question will be, for questions that wait: the averages of `expected`, one at a time."""

import re

from prhub_digest.models.llm import LogicalRequest
from prhub_digest.pipeline.expected import (
    COMPARISON_OUTPUT,
    HEADLINE_OUTPUT,
    NAME_OUTPUT,
    PLAN_OUTPUT_OF_ITEM,
    SENTENCE_OUTPUT,
    Items,
    summary_output,
)

_ITEM = re.compile(r"^item \S+$", re.MULTILINE)


def answer_tokens(request: LogicalRequest, input_tokens: int, expected: Items, factor: float) -> int:
    """Tokens of an answer, in those of a vocabulary with this `factor`; `expected` are the items of the week's plan.

    Of a prompt that nothing is known of, the most that it may take.
    """
    match request.prompt:
        case "summarize_pr":
            tokens = summary_output(input_tokens, factor)
        case "headline":
            tokens = HEADLINE_OUTPUT * factor
        case "compose_plan":
            tokens = PLAN_OUTPUT_OF_ITEM * expected.planned * factor
        case "compose_theme":
            items = expected.by_section["changes"] / max(1, expected.themes)
            tokens = (PLAN_OUTPUT_OF_ITEM * items + NAME_OUTPUT) * factor
        case "compose_wording" | "compose_headings" | "compose_lines":
            tokens = len(_ITEM.findall(request.messages[-1].content)) * SENTENCE_OUTPUT * factor
        case "rank_compare":
            tokens = COMPARISON_OUTPUT * factor
        case _:
            tokens = float(request.parameters.max_output_tokens)
    return round(tokens)
