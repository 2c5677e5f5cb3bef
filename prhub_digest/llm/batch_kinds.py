"""What the questions of a round are about. Pure."""

from collections.abc import Iterable

from prhub_digest.llm.batch import Question

_KINDS = {
    "summarize_pr": "summaries",
    "headline": "headlines",
    "rank_compare": "comparisons",
    "compose_theme": "plan",
    "compose_plan": "plan",
    "compose_headings": "wording",
    "compose_lines": "wording",
    "compose_wording": "wording",
}


def kinds_of(questions: Iterable[Question]) -> tuple[str, ...]:
    """`summaries`, `plan`, ...: what the questions are about, each once, in the order of the stages."""
    requests = [question.request for question in questions]
    names = {
        "repairs" if request.subject.endswith(".repair") else _KINDS.get(request.prompt, request.prompt)
        for request in requests
    }
    order = (*_KINDS.values(), "repairs")
    return tuple(sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name)))
