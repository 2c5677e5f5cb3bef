from collections.abc import Iterable

import pytest

from prhub_digest.collect.github_agreement import ThreeLists, agreement


def _notes(
    update: Iterable[int] | None,
    search: Iterable[int] | None,
    history: Iterable[int] | None,
    *,
    on_main: Iterable[int] = (1, 2, 3),
    elsewhere: Iterable[int] = (),
) -> tuple[str, ...]:
    read = (None if numbers is None else frozenset(numbers) for numbers in (update, search, history))
    return agreement(ThreeLists("main", frozenset(on_main), frozenset(elsewhere), *read))


def test_three_lists_agree() -> None:
    assert _notes({1, 2, 3}, {1, 2, 3}, {1, 2, 3}) == (
        "three lists agree on 3 pull requests: by update 3, by search 3, by the history of main 3",
    )


def test_pull_requests_of_other_branches_are_told_apart() -> None:
    everything, elsewhere = range(1, 321), range(313, 321)
    assert _notes(everything, everything, range(1, 313), on_main=range(1, 313), elsewhere=elsewhere) == (
        (
            "three lists agree on 320 pull requests (main: 312, other branches: 8): by update 320, by search 320,"
            " by the history of main 312"
        ),
    )


def test_a_merge_of_another_branch_brings_its_pull_requests_along() -> None:
    assert _notes({1, 4}, {1, 4}, {1, 4}, on_main={1}, elsewhere={4}) == (
        (
            "three lists agree on 2 pull requests (main: 1, other branches: 1): by update 2, by search 2,"
            " by the history of main 2"
        ),
    )


@pytest.mark.parametrize(
    ("numbers", "note"),
    [
        ((), "three lists agree on 0 pull requests: by update 0, by search 0, by the history of main 0"),
        ((7,), "three lists agree on 1 pull request: by update 1, by search 1, by the history of main 1"),
    ],
)
def test_few(numbers: tuple[int, ...], note: str) -> None:
    assert _notes(numbers, numbers, numbers, on_main=numbers) == (note,)


def test_a_list_that_was_given_up_is_not_compared() -> None:
    assert _notes({1, 2, 3}, None, {1, 2, 3}) == (
        "two lists agree on 3 pull requests: by update 3, by the history of main 3",
    )
    assert _notes({1, 2, 3}, None, None) == ("3 pull requests: by update 3",)


def test_each_difference_is_named() -> None:
    assert _notes({1, 2, 3, 4}, {1, 3}, {1, 2}, elsewhere={4}) == (
        "4 pull requests (main: 3, other branches: 1): by update 4, by search 2, by the history of main 2",
        "the list by search lacks #2, #4 (its index may lag): they are counted all the same",
        "the history of main lacks #3: its merge commit is not on the branch, or not dated in the period",
    )
    assert _notes({1}, {1, 2, 3}, {2}) == (
        "3 pull requests: by update 1, by search 3, by the history of main 1",
        "the list by update lacks #2, #3: they are counted all the same",
        "the history of main lacks #1, #3: their merge commits are not on the branch, or not dated in the period",
    )


def test_two_lists_that_each_lack_something_may_lack_the_same() -> None:
    assert _notes({1, 2}, {2, 3}, {1, 2, 3}) == (
        "3 pull requests: by update 2, by search 2, by the history of main 3",
        "the list by update lacks #3: it is counted all the same",
        "the list by search lacks #1 (its index may lag): it is counted all the same",
        "neither the list by update nor the one by search is whole: pull requests may be missing",
    )


def test_a_long_list_of_numbers_is_cut() -> None:
    assert _notes(range(1, 13), (), range(1, 13), on_main=range(1, 13)) == (
        "12 pull requests: by update 12, by search 0, by the history of main 12",
        (
            "the list by search lacks #1, #2, #3, #4, #5, #6, #7, #8, #9, #10 and 2 more (its index may lag):"
            " they are counted all the same"
        ),
    )
