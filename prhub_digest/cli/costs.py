"""What `run` says of money: a table by stage on stderr, and the same for `--json`."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from prhub_digest.console import Console, counted

if TYPE_CHECKING:
    from prhub_digest.models.llm import Usage
    from prhub_digest.models.run import Paid, RunManifest, StageName
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.costs import StagePrice

# Of `show`: what the replies of each stage cost, and what was paid for calls.
STAGE_COLUMNS = ("stage", "state", "seconds", "calls", "tokens in", "cached", "tokens out", "USD")
PAID_COLUMNS = ("stage", "calls", "no answer", "tokens in", "cached", "tokens out", "USD", "last: calls", "last: USD")
_STATES = {"done": "done", "begun": "not ended", "earlier": "of an earlier run"}
_COLUMNS = ("stage", "calls", "tokens in", "cached", "tokens out", "USD", "asked now", "USD now")
UNKNOWN = "unknown"


def say_costs(console: Console, opened: "Run") -> None:
    """The table; nothing where there are only replies whose tokens nobody knows, as in the demo."""
    rows = _prices(opened)
    if not any(own.usage.input_tokens or own.paid.usage.calls for own in rows):
        return
    cells = [_COLUMNS, *(_row(own) for own in rows), _total(rows)]
    for line in aligned(cells):
        console.message(line)
    calls = sum(own.paid.counted for own in rows)
    if calls:
        console.message(f"the endpoint did not report the tokens of {counted(calls, 'call')}: they are counted here")
    for model in _unpriced(opened):
        console.message(f"no price is known for {model!r}; [[prices]] in prhub.toml gives it one (docs/cost.md)")


def stage_rows(manifest: "RunManifest", names: "Sequence[StageName]") -> list[tuple[str, ...]]:
    """The stages of a folder: how far each came, and what its replies cost, whenever they were made."""
    rows: list[tuple[str, ...]] = []
    for name in names:
        own = manifest.stages.get(name)
        if own is None:
            rows.append((name, "not done", *("",) * 6))
        else:
            usd = sum_of([_decimal(own.usage_usd)]) if own.usage.calls else "-"
            tokens = _usage(own.usage) if own.usage.calls else ("0", "-", "-", "-")
            rows.append((name, _STATES[own.state], f"{own.seconds:.1f}", *tokens, usd))
    return rows


def paid_rows(manifest: "RunManifest") -> list[tuple[str, ...]]:
    """What all commands paid for calls on a folder, and the last one; with a total."""
    from prhub_digest.models.run import Paid

    last = manifest.paid
    rows = [_paid_row(stage, [paid], [last.get(stage, Paid())]) for stage, paid in manifest.paid_in_all.items()]
    return [*rows, _paid_row("total", [*manifest.paid_in_all.values()], [*last.values()])] if rows else []


def _paid_row(name: str, paid: "Sequence[Paid]", last: "Sequence[Paid]") -> tuple[str, ...]:
    from prhub_digest.models.llm import Usage

    usage = sum((own.usage for own in paid), Usage())
    calls, *tokens = _usage(usage) if usage.calls else ("0", "-", "-", "-")
    unanswered = sum(own.unanswered for own in paid)
    calls_now = sum(own.usage.calls + own.unanswered for own in last)
    return (name, calls, f"{unanswered:,}", *tokens, _paid_usd(paid), f"{calls_now:,}", _paid_usd(last))


def _paid_usd(paid: "Sequence[Paid]") -> str:
    amounts = [_decimal(own.usd) for own in paid if own.usage.calls]
    return sum_of(amounts) if amounts else "-"


def _decimal(amount: float | None) -> Decimal | None:
    return None if amount is None else Decimal(str(amount))


def costs_as_json(opened: "Run") -> list[dict[str, Any]]:
    """By stage; amounts are null where they are not known."""
    from prhub_digest.pipeline.costs import as_float

    return [
        {
            "stage": own.stage,
            "usage": own.usage.model_dump(),
            "usage_usd": as_float(own.usd),
            "paid": own.paid.usage.model_dump(),
            "paid_usd": as_float(own.paid.usd),
            "counted": own.paid.counted,
        }
        for own in _prices(opened)
    ]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines; the first column begins at the left, the others end at the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]


def sum_of(amounts: Sequence[Decimal | None]) -> str:
    """`$1.20`, `at least $1.20` when not all is known, `unknown` when nothing is."""
    from prhub_digest.llm.prices import dollars, total

    known, whole = total(amounts)
    if whole:
        return dollars(known)
    return f"at least {dollars(known)}" if known else UNKNOWN


def _prices(opened: "Run") -> "tuple[StagePrice, ...]":
    from prhub_digest.pipeline.costs import stage_prices

    return stage_prices(opened.manifest.stages, opened.asker, opened.builder)


def _row(own: "StagePrice") -> tuple[str, ...]:
    return (own.stage, *_usage(own.usage), sum_of([own.usd]), f"{own.paid.usage.calls:,}", _now([own]))


def _total(rows: "Sequence[StagePrice]") -> tuple[str, ...]:
    from prhub_digest.models.llm import Usage

    usage = sum((own.usage for own in rows), Usage())
    calls = sum(own.paid.usage.calls for own in rows)
    return ("total", *_usage(usage), sum_of([own.usd for own in rows]), f"{calls:,}", _now(rows))


def _usage(usage: "Usage") -> tuple[str, ...]:
    if not usage.input_tokens:
        return (f"{usage.calls:,}", UNKNOWN, UNKNOWN, UNKNOWN)
    return (f"{usage.calls:,}", f"{usage.input_tokens:,}", f"{usage.cached_tokens:,}", f"{usage.output_tokens:,}")


def _now(rows: "Sequence[StagePrice]") -> str:
    """What was paid now; nothing is said where nothing was asked."""
    asked = [own.paid.usd for own in rows if own.paid.usage.calls]
    return sum_of(asked) if asked else "-"


def _unpriced(opened: "Run") -> list[str]:
    asker, builder = opened.asker, opened.builder
    if asker is None or builder is None:
        return []
    models = (builder.models[prompt.front.model] for prompt in builder.prompts.values())
    return [model for model in dict.fromkeys(models) if asker.budget.prices.find(model) is None]
