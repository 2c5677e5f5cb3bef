"""What tokens cost. A price that is not known is unknown, and never nothing."""

import tomllib
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from prhub_digest.models.globs import matches_text
from prhub_digest.models.llm import Usage
from prhub_digest.models.prices import Price

_MILLION = 1_000_000
_ZERO = Decimal(0)
_CENT = Decimal("0.01")


class PriceList:
    """The prices that hold at an endpoint labelled `provider`: those in `own`, else the shipped list prices.

    Of several rows for a model the most specific one holds: the one with the most characters that are no wildcards,
    then one that names the provider, then the last one. `batch`: what is asked is asked in batches.
    """

    def __init__(self, own: Sequence[Price] = (), provider: str = "openai", *, batch: bool = False) -> None:
        self.provider = provider
        self._own = tuple(own)
        self._batch = batch

    def find(self, model: str) -> Price | None:
        """The price of a model; None when it is not known."""
        return self._best(model, self._own) or self._best(model, shipped_prices())

    def usd(self, model: str, usage: Usage) -> Decimal | None:
        """What this usage costs; None when that is not known. No call costs nothing, whatever the model."""
        if not usage.calls:
            return _ZERO
        price = self.find(model)
        if price is None or (not price.free and not usage.input_tokens):
            return None  # an endpoint that did not say how many tokens it took did not take none
        return usd(price, usage, batch=self._batch)

    def _best(self, model: str, rows: Sequence[Price]) -> Price | None:
        fitting = [row for row in rows if self._fits(row, model)]
        return max(reversed(fitting), key=_specific, default=None)

    def _fits(self, row: Price, model: str) -> bool:
        return matches_text(model, row.model) and (row.provider is None or matches_text(self.provider, row.provider))


def usd(price: Price, usage: Usage, *, batch: bool = False) -> Decimal | None:
    """What these tokens cost; in a batch None when the price of a batch is not known."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    cached_input = price.input if price.cached_input is None else price.cached_input
    whole = (
        (usage.input_tokens - cached) * price.input + cached * cached_input + usage.output_tokens * price.output
    ) / _MILLION
    if not batch or not whole:
        return whole
    return None if price.batch is None else whole * price.batch


def total(amounts: Iterable[Decimal | None]) -> tuple[Decimal, bool]:
    """The sum of what is known, and whether that is all of it."""
    known = tuple(amounts)
    return sum((amount for amount in known if amount is not None), _ZERO), None not in known


def dollars(amount: Decimal | None) -> str:
    """`$12.35`, `$0.50`, `$0.0132`, `$0.000041`; an unknown amount has no digits."""
    if amount is None:
        return "unknown"
    digits = 2 if amount >= 1 or amount == round(amount, 2) else 4 if amount >= _CENT / 100 else 6
    return f"${amount:,.{digits}f}"


@cache
def shipped_prices() -> tuple[Price, ...]:
    """The table of `prices.toml`, a row a pattern."""
    text = files(__package__).joinpath("prices.toml").read_text(encoding="utf-8")
    table: list[dict[str, Any]] = tomllib.loads(text, parse_float=Decimal)["prices"]
    return tuple(Price.model_validate({"model": model, **row}) for row in table for model in row.pop("models"))


def _specific(row: Price) -> tuple[int, bool]:
    return len(row.model) - row.model.count("*") - row.model.count("?"), row.provider is not None
