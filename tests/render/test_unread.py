"""The end of the page says how many files the model was not shown in full, and why."""

from typing import get_args

import pytest
from render_week import week

from prhub_digest.chunk.whole import _NOISE
from prhub_digest.models.digest import Language
from prhub_digest.models.pull_request import FileChange, PatchState
from prhub_digest.models.run import CoverageTotals, UnreadFiles
from prhub_digest.render.markdown import render_markdown
from prhub_digest.render.phrases import KEYS
from prhub_digest.render.view import build_view
from prhub_digest.source_lines import file_state

EXPECTED: dict[Language, str] = {
    "en": "; files not shown in full: 1 of 3 (lock files 1,200, token budget 3).\n",
    "zh": "；未完整展示的文件：1 / 3（锁文件 1,200、token 预算 3）。\n",
}


@pytest.mark.parametrize("language", EXPECTED)
def test_reasons_stand_under_the_counts(language: Language) -> None:
    unread = (UnreadFiles(reason="lock file", files=1200), UnreadFiles(reason="token budget", files=3))
    given = week(language)
    coverage = CoverageTotals.model_validate(given.coverage.model_dump() | {"unread": unread})
    page = render_markdown(build_view(week(language, coverage=coverage)))
    assert EXPECTED[language] in page
    assert EXPECTED[language].partition("（" if language == "zh" else " (")[0] in render_markdown(build_view(given))


def test_every_reason_has_its_words() -> None:
    states = (
        file_state(FileChange(path="a", status="modified", additions=0, deletions=0, patch_state=state))
        for state in get_args(PatchState)
    )
    for reason in [*_NOISE.values(), *filter(None, states), "token budget", "lines cut short"]:
        assert f"unread.{reason.replace(' ', '_')}" in KEYS
