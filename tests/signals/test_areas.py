from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_builders import change, pull

from prhub_digest.models.globs import matches
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signals import Area
from prhub_digest.signals.areas import area_candidates, area_list

BOTH = (change("engine/b.py", 12), change("engine/kernels/a.cu", 10))
CONFIGURED = (
    Area(key="kernels", paths=("engine/kernels/**",), labels=("gpu-*",)),
    Area(key="engine", paths=("engine/**", "*.py")),
)

GLOBS = [
    ("engine/a.py", "engine/*", True),
    ("engine/x/a.py", "engine/*", False),
    ("engine/x/a.py", "engine/**", True),
    ("engine/a.py", "**/a.py", True),
    ("a.py", "**/a.py", True),
    ("ba.py", "**/a.py", False),
    ("a.py", "?.py", True),
    ("a+b.py", "a+b.py", True),
    ("aab.py", "a+b.py", False),
    ("Engine/a.py", "engine/**", False),
    ("a\nb.py", "*.py", True),
]


@pytest.mark.parametrize(("path", "pattern", "expected"), GLOBS)
def test_globs(path: str, pattern: str, expected: bool) -> None:
    assert matches(path, pattern) is expected


def test_a_configured_list_is_kept_and_closed_with_other() -> None:
    assert area_list([pull(1, "web/app.ts")], CONFIGURED) == (*CONFIGURED, Area(key="other"))


KERNEL, ENGINE = "engine/kernels/a.cu", "engine/b.py"
AREAS: dict[str, tuple[dict[str, Any], str]] = {
    "the first pattern wins": ({"files": (change(KERNEL),)}, "kernels"),
    "two thirds of the lines": ({"files": (change(KERNEL, 10), change(ENGINE, 20))}, "engine"),
    "less is a choice, best first": ({"files": (change(KERNEL, 11), change(ENGINE, 20))}, "engine kernels"),
    "of a tie the earlier area first": ({"files": (change(ENGINE, 5), change(KERNEL, 5))}, "kernels engine"),
    "source before tests": ({"files": (change(KERNEL, 3), change("engine/tests/test_b.py", 300))}, "kernels"),
    "noise does not count": ({"files": (change(KERNEL, 3), change("engine/poetry.lock", 900))}, "kernels"),
    "noise alone does": ({"files": (change("engine/poetry.lock", 900),)}, "engine"),
    "a rename without edits": ({"files": (change("engine/kernels/b.cu", 0, 0, status="renamed"),)}, "kernels"),
    "a named area before other": ({"files": (change("web/app.ts", 500), change(ENGINE, 2))}, "engine"),
    "none": ({"files": (change("web/app.ts"),)}, "other"),
    "no files": ({"files": ()}, "other"),
    "a tag decides a choice": ({"files": BOTH, "title": "[Core][Kernels] Faster"}, "kernels"),
    "a scope decides a choice": ({"files": BOTH, "title": "perf(kernels): faster"}, "kernels"),
    "a word before a colon": ({"files": BOTH, "title": "Kernels: faster"}, "kernels"),
    "a label decides a choice": ({"files": BOTH, "labels": ("area: kernels",)}, "kernels"),
    "a label of the settings": ({"files": BOTH, "labels": ("gpu-nightly",)}, "kernels"),
    "two names decide nothing": ({"files": BOTH, "title": "[Engine][Kernels] Faster"}, "engine kernels"),
    "a word in the title decides nothing": ({"files": BOTH, "title": "Faster kernels"}, "engine kernels"),
    "part of a label decides nothing": ({"files": BOTH, "labels": ("kernels-ci", "gpu")}, "engine kernels"),
    "a label is weaker than the lines": ({"files": (change(ENGINE),), "labels": ("kernels",)}, "engine"),
    "without a path in an area the label speaks": ({"files": (change("x.ts"),), "labels": ("kernels",)}, "kernels"),
    "two labels leave a choice": ({"files": (), "labels": ("kernels", "engine")}, "kernels engine other"),
}


