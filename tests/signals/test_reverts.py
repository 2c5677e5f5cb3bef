import random

import pytest
from signal_builders import REVIEWER, edit, pull

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.reverts import Undoing, is_revert, revert_links, still_standing

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
    "partly, and the title does not say it": (
        "Use it for releases",
        f"Why.\n\nThis partially reverts {URL}5 as\nno",
        True,
    ),
    "partly, as a noun": ("Use the old sizes", "A partial revert of #5.", True),
    "a part of it": ("Use the old sizes", "Slow. This reverts part of #5.", True),
    "zh: partly": ("用旧的大小", "部分回退 #5。", True),
    "partly, told of another": ("Add cache", "In May #4 partially reverted #5.", False),
    "partly, denied": ("Add cache", "This does not partially revert #5.", False),
    "partly, to a state": ("Add cache", "This partially reverts to the layout of #5.", False),
    "in a template's comment": ("Add cache", "<!-- e.g.\nReverts #5\n-->\nIt is fast.", False),
    "of an own commit, in a squashed list": (
        "Add cache",
        '* Try a map\n\n* Revert "Try a map"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.',
        False,
    ),
    "restored, and the body reverts": ("[core] Restore the map", "Revert #5 and restore its iterator.", True),
    "zh: restored, and the body reverts": ("恢复旧页表", "回退 #5，并加回测试。", True),
    "restored, and no word of a revert": ("Restore the cursor", "See #5.", False),
    "backed out": ('Back out "Add cache"', None, True),
    "rolled back by number": ("Roll back #5", None, True),
    "undone by number": ("Undo PR #5", None, True),
    "by commit in the title": ("Revert 0123456789", None, True),
    "a noun phrase": ("Revert the cache layout of the scheduler", None, True),
    "after a scope": ("kv cache: revert the flat layout", None, True),
    "after a conventional prefix": ("chore: revert bogus attempts", None, True),
    "partly": ('Partially revert "Add cache"', None, True),
    "another noun": ("Revert command ignores the index", None, False),
    "a condition": ("Revert on overflow", None, False),
    "a condition in a contract": ("fix: revert when the vault is paused", None, False),
    "roll back as a verb of the program": ("Roll back the transaction on error", None, False),
    "a reland, as git writes it": ('Reapply "Add cache"', None, False),
    "a reland in brackets": ("[Reland] Add cache", None, False),
    "a reland reverted": ('Revert "Reapply "Add cache""', None, True),
    "zh: quoted": ("回滚「增加缓存」", None, True),
    "zh: by number": ("回退 #5", None, True),
    "zh: by PR number": ("撤销 PR #5", None, True),
    "zh: with a colon": ("回滚：增加缓存", None, True),
    "zh: in brackets": ("【回滚】增加缓存", None, True),
    "zh: a change": ("回退对调度器缓存的改动", None, True),
    "zh: a fallback": ("不支持时回退到 CPU 实现", None, False),
    "zh: a transaction": ("回滚事务失败时记录日志", None, False),
    "zh: a button": ("撤销按钮位置不对", None, False),
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
    "by the branch of the button": (pull(9, title="Turn it off again", head_branch="revert-5-cache"), {9: 5}),
    "by the number at the end of the inner title": (pull(9, title='Revert "Add a cache (#5)"'), {9: 5}),
    "by a sentence": (pull(9, title="Revert the cache", body="This reverts #5 since it is slow."), {9: 5}),
    "zh: by number": (pull(9, title="回退 #5"), {9: 5}),
    "zh: by a sentence": (pull(9, title="回滚：缓存", body="回退 #5，因为太慢。"), {9: 5}),
    "an issue at the end of the inner title": (pull(9, title='Revert "Add cache (#4)"'), {9: 5}),
    "restored": (pull(9, title="Restore the map", body="Revert #5 and restore its iterator."), {9: 5}),
    "partly, in the body": (pull(9, title="Revert the sizes", body="Reverts #5 partly."), {}),
    "only a part": (pull(9, title="Revert the sizes", body="Reverts the sizes of #5 alone."), {}),
    "partly": (pull(9, title='Partially revert "Add cache"'), {}),
    "partly, in the body alone": (pull(9, title="Use the old sizes", body="This partially reverts #5."), {}),
    "another repository": (pull(9, title="Undo it", body="Reverts acme/other#5", url=f"{URL}9"), {}),
    "another title": (pull(9, title='Revert "Add caches"'), {}),
    "another number, same title": (pull(9, title='Revert "Add cache"', body="Reverts #4"), {}),
    "merged before": (pull(3, title='Revert "Add cache"'), {}),
    "another commit": (pull(9, title="Undo it", body="This reverts commit fedcba9876."), {}),
    "no revert": (pull(9, title="Add cache"), {}),
}


@pytest.mark.parametrize(("record", "links"), LINKS.values(), ids=LINKS.keys())
def test_links(record: PullRequest, links: dict[int, int]) -> None:
    assert revert_links([record, ADDED]).reverts == links


