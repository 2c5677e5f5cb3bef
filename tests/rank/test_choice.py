from prhub_digest.rank.choice import choose

NONE: frozenset[int] = frozenset()


def areas(text: str) -> dict[int, str]:
    """`core core docs` as the areas of 1, 2, 3."""
    return dict(enumerate(text.split(), 1))


def test_the_best_within_the_quota_of_an_area() -> None:
    week = areas("core core core core api api ci core")
    # At most two of four are of one area.
    assert choose(list(week), week, 4, NONE) == {1, 2, 5, 6}


def test_the_quota_gives_way_where_nothing_else_is_left() -> None:
    week = areas("core core core core core core")
    assert choose(list(week), week, 4, NONE) == {1, 2, 3, 4}


def test_the_first_of_all_stays_whatever_area_is_large() -> None:
    week = areas("scheduler router api kv models router api kv models runtime runtime runtime")
    assert choose(list(week), week, 4, NONE) == {1, 2, 3, 4}


def test_the_best_of_a_large_area_takes_the_last_place_of_one_that_has_several() -> None:
    near = areas("a a b c docs docs docs g h i j k")
    assert choose(list(near), near, 4, NONE) == {1, 3, 4, 5}
    assert choose(list(near), near, 4, frozenset({2})) == {2, 3, 4, 5}
    far = areas("a a b c d e f g docs docs docs h")
    assert choose(list(far), far, 4, NONE) == {1, 2, 3, 4}
    alone = areas("a a b c z d e f g h i j")
    assert choose(list(alone), alone, 4, NONE) == {1, 2, 3, 4}


def test_people_decide_before_the_rules() -> None:
    week = areas("core core core core core")
    assert choose(list(week), week, 2, frozenset({5})) == {5, 1}
    assert choose(list(week), week, 1, frozenset({3, 4, 5})) == {3, 4, 5}


def test_exactly_as_many_as_wanted_or_all() -> None:
    for size in range(12):
        week = areas("core api " * size)
        for wanted in range(12):
            assert len(choose(list(week), week, wanted, NONE)) == min(wanted, 2 * size)
