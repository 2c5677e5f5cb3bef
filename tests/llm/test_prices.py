from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from prhub_digest.llm.prices import PriceList, dollars, shipped_prices, total, usd
from prhub_digest.models.llm import Usage
from prhub_digest.models.prices import Price

MILLION = Usage(calls=3, input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)


def price(model: str = "toy", fresh: Any = 2, output: Any = 8, provider: str | None = None, **more: Any) -> Price:
    """`fresh`: of input that is not cached."""
    numbers = {name: Decimal(own) for name, own in {"input": fresh, "output": output, **more}.items()}
    return Price.model_validate({"model": model, "provider": provider, **numbers})


def test_every_shipped_row_says_when_it_was_held_against_which_page() -> None:
    rows = shipped_prices()
    assert len(rows) > 20
    for row in rows:
        assert row.date is not None, row.model
        assert row.source is not None, row.model
        assert row.source.startswith("https://"), row.model
        assert row.input < row.output, row.model
        assert row.cached_input is None or 0 < row.cached_input < row.input, row.model
    patterns = [row.model for row in rows]
    assert len(patterns) == len(set(patterns))


@pytest.mark.parametrize(
    ("model", "input_price"),
    [
        ("gpt-5-mini", "0.25"),
        ("gpt-5-mini-2025-08-07", "0.25"),
        ("gpt-4o-2024-08-06", "2.50"),
        ("gpt-4o-2024-05-13", "5.00"),
        ("claude-haiku-4-5-20251001", "1.00"),
        ("deepseek-flash", "0.30"),
    ],
)
def test_a_model_of_the_table_has_its_price(model: str, input_price: str) -> None:
    found = PriceList().find(model)
    assert found is not None
    assert found.input == Decimal(input_price)


@pytest.mark.parametrize(
    "model",
    ["claude-opus-4.1-typo", "gpt-5-minj", "gpt-5-mini-fast", "gpt-5-mini2025-08-07", "GPT-5-mini", "gpt-5.9", "", "*"],
)
def test_another_name_has_no_price(model: str) -> None:
    """One different character is another model (H-27), and `*` in a model's name is a character."""
    prices = PriceList()
    assert prices.find(model) is None
    assert prices.usd(model, MILLION) is None


@pytest.mark.parametrize(
    ("own", "provider", "input_price"),
    [
        ([price("gpt-5-mini", 7)], "openai", 7),
        ([price("gpt-*", 7)], "openai", 7),
        ([price("gpt-*", 7), price("gpt-5-*", 6)], "openai", 6),
        ([price("gpt-5-*", 6), price("gpt-*", 7)], "openai", 6),
        ([price("gpt-5-min?", 5), price("gpt-5-*", 6), price("gpt-5-mini", 4)], "openai", 4),
        ([price("gpt-*", 7), price("gpt-*", 3)], "openai", 3),
        ([price("gpt-*", 7, provider="gate.example"), price("gpt-*", 3)], "gate.example", 7),
        ([price("gpt-*", 7, provider="gate.example"), price("gpt-*", 3)], "openai", 3),
        ([price("*", 0, 0, provider="local")], "local", 0),
        ([price("*", 0, 0, provider="local")], "openai", "0.25"),
        ([price("*", 0, 0, provider="*.cluster.example")], "one.cluster.example", 0),
        ([price("other", 7)], "openai", "0.25"),
    ],
)
def test_the_most_specific_row_holds_and_the_users_before_the_shipped(
    own: list[Price], provider: str, input_price: Any
) -> None:
    found = PriceList(own, provider).find("gpt-5-mini")
    assert found is not None
    assert found.input == Decimal(input_price)


@pytest.mark.parametrize(
    ("row", "usage", "batch", "cost"),
    [
        # 600,000 at 2, 400,000 at 0.5, 100,000 at 8 dollars a million
        (price(cached_input="0.5"), MILLION, False, "2.2"),
        (price(), MILLION, False, "2.8"),
        (price(cached_input="0.5", batch="0.5"), MILLION, True, "1.1"),
        (price(cached_input="0.5"), MILLION, True, None),
        (price(fresh=0, output=0), MILLION, False, "0"),
        (price(fresh=0, output=0), MILLION, True, "0"),
        (price(fresh="0.25"), Usage(calls=1, input_tokens=1), False, "0.00000025"),
        # an endpoint that says it cached more than it got
        (price(cached_input=1), Usage(calls=1, input_tokens=1_000_000, cached_tokens=2_000_000), False, "1"),
    ],
)
def test_what_tokens_cost(row: Price, usage: Usage, batch: bool, cost: str | None) -> None:
    assert usd(row, usage, batch=batch) == (None if cost is None else Decimal(cost))


def test_unknown_tokens_cost_an_unknown_amount_and_no_call_costs_nothing() -> None:
    silent = Usage(calls=2)
    prices = PriceList([price("toy"), price("free", 0, 0)])
    assert prices.usd("toy", silent) is None
    assert prices.usd("free", silent) == 0
    assert prices.usd("nobody-knows", Usage()) == 0
    assert PriceList([price("toy", batch="0.5")], batch=True).usd("toy", MILLION) == Decimal("1.4")


@pytest.mark.parametrize(
    "values",
    [
        {"input": 1, "output": 1},
        {"model": "**", "input": 1, "output": 1},
        {"model": "toy", "input": -1, "output": 1},
        {"model": "toy", "input": 1},
        {"model": "toy", "input": 1, "output": 1, "batch": 2},
        {"model": "toy", "input": 1, "output": float("nan")},
        {"model": "toy", "input": "1", "output": 1},
        {"model": "toy", "input": 1, "output": 1, "batch": "0.5"},
        {"model": "toy", "input": 1, "output": 1, "per": "token"},
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Price.model_validate(values)


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("1234.5678", "$1,234.57"),
        ("0.5", "$0.50"),
        ("0", "$0.00"),
        ("0.01319", "$0.0132"),
        ("0.0001", "$0.0001"),
        ("0.0000412", "$0.000041"),
        (None, "unknown"),
    ],
)
def test_dollars(amount: str | None, shown: str) -> None:
    assert dollars(None if amount is None else Decimal(amount)) == shown


def test_a_sum_says_whether_it_is_whole() -> None:
    assert total([Decimal(1), Decimal(2)]) == (Decimal(3), True)
    assert total([Decimal(1), None]) == (Decimal(1), False)
    assert total([]) == (Decimal(0), True)
