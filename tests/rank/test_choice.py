from prhub_digest.rank.choice import choose

NONE: frozenset[int] = frozenset()


def areas(text: str) -> dict[int, str]:
    """`core core docs` as the areas of 1, 2, 3."""
    return dict(enumerate(text.split(), 1))


def test_the_best_within_the_quota_of_an_area() -> None:
    week = areas("core core core core api api ci core")
    # At most two of an area; the best of the two areas that hold a good part of the week come first.
    assert choose(list(week), week, 4, NONE) == {1, 2, 5, 6}


def test_the_quota_gives_way_where_nothing_else_is_left() -> None:
    week = areas("core core core core core core")
    assert choose(list(week), week, 4, NONE) == {1, 2, 3, 4}


def test_the_best_of_a_large_area_is_shown_if_it_stands_near() -> None:
    near = areas("a b c d e docs docs docs g h i j")
    assert choose(list(near), near, 3, NONE) == {1, 2, 6}
    far = areas("a b c d e f g h i docs docs docs")
    assert choose(list(far), far, 3, NONE) == {1, 2, 3}
    small = areas("a b c d e f g h " + "z " * 40)
    assert choose(list(small), small, 8, NONE) == {1, 2, 3, 4, 5, 6, 7, 9}


def test_people_decide_before_the_rules() -> None:
    week = areas("core core core core core")
    assert choose(list(week), week, 2, frozenset({5})) == {5, 1}
    assert choose(list(week), week, 1, frozenset({4, 5})) == {4}


def test_exactly_as_many_as_wanted_or_all() -> None:
    for size in range(12):
        week = areas("core api " * size)
        for wanted in range(12):
            assert len(choose(list(week), week, wanted, NONE)) == min(wanted, 2 * size)
