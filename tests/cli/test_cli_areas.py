"""`areas learn` on a clone and on a run: TOML that `prhub.toml` can hold, with the reasons."""

import tomllib
from pathlib import Path

import pytest
from command_line import CommandLine
from git_history import History
from small_week import TITLES, pull_request, write_week

from prhub_digest.collect.git_changes import recent_changes
from prhub_digest.settings import load_settings

pytest_plugins = ["command_fixture"]

EXPECTED = """\
# Areas learned from 8 changes of clone. The first area that a path
# matches counts; what none matches is in `other`.

# 2 of 8 changes (25 %); CODEOWNERS names it
[[areas]]
key = "sched"
paths = ["core/sched/**"]

# 3 of 8 changes (38 %)
[[areas]]
key = "core"
paths = ["core/**"]

# 2 of 8 changes (25 %)
[[areas]]
key = "we-b"
paths = ["we\\"b/**"]

# for files of any repository
[[areas]]
key = "docs"
paths = ["docs/**", "doc/**", "website/**", "**/*.md", "**/*.rst", "**/*.mdx"]

# for files of any repository
[[areas]]
key = "build"
paths = [".*", ".*/**", "docker/**", "**/Dockerfile*", "Makefile", "*.toml", "*.cfg", "*.json", "*.lock", \
"*requirements*.txt", "*constraints*.txt", "CMakeLists.txt"]
"""


@pytest.fixture
def clone(command: CommandLine) -> History:
    made = History(command.folder / "clone")
    made.commit("Owners", {".github/CODEOWNERS": "/core/sched/ @sched\n", "README.md": "# a\n"})
    for number in range(2):
        made.commit(f"Sched {number}", {"core/sched/policy.py": f"{number}\n"})
        made.commit(f"Core {number}", {"core/run.py": f"{number}\n"})
    made.git("switch", "--quiet", "-c", "web")
    for number in range(3):
        made.commit(f"Web {number}", {f'we"b/app{number}.ts': "0\n", f'we"b/e\tx{number}.ts': "0\n"})
    made.git("switch", "--quiet", "main")
    made.commit("Core again", {"core/run.py": "again\n"})
    made.merge("web~1", "Merge two")
    made.merge("web", "Merge one")
    return made


def test_a_clone(command: CommandLine, clone: History) -> None:
    outcome = command("areas", "learn", "clone")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == EXPECTED
    Path("prhub.toml").write_text(outcome.out, encoding="utf-8")
    assert [area.key for area in load_settings(None, {}, {"HOME": "."}).areas] == [
        "sched",
        "core",
        "we-b",
        "docs",
        "build",
    ]


def test_a_merge_is_one_change_with_all_its_paths(clone: History) -> None:
    recent = recent_changes(str(clone.folder), 2)
    assert [paths for _, paths in recent.commits] == [
        ('we"b/app2.ts', 'we"b/e\tx2.ts'),
        ('we"b/app0.ts', 'we"b/app1.ts', 'we"b/e\tx0.ts', 'we"b/e\tx1.ts'),
    ]
    assert recent.codeowners == "/core/sched/ @sched"
    assert recent.commits[0][0] == clone.git("rev-parse", "HEAD")


def test_a_run_has_labels_and_takes_a_file_of_owners(command: CommandLine) -> None:
    pulls = {number: pull_request(number, f"Change {number}", labels=("pages",)) for number in TITLES}
    write_week(command.folder / "week", pulls)
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    outcome = command("areas", "learn", "runs/toy__pages/2026-W06", "--most", "1")
    assert outcome.code == 0, outcome.err
    areas = tomllib.loads(outcome.out)["areas"]
    assert areas[0] == {"key": "pages", "paths": ["pages/**"]}
    missing = command("areas", "learn", "runs/toy__pages/2026-W06", "--codeowners", "none")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err == "error: none: cannot be read: No such file or directory\n"
    (command.folder / "runs/toy__pages/2026-W06/pulls/102.json").unlink()
    gone = command("areas", "learn", "runs/toy__pages/2026-W06")
    assert (gone.code, gone.out) == (2, "")
    assert gone.err == "error: runs/toy__pages/2026-W06/pulls/102.json is gone; collect again with --refresh\n"


@pytest.mark.parametrize(("place", "said"), [("nowhere", "no such folder"), ("empty", "there is no commit")])
def test_nothing_to_learn_from(command: CommandLine, place: str, said: str) -> None:
    History(command.folder / "empty")
    outcome = command("areas", "learn", place)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
