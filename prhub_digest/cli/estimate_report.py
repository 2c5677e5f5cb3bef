"""What `estimate` says: a table and its notes, or JSON."""

import json
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from prhub_digest.cli.costs import UNKNOWN, sum_of
from prhub_digest.console import Console

if TYPE_CHECKING:
    from prhub_digest.llm.prices import PriceList
    from prhub_digest.models.prices import Price
    from prhub_digest.pipeline.calibrating import Calibration
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.estimating import PartEstimate

_COLUMNS = ("part", "model", "calls", "stored", "tokens in", "tokens out", "USD live", "USD in a batch")


@dataclass(frozen=True, slots=True)
class _Estimate:
    """The parts as they are expected, and what each costs live and in a batch.

    `at_most` are they where a vocabulary is not known: the tokens of its models as budgets count them.
    """

    parts: "tuple[PartEstimate, ...]"
    costs: "list[tuple[Decimal | None, Decimal | None]]"
    at_most: "_Estimate | None" = None


def show(
    opened: "Run",
    as_counted: "tuple[PartEstimate, ...]",
    held: "dict[str, Calibration]",
    prices: "PriceList",
    *,
    as_json: bool,
) -> None:
    """`held` turns the tokens that were counted for a model into those expected."""
    console = Console()
    estimate = _estimate(opened, as_counted, held, prices)
    if as_json:
        console.product(json.dumps(_as_json(opened, estimate, held, prices), ensure_ascii=False, indent=2) + "\n")
        return
    parts, costs = estimate.parts, estimate.costs
    rows = [
        (
            part.part,
            part.model,
            *_counts([part]),
            *(sum_of([amount]) if part.asked else "-" for amount in cost),
        )
        for part, cost in zip(parts, costs, strict=True)
    ]
    rows.append(("total", "", *_counts(parts), *(sum_of(amounts) for amounts in zip(*costs, strict=True))))
    console.table(f"{opened.manifest.repository}, {opened.manifest.period}", _COLUMNS, rows)
    for line in _notes(opened, estimate, held, prices):
        console.message(line)


def _estimate(
    opened: "Run", as_counted: "tuple[PartEstimate, ...]", held: "dict[str, Calibration]", prices: "PriceList"
) -> _Estimate:
    def priced(parts: "tuple[PartEstimate, ...]", at_most: _Estimate | None = None) -> _Estimate:
        return _Estimate(parts, [_cost(part, prices.find(part.model)) for part in parts], at_most)

    parts = tuple(held[part.model].of(part) if part.asked else part for part in as_counted)
    if opened.tokenizer.exact or all(own.replies for own in held.values()):
        return priced(parts)
    most = (own if own.asked and held[own.model].replies else most for own, most in zip(parts, as_counted, strict=True))
    return priced(parts, priced(tuple(most)))


def _cost(part: "PartEstimate", price: "Price | None") -> "tuple[Decimal | None, Decimal | None]":
    """Live, and in a batch."""
    from prhub_digest.llm.prices import usd
    from prhub_digest.models.llm import Usage

    if not part.asked:
        return Decimal(0), Decimal(0)
    if price is None:
        return None, None
    usage = Usage(calls=part.asked, input_tokens=part.input_tokens, output_tokens=part.output_tokens)
    return usd(price, usage), usd(price, usage, batch=True)


def _counts(parts: "tuple[PartEstimate, ...] | list[PartEstimate]") -> tuple[str, ...]:
    fields = ("calls", "stored", "input_tokens", "output_tokens")
    return tuple(f"{sum(getattr(part, name) for part in parts):,}" for name in fields)


def _notes(opened: "Run", estimate: _Estimate, held: "dict[str, Calibration]", prices: "PriceList") -> list[str]:
    """What a reader of the figures should know."""
    from prhub_digest.llm.prices import dollars

    parts = estimate.parts
    if not any(part.asked for part in parts):
        return ["every reply is stored: the run asks for nothing"]
    factor = opened.tokenizer.factor
    lines = [
        f"{model}: {own.input * factor:.2f} times the tokens of o200k are expected as input, and"
        f" {own.output * factor:.2f} times the average output, second chances included, by what its endpoint"
        f" reported for {_replies(own.replies)}"
        for model, own in held.items()
        if own.replies
    ]
    if estimate.at_most is not None:
        lines.append(_bound(opened, estimate.at_most))
    schemas = sum(part.schema_tokens for part in parts)
    if schemas:
        lines.append(f"where an endpoint counts the schema of the answers, {schemas:,} tokens in more")
    for model in dict.fromkeys(part.model for part in parts if part.asked):
        price = prices.find(model)
        if price is None:
            lines.append(f"no price is known for {model!r}; [[prices]] in prhub.toml gives it one (docs/cost.md)")
        else:
            since = f", on {price.date}, {price.source}" if price.source else ""
            lines.append(f"{model}: {dollars(price.input)} in, {dollars(price.output)} out, a million tokens{since}")
    return lines


def _replies(number: int) -> str:
    return "1 stored reply" if number == 1 else f"{number} stored replies"


def _bound(opened: "Run", at_most: _Estimate) -> str:
    """What the same comes to with the tokens that budgets count."""
    from prhub_digest.pipeline.calibrating import OTHER_VOCABULARY

    _, _, tokens_in, tokens_out = _counts(at_most.parts)
    live, batch = (sum_of(amounts) for amounts in zip(*at_most.costs, strict=True))
    money = "" if live == UNKNOWN else f", {live} live, {batch} in a batch"
    return (
        f"the model's vocabulary is not known: {OTHER_VOCABULARY:.2f} times the tokens of o200k are expected, at most"
        f" {opened.tokenizer.factor:.2f} times, as budgets count: {tokens_in} in and {tokens_out} out{money}"
    )


def _as_json(opened: "Run", estimate: _Estimate, held: "dict[str, Calibration]", prices: "PriceList") -> dict[str, Any]:
    parts, at_most = estimate.parts, estimate.at_most
    rows, whole = _figures(estimate)
    used = {part.model: prices.find(part.model) for part in parts}
    return {
        "folder": str(opened.folder.path),
        "tokenizer": opened.tokenizer.name,
        "expected_over_counted": {model: asdict(own) for model, own in held.items()},
        "parts": rows,
        "total": whole,
        "at_most": at_most and _figures(at_most)[1],
        "prices": {model: price.model_dump(mode="json") if price else None for model, price in used.items()},
    }


def _figures(estimate: _Estimate) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """By part, and in all."""
    from prhub_digest.pipeline.costs import as_float

    rows = [
        asdict(part) | {"usd": as_float(live), "batch_usd": as_float(batch)}
        for part, (live, batch) in zip(estimate.parts, estimate.costs, strict=True)
    ]
    whole: dict[str, Any] = {
        name: sum(row[name] for row in rows)
        for name in ("calls", "stored", "input_tokens", "output_tokens", "schema_tokens")
    }
    for name in ("usd", "batch_usd"):
        amounts = [row[name] for row in rows]
        whole[name] = None if None in amounts else round(sum(amounts), 6)
    return rows, whole
