"""How the three lists of a period's pull requests agree, in words for a reader (pure)."""

from collections.abc import Collection
from dataclasses import dataclass

from prhub_digest.collect.source import MAY_BE_MISSING

_MOST_NAMED = 10
_COUNTS = {3: "three lists agree on ", 2: "two lists agree on "}


@dataclass(frozen=True, slots=True)
class ThreeLists:
    """The numbers in each list, None for one that was given up; `on_branch`: those that the history should hold."""

    default_branch: str
    on_branch: frozenset[int]
    elsewhere: frozenset[int]
    update: frozenset[int] | None
    search: frozenset[int] | None
    history: frozenset[int] | None


def agreement(lists: ThreeLists) -> tuple[str, ...]:
    """One note with the counts, then one for each list that lacks what another one has."""
    everything = lists.on_branch | lists.elsewhere
    by_update = _lacking(everything, lists.update)
    by_search = _lacking(everything, lists.search)
    by_history = _lacking(lists.on_branch, lists.history)
    notes = [_counts(lists, agree=not (by_update or by_search or by_history))]
    if by_update:
        notes.append(f"the list by update lacks {_named(by_update)}: {_counted(by_update)}")
    if by_search:
        notes.append(f"the list by search lacks {_named(by_search)} (its index may lag): {_counted(by_search)}")
    if by_history:
        which = "its merge commit is" if len(by_history) == 1 else "their merge commits are"
        notes.append(
            f"the history of {lists.default_branch} lacks {_named(by_history)}: {which} not on the branch,"
            " or not dated in the period"
        )
    if by_update and by_search:
        notes.append(f"neither the list by update nor the one by search is whole: {MAY_BE_MISSING}")
    return tuple(notes)


def _counts(lists: ThreeLists, *, agree: bool) -> str:
    parts = [
        f"{name} {len(numbers)}"
        for name, numbers in (
            ("by update", lists.update),
            ("by search", lists.search),
            (f"by the history of {lists.default_branch}", lists.history),
        )
        if numbers is not None
    ]
    total = len(lists.on_branch | lists.elsewhere)
    branches = f" ({lists.default_branch}: {len(lists.on_branch)}, other branches: {len(lists.elsewhere)})"
    return (
        f"{_COUNTS.get(len(parts), '') if agree else ''}{total} pull request{'' if total == 1 else 's'}"
        f"{branches if lists.elsewhere else ''}: {', '.join(parts)}"
    )


def _lacking(wanted: frozenset[int], numbers: frozenset[int] | None) -> list[int]:
    return sorted(wanted - numbers) if numbers is not None else []


def _named(numbers: Collection[int]) -> str:
    shown = ", ".join(f"#{number}" for number in list(numbers)[:_MOST_NAMED])
    return f"{shown} and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else shown


def _counted(numbers: Collection[int]) -> str:
    return f"{'it is' if len(numbers) == 1 else 'they are'} counted all the same"