@pytest.mark.parametrize(("fields", "keys"), AREAS.values(), ids=AREAS.keys())
def test_area_candidates(fields: dict[str, Any], keys: str) -> None:
    assert area_candidates(pull(1, **fields), area_list([], CONFIGURED)) == tuple(keys.split())


def test_at_most_four_candidates_and_none_below_a_tenth() -> None:
    areas = tuple(Area(key=key, paths=(f"{key}/**",)) for key in "abcdef")
    sizes = {"a": 30, "b": 25, "c": 20, "d": 15, "e": 14, "f": 5}
    one = pull(1, files=tuple(change(f"{key}/x.py", lines) for key, lines in sizes.items()))
    assert area_candidates(one, areas) == ("a", "b", "c", "d")
    alone = pull(1, files=(change("a/x.py", 64), *(change(f"{key}/x.py", 9) for key in "bcde")))
    assert area_candidates(alone, areas) == ("a",)
    two = pull(1, files=(change("a/x.py", 60), change("b/x.py", 31), change("c/x.py", 9)))
    assert area_candidates(two, areas) == ("a", "b")


WEEK = (
    pull(1, "src/engine/scheduler/queue.py", "tests/test_queue.py"),
    pull(2, "src/engine/scheduler/policy.py"),
    pull(3, "src/engine/cache/pool.py"),
    pull(4, "src/engine/server.py"),
    pull(5, "src/engine/cache/lru.py", "docs/cache.md"),
    pull(6, "tools/bench.py", ".github/workflows/ci.yml"),
    pull(7, "web/app.ts", "examples/chat.py"),
)


def test_learned_areas_stand_below_the_folder_that_holds_nearly_everything() -> None:
    learned = area_list(WEEK)
    assert [(area.key, area.paths) for area in learned[:5]] == [
        ("cache", ("src/engine/cache/**",)),
        ("scheduler", ("src/engine/scheduler/**",)),
        ("engine", ("src/engine/**",)),
        ("tools", ("tools/**",)),
        ("web", ("web/**",)),
    ]
    assert [area.key for area in learned[5:]] == ["docs", "tests", "build", "other"]
    assert [area_candidates(record, learned)[0] for record in WEEK] == [
        "scheduler",
        "scheduler",
        "cache",
        "engine",
        "cache",
        "tools",
        "web",
    ]


def test_plain_text_is_no_build() -> None:
    week = [
        pull(number, path)
        for number, path in enumerate(("requirements-dev.txt", "constraints.txt", "CMakeLists.txt", "notes.txt"), 1)
    ]
    areas = area_list(week)
    assert [area_candidates(record, areas)[0] for record in week] == ["build", "build", "build", "other"]
    assert [area.key for area in area_list(week[-1:])] == ["other"]


def test_pages_decide_only_where_they_are_the_larger_part() -> None:
    page, workflow, manifest = "web/README.md", ".github/workflows/ci.yml", "web/package.json"
    areas = area_list([pull(1, page, workflow)])
    few = pull(1, files=(change(page, 7), change(workflow, 2), change(manifest, 18)))
    assert area_candidates(few, areas) == ("build",)
    many = pull(1, files=(change(page, 30), change(workflow, 2)))
    assert area_candidates(many, areas) == ("docs",)


def test_at_most_twelve_are_learned_and_names_are_told_apart() -> None:
    many = [pull(number, f"part{number:02}/a.py") for number in range(1, 20)]
    assert [area.key for area in area_list(many)] == [*(f"part{number:02}" for number in range(1, 13)), "other"]
    twins = [pull(1, "left/io/a.py"), pull(2, "right/io/a.py"), pull(3, "left/b.py"), pull(4, "right/b.py")]
    assert [area.key for area in area_list(twins)] == ["left-io", "right-io", "left", "right", "other"]


def test_a_week_without_files_has_one_area() -> None:
    assert area_list([pull(1)]) == (Area(key="other"),)


@settings(max_examples=20)
@given(st.permutations(WEEK))
def test_the_order_of_the_week_does_not_matter(shuffled: list[PullRequest]) -> None:
    assert area_list(shuffled) == area_list(WEEK)
