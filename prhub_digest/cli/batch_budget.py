"""The budget of a run with batch files: `run` sets it, and every command that writes a round keeps to it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prhub_digest.llm.batch_budget import Limits, RoundBudget
    from prhub_digest.models.settings import Settings
    from prhub_digest.pipeline.context import Run


def limits_of(opened: "Run", settings: "Settings") -> "Limits":
    """The budget of a `run` command, which may be none.

    Raises:
        UsageError: money is limited, and what a batch of a model costs is not known.
    """
    from prhub_digest.llm.batch_budget import Limits

    limits, budget = Limits(usd=settings.budget_usd, tokens=settings.budget_tokens), round_budget(opened)
    if budget is not None:
        budget.refuse_unpriced(limits)
    return limits


def round_budget(opened: "Run") -> "RoundBudget | None":
    """What prices the rounds of a run; None for a recording, which has no budget."""
    from prhub_digest.llm.batch_budget import RoundBudget
    from prhub_digest.llm.store import ReplyStore
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.models.signals import Signals
    from prhub_digest.pipeline.collecting import COLLECTION, SIGNALS
    from prhub_digest.pipeline.expected import Items
    from prhub_digest.pipeline.expected_answer import answer_tokens

    asker, builder = opened.asker, opened.builder
    if asker is None or builder is None or not isinstance(asker.replies, ReplyStore):
        return None
    collection = opened.folder.read_valid(COLLECTION, Collection)
    signals = opened.folder.read_valid(SIGNALS, Signals)
    areas = len({own.area for own in signals.pulls}) if signals else 0
    items = Items.expected(len(collection.numbers) if collection else 0, areas, opened.options.highlights)
    models = {name: builder.models[prompt.front.model] for name, prompt in builder.prompts.items()}
    return RoundBudget(
        asker.budget,
        asker.replies,
        models,
        lambda question, size: answer_tokens(question.request, size, items, opened.tokenizer.factor),
    )
