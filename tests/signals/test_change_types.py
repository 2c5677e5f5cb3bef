from typing import Any

import pytest
from signal_builders import BOT, change, pull

from prhub_digest.signals.change_types import change_type

TYPES: dict[str, tuple[dict[str, Any], str]] = {
    "conventional fix": ({"title": "fix(queue)!: lost wake-up"}, "fix"),
    "conventional perf": ({"title": "perf: faster copy"}, "performance"),
    "scope of dependencies": ({"title": "chore(deps): httpx"}, "dependency"),
    "tag in brackets": ({"title": "[Bugfix][Core] lost wake-up"}, "fix"),
    "label": ({"title": "Rework things", "labels": ("type: bug", "run-ci")}, "fix"),
    "label with a slash": ({"title": "Rework things", "labels": ("kind/feature",)}, "feature"),
    "a label that only holds a word": ({"title": "Rework things", "labels": ("run-ci", "no-bugs")}, "other"),
    "first words": ({"title": "Support streaming for fix-sized batches"}, "feature"),
    "a late word means nothing": ({"title": "Rework how the queue tracks and stores each fix"}, "other"),
    "part of a word": ({"title": "Prefixes and latest latency"}, "other"),
    "Chinese": ({"title": "修复调度器的死锁"}, "fix"),
    "documentation alone": ({"title": "Fix a claim", "files": (change("docs/a.md"),)}, "docs"),
    "documentation and code": (
        {"title": "Fix a claim", "files": (change("docs/a.md"), change("a.py"))},
        "fix",
    ),
    "tests alone": ({"title": "Add cases", "files": (change("tests/test_a.py"),)}, "test"),
    "workflow alone": ({"title": "Fix CI", "files": (change(".github/workflows/ci.yml"),)}, "build"),
    "a lock file alone": ({"title": "Refresh", "files": (change("uv.lock"),)}, "dependency"),
    "a bump by a person": ({"title": "Bump httpx from 0.27 to 0.28"}, "dependency"),
    "pins": ({"title": "Update the analyzer pins"}, "dependency"),
    "a bound that a person bumps": ({"title": "Bump the retries from 1 to 2"}, "build"),
    "another value": ({"title": "Update the limit to 30"}, "other"),
    "how documentation is built": ({"title": "Manage docs build with a group"}, "build"),
    "documentation of a build": ({"title": "Document the build"}, "docs"),
    "tags of both": ({"title": "[Docs][CI] Rework pages"}, "docs"),
    "a release": ({"title": "Bump version to 1.3", "files": (change("a.py"),)}, "build"),
    "a bot with a manifest": (
        {"title": "Fix vulnerable library", "author": BOT, "files": (change("requirements.txt"), change("a.py"))},
        "dependency",
    ),
    "a bot with code": ({"title": "Fix lost wake-up", "author": BOT}, "fix"),
    "a revert": ({"title": 'Revert "fix: x"'}, "revert"),
    "a reland": ({"title": 'Revert "Revert "fix: x""'}, "fix"),
    "nothing known": ({"title": "Rework the queue"}, "other"),
}


@pytest.mark.parametrize(("fields", "expected"), TYPES.values(), ids=TYPES.keys())
def test_change_type(fields: dict[str, Any], expected: str) -> None:
    assert change_type(pull(1, **{"files": (change("core/a.py"),), **fields})) == expected
