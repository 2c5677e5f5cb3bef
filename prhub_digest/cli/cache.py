"""`cache stats`, `cache why` and `cache prune`: what the reply store holds, why it lacks a reply, what can go."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from prhub_digest.cli.cache_why import replies_folder, why
from prhub_digest.cli.options import Config
from prhub_digest.console import Console, counted, visible_line
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.llm.upkeep import Pruning, Share, StoreStatistics

_UNUSED_DAYS = 90

app = typer.Typer(
    name="cache",
    help="The replies that are kept, so that none is paid for twice.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command("stats")
def stats(
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    config: Config = None,
) -> None:
    """What the store holds, and when it was last used."""
    from prhub_digest.llm.upkeep import statistics

    figures = statistics(replies_folder(config))
    if as_json:
        Console().product(figures.to_json())
    else:
        _show(figures)


def _show(figures: "StoreStatistics") -> None:
    console = Console()
    used = f", used from {_day(figures.oldest_use)} to {_day(figures.newest_use)}" if figures.entries else ""
    console.product(
        f"{visible_line(figures.folder)}\n"
        f"{_entries(figures.entries)} ({_size(figures.bytes)}){used}\n"
        f"{len(figures.damaged):,} damaged, {len(figures.unreadable):,} that cannot be read here\n"
        f"{counted(figures.leftovers, 'leftover')} of writes that did not end ({_size(figures.leftover_bytes)})\n"
    )
    columns = ("entries", "size", "oldest use", "newest use")
    for name, shares in (("prompt", figures.by_prompt), ("model", figures.by_model)):
        if shares:
            console.table(f"\nBy {name}", (name, *columns), [(key, *_row(share)) for key, share in shares.items()])
    unusable = [(entry.path, entry.reason) for entry in (*figures.damaged, *figures.unreadable)]
    if unusable:
        console.table("\nCannot be used", ("file", "reason"), unusable)


app.command("why")(why)


@app.command("prune")
def prune(
    unused_days: Annotated[
        int | None, typer.Option(min=0, help=f"Remove what no run used for so many days. Default: {_UNUSED_DAYS}.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove every entry.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; remove nothing.")] = False,
    config: Config = None,
) -> None:
    """Remove what was not used for long.

    Damaged entries, and leftovers of writes that did not end, go too. Files that are not the store's stay.
    """
    from prhub_digest.llm.upkeep import prune as prune_store

    if everything and unused_days is not None:
        raise UsageError("give --unused-days or --all, not both")
    days = None if everything else _UNUSED_DAYS if unused_days is None else unused_days
    folder = replies_folder(config)
    done = prune_store(folder, unused_days=days, now=time.time(), dry_run=dry_run)
    Console().product(f"{visible_line(str(folder))}\n{_pruned(done, days, dry_run=dry_run)}")
    if done.failed:
        path, reason = done.failed[0]
        raise UsageError(f"{counted(len(done.failed), 'file')} could not be removed; the first is {path}: {reason}")


def _pruned(done: "Pruning", days: int | None, *, dry_run: bool) -> str:
    """What went and what stayed, a line each."""
    since = "" if days is None else f" not used for {counted(days, 'day')}"
    young = f", {counted(done.young.files, 'leftover')} of the last hour" if done.young.files else ""
    return (
        f"{'would remove' if dry_run else 'removed'} {_entries(done.unused.files)}{since} ({_size(done.unused.bytes)}),"
        f" {done.damaged.files:,} damaged ({_size(done.damaged.bytes)}),"
        f" {counted(done.leftovers.files, 'leftover')} ({_size(done.leftovers.bytes)})\n"
        f"{'would keep' if dry_run else 'kept'} {_entries(done.kept.files)} ({_size(done.kept.bytes)}){young}\n"
    )


def _row(share: "Share") -> tuple[str, ...]:
    return f"{share.entries:,}", _size(share.bytes), _day(share.oldest_use), _day(share.newest_use)


def _day(time_of_use: str | None) -> str:
    return time_of_use[:10] if time_of_use else ""


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number:,} entries"


def _size(number: int) -> str:
    """`512 B`, `1.5 kB`, `20.0 MB`."""
    size, unit = float(number), "B"
    for larger in ("kB", "MB", "GB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{number} B" if unit == "B" else f"{size:,.1f} {unit}"
