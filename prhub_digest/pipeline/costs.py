"""What the stages of a run cost, by its price table: all replies they are made from, and what this run paid for."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from prhub_digest.llm.ask import Asker
from prhub_digest.llm.budget import Spent
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.llm import Usage
from prhub_digest.models.run import StageName, StageRecord


@dataclass(frozen=True, slots=True)
class StagePrice:
    """`usd` is the price of all replies of a stage, None where it is not known; `paid` is on the calls of this run."""

    stage: StageName
    usage: Usage
    usd: Decimal | None
    paid: Spent


def stage_price(stage: StageName, usage: Usage, asker: Asker | None, builder: RequestBuilder | None) -> StagePrice:
    """What the replies of a stage cost that have this usage in all."""
    if asker is None or builder is None:
        return StagePrice(stage, usage, None if usage.calls else Decimal(0), Spent())
    prompts = {prompt.id: prompt.front.model for prompt in builder.prompts.values() if prompt.front.stage == stage}
    spent = asker.budget.spent
    paid = sum((spent[prompt] for prompt in sorted(prompts) if prompt in spent), Spent())
    # Where prompts of one stage ask models of different prices, nobody knows which of them took which tokens.
    amounts = {asker.budget.prices.usd(builder.models[tier], usage) for tier in sorted(set(prompts.values()))}
    if not usage.calls:
        amounts = {Decimal(0)}
    return StagePrice(stage, usage, amounts.pop() if len(amounts) == 1 else None, paid)


def stage_prices(
    stages: Mapping[StageName, StageRecord], asker: Asker | None, builder: RequestBuilder | None
) -> tuple[StagePrice, ...]:
    """The same for every stage that is made from replies."""
    priced = (stage_price(stage, record.usage, asker, builder) for stage, record in stages.items())
    return tuple(own for own in priced if own.usage.calls or own.paid.usage.calls)


def as_float(amount: Decimal | None) -> float | None:
    """For JSON: to the millionth of a dollar."""
    return None if amount is None else float(round(amount, 6))
