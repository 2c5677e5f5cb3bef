"""Numbers that a sentence may have: versions and limits, in backticks, as a fact that it cites has them.

Left out, they change what is said: "removed in `0.9`", "at most `256 experts`". What was measured and what is counted
stays out of the text: code writes those.
"""

import re

from prhub_digest.models.digest import Sentence
from prhub_digest.models.plan import Fact
from prhub_digest.verify.context import Context
from prhub_digest.verify.occurrences import numbers, plain
from prhub_digest.verify.tokens import digit_tokens

_COUNTS = re.compile(
    r"\d\s*`?\s*(?:of the |merged |个|名|位|人)?\s*(?:PRs?\b|pull requests?|people|authors?|contributors?|reviewers?"
    r"|合并请求|人|作者|贡献者|评审)",
    re.IGNORECASE,
)


def is_copied(context: Context, sentence: Sentence, span: str, rest: str) -> bool:
    """Whether the code span `span`, which `rest` follows, holds such a number; names in it must be held as always."""
    if all(token.options for token in digit_tokens(span)) or _COUNTS.search(f"{span}` {rest}", 0, len(span) + 24):
        return False
    facts = {fact.id: fact for fact in (*context.cited(sentence), *context.about(sentence)) if fact.kind != "figure"}
    holders = {fact.pull for fact in facts.values() if _holds(fact, span)}
    return any(set(numbers(span)).isdisjoint(_measured(context, pull)) for pull in holders)


def _holds(fact: Fact, span: str) -> bool:
    """Verbatim, and no part of a longer word or number: `0.9` does not stand in 10.9, 0.95 or 0.9.1."""
    whole = re.compile(rf"(?<![\w.])(?<!\d,){re.escape(span)}(?!\w|[.,]\d)")
    texts = (fact.text, *([fact.evidence.quote] if fact.evidence else []))
    return any(whole.search(plain(text)) for text in texts)


def _measured(context: Context, pull: int) -> set[str]:
    figures = (fact.figure for fact in context.facts_of[pull])
    return {number for figure in figures if figure for number in numbers(f"{figure.value} ; {figure.baseline}")}
