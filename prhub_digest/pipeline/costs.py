"""What the stages of a run cost, by its price table: all replies they are made from, and what this run paid for."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import get_args

from prhub_digest.llm.ask import Asker
from prhub_digest.llm.batch import PendingClient
from prhub_digest.llm.budget import Spent
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.llm import Usage
from prhub_digest.models.run import Paid, StageName, StageRecord


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
    paid = _spent_on(stage, asker.budget.spent, builder)
    # Where prompts of one stage ask models of different prices, nobody knows which of them took which tokens.
    tiers = {prompt.front.model for prompt in builder.prompts.values() if prompt.front.stage == stage}
    amounts = {asker.budget.prices.usd(builder.models[tier], usage) for tier in sorted(tiers)}
    if not usage.calls:
        amounts = {Decimal(0)}
    return StagePrice(stage, usage, amounts.pop() if len(amounts) == 1 else None, paid)


def stage_prices(
    stages: Mapping[StageName, StageRecord], asker: Asker | None, builder: RequestBuilder | None
) -> tuple[StagePrice, ...]:
    """The same for every stage that is made from replies."""
    priced = (stage_price(stage, record.usage, asker, builder) for stage, record in stages.items())
    return tuple(own for own in priced if own.usage.calls or own.paid.usage.calls)


def paid_by_stage(asker: Asker | None, builder: RequestBuilder | None) -> dict[StageName, Paid]:
    """What this command has paid by now, were it to end here; batch files are paid elsewhere."""
    if asker is None or builder is None or isinstance(asker.client, PendingClient):
        return {}
    spent = asker.budget.account
    stages: tuple[StageName, ...] = get_args(StageName)
    totals = ((stage, _spent_on(stage, spent, builder)) for stage in stages)
    return {
        stage: Paid(usage=own.usage, usd=as_float(own.usd), counted=own.counted, unanswered=own.unanswered)
        for stage, own in totals
        if own != Spent()
    }


def highest_ratio(before: float | None, asker: Asker | None) -> float | None:
    """Of input reported to input expected at most, by this command and `before` it; None where nothing was reported."""
    now = asker.budget.check.highest if asker else None
    known = [ratio for ratio in (before, now) if ratio is not None]
    return round(max(known), 3) if known else None


def added(before: Mapping[StageName, Paid], now: Mapping[StageName, Paid]) -> dict[StageName, Paid]:
    """The sums by stage."""
    stages: tuple[StageName, ...] = get_args(StageName)
    known = (stage for stage in stages if stage in before or stage in now)
    return {stage: before.get(stage, Paid()) + now.get(stage, Paid()) for stage in known}


def _spent_on(stage: StageName, spent: Mapping[str, Spent], builder: RequestBuilder) -> Spent:
    prompts = sorted(prompt.id for prompt in builder.prompts.values() if prompt.front.stage == stage)
    return sum((spent[prompt] for prompt in prompts if prompt in spent), Spent())


def as_float(amount: Decimal | None) -> float | None:
    """For JSON: to the millionth of a dollar."""
    return None if amount is None else float(round(amount, 6))
