"""What `estimate` says: a table and its notes, or JSON."""

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from prhub_digest.cli.costs import sum_of
from prhub_digest.console import Console

if TYPE_CHECKING:
    from prhub_digest.llm.prices import PriceList
    from prhub_digest.models.prices import Price
    from prhub_digest.pipeline.calibrating import Calibration
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.estimating import PartEstimate

_COLUMNS = ("part", "model", "calls", "stored", "tokens in", "tokens out", "USD live", "USD in a batch")


def show(
    opened: "Run",
    parts: "tuple[PartEstimate, ...]",
    held: "dict[str, Calibration]",
    prices: "PriceList",
    *,
    as_json: bool,
) -> None:
    console = Console()
    costs = [_cost(part, prices.find(part.model)) for part in parts]
    if as_json:
        console.product(json.dumps(_as_json(opened, parts, held, costs, prices), ensure_ascii=False, indent=2) + "\n")
        return
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
    for line in _notes(opened, parts, held, prices):
        console.message(line)


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


def _notes(
    opened: "Run", parts: "tuple[PartEstimate, ...]", held: "dict[str, Calibration]", prices: "PriceList"
) -> list[str]:
    """What a reader of the figures should know."""
    from prhub_digest.llm.prices import dollars

    if not any(part.asked for part in parts):
        return ["every reply is stored: the run asks for nothing"]
    lines = [
        f"{model}: its endpoint reported {own.input:.2f} times the input and {own.output:.2f} times the output expected"
        f" for {own.replies} stored replies; so much is expected here too"
        for model, own in held.items()
    ]
    schemas = sum(part.schema_tokens for part in parts)
    if schemas:
        lines.append(f"where an endpoint counts the schema of the answers, {schemas:,} tokens in more")
    if not opened.tokenizer.exact and any(part.asked and part.model not in held for part in parts):
        lines.append(f"the model's vocabulary is not known: tokens are those of {opened.tokenizer.name}")
    for model in dict.fromkeys(part.model for part in parts if part.asked):
        price = prices.find(model)
        if price is None:
            lines.append(f"no price is known for {model!r}; [[prices]] in prhub.toml gives it one (docs/cost.md)")
        else:
            since = f", on {price.date}, {price.source}" if price.source else ""
            lines.append(f"{model}: {dollars(price.input)} in, {dollars(price.output)} out, a million tokens{since}")
    return lines


def _as_json(
    opened: "Run",
    parts: "tuple[PartEstimate, ...]",
    held: "dict[str, Calibration]",
    costs: "list[tuple[Decimal | None, Decimal | None]]",
    prices: "PriceList",
) -> dict[str, Any]:
    from dataclasses import asdict

    from prhub_digest.pipeline.costs import as_float

    rows = [
        asdict(part) | {"usd": as_float(live), "batch_usd": as_float(batch)}
        for part, (live, batch) in zip(parts, costs, strict=True)
    ]
    whole: dict[str, Any] = {
        name: sum(row[name] for row in rows)
        for name in ("calls", "stored", "input_tokens", "output_tokens", "schema_tokens")
    }
    for name in ("usd", "batch_usd"):
        amounts = [row[name] for row in rows]
        whole[name] = None if None in amounts else round(sum(amounts), 6)
    used = {part.model: prices.find(part.model) for part in parts}
    return {
        "folder": str(opened.folder.path),
        "tokenizer": opened.tokenizer.name,
        "reported_over_expected": {model: asdict(own) for model, own in held.items()},
        "parts": rows,
        "total": whole,
        "prices": {model: price.model_dump(mode="json") if price else None for model, price in used.items()},
    }
