from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.models.signals import Area
from prhub_digest.signals.area_learning import Change, LearnedArea, learned_areas


def changes(*groups: tuple[int, str], labels: Iterable[str] = ()) -> list[Change]:
    """So many changes of the same paths, all with the same labels."""
    return [
        Change(f"{place}.{number}", tuple(paths.split()), tuple(labels))
        for place, (times, paths) in enumerate(groups)
        for number in range(times)
    ]


def told(learned: tuple[LearnedArea, ...]) -> list[tuple[str, str, int, tuple[str, ...]]]:
    return [(own.area.key, " ".join(own.area.paths), own.changes, own.reasons) for own in learned]


def test_folders_that_hardly_ever_change_alone_are_one_area() -> None:
    week = changes(
        (8, "src/engine/a.cc include/engine/a.h"), (6, "src/engine/b.cc"), (1, "include/engine/c.h"), (9, "web/a.ts")
    )
    assert told(learned_areas(week)) == [
        ("engine", "src/engine/** include/**", 15, ("include changes with it in 8 of 9",)),
        ("web", "web/**", 9, ()),
    ]


def test_folders_that_change_alone_often_enough_stay_apart() -> None:
    week = changes((7, "src/engine/a.cc include/engine/a.h"), (8, "src/engine/b.cc"), (3, "include/engine/c.h"))
    assert [own.area.key for own in learned_areas(week)] == ["include-engine", "src-engine"]
    four = changes((4, "src/engine/a.cc web/a.ts"), (8, "src/engine/b.cc"))
    assert [own.area.key for own in learned_areas(four)] == ["engine", "web"]


def test_a_folder_with_owners_of_its_own_is_an_area() -> None:
    week = changes((9, "core/run.py"), (3, "core/sched/a.py"), (3, "core/io/a.py"), (30, "web/app.ts"))
    assert told(learned_areas(week, owned=("core/sched", "core/none"))) == [
        ("sched", "core/sched/**", 3, ("CODEOWNERS names it",)),
        ("core", "core/**", 12, ()),
        ("web", "web/**", 30, ()),
    ]
    once = changes((9, "core/run.py"), (1, "core/sched/a.py"), (30, "web/app.ts"))
    assert [own.area.key for own in learned_areas(once, owned=("core/sched",))] == ["core", "web"]


def test_labels_that_go_with_an_area() -> None:
    week = [
        *changes((4, "core/a.py"), labels=("scheduler", "bug")),
        *changes((1, "web/a.ts"), labels=("scheduler", "bug")),
        *changes((4, "web/b.ts"), labels=("bug", "ui")),
        *changes((2, "web/c.ts"), labels=("rare",)),
        *changes((9, "tools/x.py"), labels=()),
    ]
    unlike = [Change(f"{place}", one.paths, one.labels) for place, one in enumerate(week)]
    learned = {own.area.key: own for own in learned_areas(unlike)}
    assert learned["core"].area.labels == ("scheduler",)
    assert learned["core"].reasons == ("label scheduler in 4 of 5",)
    assert learned["web"].area == Area(key="web", paths=("web/**",), labels=("ui",))
    assert learned["tools"].area.labels == ()


def test_in_an_area_of_most_changes_a_label_tells_nothing() -> None:
    week = changes((9, "core/a.py"), labels=("ready",))
    assert learned_areas(week)[0].area == Area(key="core", paths=("core/**",))


def test_nothing_to_learn_from() -> None:
    assert learned_areas([]) == ()
    assert learned_areas(changes((3, "README.md tests/test_a.py .github/ci.yml"))) == ()


MIXED = [
    *changes((6, "src/a/x.cc include/a/x.h"), (5, "src/b/y.cc"), (4, "web/z.ts src/b/q.cc"), labels=("one",)),
    Change("last", ("src/a/deep/er/z.cc",), None),
]


@settings(max_examples=20)
@given(st.permutations(MIXED))
def test_the_order_of_the_changes_does_not_matter(shuffled: list[Change]) -> None:
    assert learned_areas(shuffled, owned=("src/a/deep",)) == learned_areas(MIXED, owned=("src/a/deep",))