CHAIN = (
    pull(5, title="Add cache"),
    pull(6, title='Revert "Add cache"'),
    pull(7, title='Revert "Revert "Add cache""'),
    pull(8, title='Revert "Add cache"'),
)


def test_a_chain_links_each_to_the_one_it_takes_back_in_any_order() -> None:
    shuffled = list(CHAIN)
    random.Random(3).shuffle(shuffled)
    # 8 names what 6 had taken back already; what stands of it is the reland.
    assert revert_links(shuffled) == revert_links(CHAIN) == ({6: 5, 7: 6, 8: 7}, {5: 6, 6: 7, 7: 8})


BUMP = pull(
    5, title="Bump toolkit pins to 2.12", files=(edit("pins.txt", "-toolkit 2.11", "+toolkit 2.12", "+driver 9"),)
)
UNDONE = edit("pins.txt", "-toolkit 2.12", "-driver 9", "+toolkit 2.11")

BY_LINES: dict[str, tuple[PullRequest, dict[int, int]]] = {
    "every line changed back": (pull(9, title="Revert toolkit 2.12 pins", files=(UNDONE,)), {9: 5}),
    "other lines": (pull(9, title="Revert toolkit 2.12 pins", files=(edit("pins.txt", "-a", "+b"),)), {}),
    "another file": (pull(9, title="Revert toolkit 2.12 pins", files=(UNDONE.updated(path="a.txt"),)), {}),
    "no word of a revert": (pull(9, title="Use the old toolkit", files=(UNDONE,)), {}),
    "a part by words, the whole by lines": (
        pull(9, title="Revert the pins", body="This reverts the pins added in #5.", files=(UNDONE,)),
        {9: 5},
    ),
}


@pytest.mark.parametrize(("record", "links"), BY_LINES.values(), ids=BY_LINES.keys())
def test_links_by_the_lines_of_the_diff(record: PullRequest, links: dict[int, int]) -> None:
    assert revert_links([record, BUMP]).reverts == links


REVERT = pull(6, title='Revert "Bump toolkit pins to 2.12"', files=(UNDONE,))

RELANDS: dict[str, tuple[PullRequest, dict[int, int]]] = {
    "as git writes it": (pull(9, title='Reapply "Bump toolkit pins to 2.12"'), {9: 6}),
    "revert of the revert": (pull(9, title='Revert "Revert "Bump toolkit pins to 2.12" (#6)"'), {9: 6}),
    "in brackets": (pull(9, title="[Reland] Bump toolkit pins to 2.12"), {9: 6}),
    "by the first number": (pull(9, title="Reland #5 with a fix"), {9: 6}),
    "by the body": (pull(9, title="Reland the pins", body="Relands #5."), {9: 6}),
    "zh": (pull(9, title="重新合入：Bump toolkit pins to 2.12"), {9: 6}),
    "by words and lines": (pull(9, title="Reapply toolkit 2.12 pins with CI fixes", files=BUMP.files), {9: 6}),
    "by words alone": (pull(9, title="Reapply toolkit 2.12 pins with CI fixes"), {}),
    "the same once more, without a word": (pull(9, title="Bump toolkit pins to 2.12"), {9: 6}),
    "the same title by another, with other lines": (
        pull(9, title="Bump toolkit pins to 2.12", author=REVIEWER, files=(edit("b.txt", "+a"),)),
        {},
    ),
    "something else is applied again": (pull(9, title="Reapply the theme after a reload"), {}),
}


@pytest.mark.parametrize(("record", "links"), RELANDS.values(), ids=RELANDS.keys())
def test_relands_link_to_the_revert(record: PullRequest, links: dict[int, int]) -> None:
    assert revert_links([record, BUMP, REVERT]).reverts == {6: 5, **links}


def whole(pull: int, target: int) -> Undoing:
    return Undoing(pull, target, whole=True, how="")


def test_what_stands_at_the_end() -> None:
    assert still_standing((5, 6), []) == (5, 6)
    assert still_standing((4, 5, 6), [whole(6, 5)]) == (4,)
    assert still_standing((4, 5, 6, 7), [whole(6, 5), whole(7, 6)]) == (4, 7)
    assert still_standing((5, 6, 7, 8), [whole(6, 5), whole(7, 6), whole(8, 7)]) == ()
    assert still_standing((4, 5, 6), [whole(6, 4), whole(6, 5)]) == ()
    assert still_standing((5, 6), [Undoing(6, 5, whole=False, how="")]) == (5, 6)
    # It also takes back something from before the week, which is gone.
    assert still_standing((5, 6), [whole(6, 5)], frozenset({6})) == (6,)


def test_one_that_takes_back_two_is_named_by_both() -> None:
    week = (pull(1), pull(2), pull(3, title="Revert both", body="Reverts #1, #2"))
    assert revert_links(week) == ({3: 2}, {1: 3, 2: 3})
