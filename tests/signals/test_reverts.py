import random

import pytest
from signal_builders import pull

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.reverts import is_revert, revert_links, standing

URL = "https://github.com/acme/engine/pull/"

REVERTS: dict[str, tuple[str, str | None, bool]] = {
    "quoted title": ('Revert "Add cache"', None, True),
    "typographic quotes": ("Revert “Add cache”", None, True),
    "conventional": ("revert: feat: add cache", None, True),
    "in brackets": ("[Revert] Add cache", None, True),
    "after a tag": ('[router] Revert "Add cache"', None, True),
    "by number": ("Revert #5", None, True),
    "in words": ("Revert moving the tests", None, True),
    "body with a commit": ("Undo the cache", "This reverts commit 0123456789abcdef0123456789abcdef01234567.", True),
    "body with a number": ("Undo the cache", "It is slow.\n\nReverts #5", True),
    "body with a repository": ("Undo the cache", "Reverts acme/engine#5.", True),
    "a noun": ("Revert button is misplaced", None, False),
    "another word": ("Reverting transactions on error", None, False),
    "a reland": ('Revert "Revert "Add cache""', None, False),
    "denied in the body": ("Add cache", "This does not revert #5", False),
    "quoted in the body": ("Add cache", "> Reverts #5", False),
    "in the middle of a sentence": ("Add cache", "Reverts #5 partly, and adds a cache", False),
}


@pytest.mark.parametrize(("title", "body", "expected"), REVERTS.values(), ids=REVERTS.keys())
def test_is_revert(title: str, body: str | None, expected: bool) -> None:
    assert is_revert(pull(9, title=title, body=body)) is expected


ADDED = pull(5, title="Add cache (#5)", merge_commit="abcdef0123456789abcdef0123456789abcdef01", url=f"{URL}5")

LINKS: dict[str, tuple[PullRequest, dict[int, int]]] = {
    "by title": (pull(9, title='Revert "Add cache"'), {9: 5}),
    "by number in the title": (pull(9, title="Revert #5"), {9: 5}),
    "by number in the body": (pull(9, title="Undo it", body="Reverts #5"), {9: 5}),
    "by link in the body": (pull(9, title="Undo it", body=f"Reverts {URL}5", url=f"{URL}9"), {9: 5}),
    "by commit": (pull(9, title="Undo it", body="This reverts commit abcdef0123."), {9: 5}),
    "another repository": (pull(9, title="Undo it", body="Reverts acme/other#5", url=f"{URL}9"), {}),
    "another title": (pull(9, title='Revert "Add caches"'), {}),
    "another number, same title": (pull(9, title='Revert "Add cache"', body="Reverts #4"), {}),
    "merged before": (pull(3, title='Revert "Add cache"'), {}),
    "another commit": (pull(9, title="Undo it", body="This reverts commit fedcba9876."), {}),
    "no revert": (pull(9, title="Add cache"), {}),
}


@pytest.mark.parametrize(("record", "links"), LINKS.values(), ids=LINKS.keys())
def test_links(record: PullRequest, links: dict[int, int]) -> None:
    assert revert_links([record, ADDED]) == links


CHAIN = (
    pull(5, title="Add cache"),
    pull(6, title='Revert "Add cache"'),
    pull(7, title='Revert "Revert "Add cache""'),
    pull(8, title='Revert "Add cache"'),
)


def test_a_chain_links_each_to_the_one_it_takes_back_in_any_order() -> None:
    shuffled = list(CHAIN)
    random.Random(3).shuffle(shuffled)
    # 8 names what 6 had taken back already: nothing is taken back twice.
    assert revert_links(shuffled) == revert_links(CHAIN) == {6: 5, 7: 6}


def test_standing() -> None:
    assert standing((5, 6), {}) == (5, 6)
    assert standing((4, 5, 6), {6: 5}) == (4,)
    assert standing((4, 5, 6, 7), {6: 5, 7: 6}) == (4, 7)
    assert standing((5, 6, 7, 8), {6: 5, 7: 6, 8: 7}) == ()
