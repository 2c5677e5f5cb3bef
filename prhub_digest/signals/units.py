"""Units: what is one thing to a reader. Every pull request of the week belongs to exactly one. Rules: docs/units.md."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Unit, UnitKind
from prhub_digest.signals.backports import backport_joints, is_port, port_of
from prhub_digest.signals.bumps import is_bump
from prhub_digest.signals.revert_words import RevertWords, revert_words
from prhub_digest.signals.reverts import Undoing, still_standing, undoings
from prhub_digest.signals.series import Joint, is_lone_part, mark_of, series_joints
from prhub_digest.signals.twins import originals, twin_joints

# What a unit is called when several rules join it, the first that holds.
_ORDER: tuple[UnitKind, ...] = ("series", "revert", "backport", "twin")
_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Week:
    """What the rules found: what joins, what stands at the end, and what is named from outside the week."""

    said: Mapping[int, RevertWords]
    joints: Mapping[UnitKind, Sequence[Joint]]
    stands: frozenset[int]
    outside: Mapping[int, tuple[int, ...]]


def unit_list(pulls: Sequence[PullRequest], settings: SignalSettings) -> tuple[Unit, ...]:
    """The units, by their smallest number; the order of `pulls` does not matter."""
    by_number = {pull.number: pull for pull in sorted(pulls, key=lambda pull: pull.number)}
    week = _read(by_number, settings)
    return tuple(
        _unit([by_number[number] for number in members], week)
        for members in _components(tuple(by_number), chain.from_iterable(week.joints.values()))
    )


def _read(by_number: Mapping[int, PullRequest], settings: SignalSettings) -> _Week:
    pulls = tuple(by_number.values())
    said = {pull.number: revert_words(pull) for pull in pulls}
    undone = undoings(pulls)
    joints: Mapping[UnitKind, Sequence[Joint]] = {
        "series": tuple(series_joints(pulls, settings)),
        "revert": tuple(_revert_joint(undoing) for undoing in undone),
        "backport": tuple(backport_joints(pulls)),
        "twin": tuple(twin_joints(pulls)),
    }
    found = frozenset(undoing.pull for undoing in undone)
    named = {pull.number: _named(pull, said[pull.number], found) for pull in pulls}
    outside = {number: tuple(n for n in numbers if n not in by_number) for number, numbers in named.items()}
    standing_alone = frozenset(number for number, numbers in outside.items() if numbers and said[number].takes_back)
    return _Week(said, joints, frozenset(still_standing(tuple(by_number), undone, standing_alone)), outside)


def _unit(members: Sequence[PullRequest], week: _Week) -> Unit:
    numbers = tuple(pull.number for pull in members)
    kind, evidence = _kind(members, week)
    totals = [mark.total for pull in members if (mark := mark_of(pull.title)) and mark.total]
    more = len(evidence) - _NAMED
    return Unit(
        kind=kind,
        pulls=numbers,
        standing=tuple(number for number in numbers if number in week.stands),
        announced=max(totals, default=None) if kind == "series" else None,
        before=tuple(sorted({number for own in numbers for number in week.outside[own]})),
        evidence="; ".join(evidence[:_NAMED]) + (f"; and {more} more" if more > 0 else ""),
    )


def _kind(members: Sequence[PullRequest], week: _Week) -> tuple[UnitKind, list[str]]:
    """What joins it, the first that holds; a revert that is continued by another revert is no series."""
    if len(members) == 1:
        return _alone(members[0], week.said[members[0].number])
    numbers = {pull.number for pull in members}
    found = {kind: [joint.how for joint in week.joints[kind] if joint.one in numbers] for kind in _ORDER}
    if all(week.said[number].takes_back for number in numbers):
        return "revert", [how for kind in _ORDER for how in found[kind]]
    return next((kind, found[kind]) for kind in _ORDER if found[kind])


def _alone(pull: PullRequest, words: RevertWords) -> tuple[UnitKind, list[str]]:
    """The kind of a pull request that belongs to no other of the week."""
    rules: tuple[tuple[UnitKind, bool, str], ...] = (
        ("revert", words.takes_back, "title, body or branch says that it takes back an earlier change"),
        ("revert", words.brings_back and words.certain, "the title says that it brings back what was reverted"),
        ("backport", is_port(pull), "title, body or branch says that it ports an earlier change"),
        ("twin", bool(originals(pull)), "a bot merges an earlier pull request again"),
        ("series", is_lone_part(pull), "its title says which part it is"),
        ("bump", is_bump(pull), "a version bump, or a bot's routine"),
    )
    return next(((kind, [why]) for kind, holds, why in rules if holds), ("single", []))


def _named(pull: PullRequest, words: RevertWords, undoing: frozenset[int]) -> tuple[int, ...]:
    """The pull requests that it takes back, brings back or ports; what may be an issue, when nothing else is named."""
    port = port_of(pull)
    hint = (words.hint,) if words.hint and pull.number not in undoing and not words.numbers else ()
    numbers = (*words.numbers, *words.parts, *hint, *(port.numbers if port else ()), *originals(pull))
    return tuple(dict.fromkeys(numbers))


def _revert_joint(undoing: Undoing) -> Joint:
    word = "takes back" if undoing.whole else "takes back a part of"
    return Joint(undoing.pull, undoing.target, f"#{undoing.pull} {word} #{undoing.target}: {undoing.how}")


def _components(numbers: Sequence[int], joints: Iterator[Joint]) -> Iterator[list[int]]:
    """What is joined directly or through others, each ascending, by the smallest number."""
    leader = {number: number for number in numbers}

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = number = leader[leader[number]]
        return number

    for joint in joints:
        one, other = sorted((find(joint.one), find(joint.other)))
        leader[other] = one
    groups: dict[int, list[int]] = {}
    for number in numbers:
        groups.setdefault(find(number), []).append(number)
    yield from groups.values()
