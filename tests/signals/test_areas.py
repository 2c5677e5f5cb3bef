import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_builders import change, pull

from prhub_digest.models.globs import matches
from prhub_digest.models.pull_request import FileChange, PullRequest
from prhub_digest.models.signals import Area
from prhub_digest.signals.areas import area_list, area_of

CONFIGURED = (Area(key="kernels", paths=("engine/kernels/**",)), Area(key="engine", paths=("engine/**", "*.py")))

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


AREAS = {
    "the first pattern wins": ((change("engine/kernels/a.cu"),), "kernels"),
    "most changed lines": ((change("engine/kernels/a.cu", 5), change("engine/b.py", 6)), "engine"),
    "a tie goes to the earlier area": ((change("engine/b.py", 5), change("engine/kernels/a.cu", 5)), "kernels"),
    "source before tests": (
        (change("engine/kernels/a.cu", 3), change("engine/tests/test_b.py", 300)),
        "kernels",
    ),
    "noise does not count": ((change("engine/kernels/a.cu", 3), change("engine/poetry.lock", 900)), "kernels"),
    "noise alone does": ((change("engine/poetry.lock", 900),), "engine"),
    "a rename without edits": ((change("engine/kernels/b.cu", 0, 0, status="renamed"),), "kernels"),
    "a named area before other": ((change("web/app.ts", 500), change("engine/b.py", 2)), "engine"),
    "none": ((change("web/app.ts"),), "other"),
    "no files": ((), "other"),
}


@pytest.mark.parametrize(("files", "key"), AREAS.values(), ids=AREAS.keys())
def test_area_of(files: tuple[FileChange, ...], key: str) -> None:
    assert area_of(pull(1, files=files), area_list([], CONFIGURED)) == key


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
    assert [area_of(record, learned) for record in WEEK] == [
        "scheduler",
        "scheduler",
        "cache",
        "engine",
        "cache",
        "tools",
        "web",
    ]


def test_at_most_twelve_are_learned_and_names_are_told_apart() -> None:
    many = [pull(number, f"part{number:02}/a.py") for number in range(1, 20)]
    assert [area.key for area in area_list(many)] == [*(f"part{number:02}" for number in range(1, 13)), "other"]
    twins = [pull(1, "left/io/a.py"), pull(2, "right/io/a.py"), pull(3, "left/b.py"), pull(4, "right/b.py")]
    assert [area.key for area in area_list(twins)] == ["left-io", "right-io", "left", "right", "other"]


def test_a_week_without_files_has_one_area() -> None:
    assert area_list([pull(1)]) == (Area(key="other"),)


@settings(max_examples=20, deadline=None)
@given(st.permutations(WEEK))
def test_the_order_of_the_week_does_not_matter(shuffled: list[PullRequest]) -> None:
    assert area_list(shuffled) == area_list(WEEK)
