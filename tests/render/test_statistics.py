"""Every statistic has words in both languages, and says what it is out of."""

from typing import Any, get_args

import pytest
from render_week import week

from prhub_digest.compose import wording
from prhub_digest.models.digest import Language
from prhub_digest.models.signals import OutcomeName, UnitKind
from prhub_digest.models.stats import GROUPS, Count
from prhub_digest.render.citations import statistic_name, statistic_value
from prhub_digest.render.page import Page
from prhub_digest.render.phrases import KEYS

PATHS = (
    *(f"pulls.{key}" for key in ("merged", "net", "reverts", "bots")),
    *(f"period.{key}" for key in ("merged", "set_aside", "bots")),
    *(f"units.{key}" for key in ("total", "standing", *get_args(UnitKind))),
    *(f"{group}.{key}" for group in ("size", "hours_to_first_review", "hours_to_merge") for key in ("median", "p90")),
    *(f"sizes.{key}" for key in ("xs", "s", "m", "l", "xl")),
    *(f"people.{key}" for key in ("authors", "new_authors", "reviewers")),
    *(f"threads.{key}" for key in ("total", "self_review", *get_args(OutcomeName))),
)


@pytest.mark.parametrize("path", PATHS)
def test_fixed_keys_have_names_of_their_own(path: str) -> None:
    assert f"stat.{path}" in KEYS


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_group_has_a_name(language: Language) -> None:
    names = [statistic_name(language, Count(path=f"{group}.xyz", value=1, unit="pulls")) for group in GROUPS]
    assert all("xyz" in name and "." not in name for name in names)
    assert wording._STATISTICS.keys() == set(GROUPS)


VALUES: dict[str, tuple[dict[str, Any], str]] = {
    "a measure is no part": ({"path": "size.median", "value": 30.0, "unit": "lines", "denominator": 4}, "30 lines"),
    "days": ({"path": "hours_to_first_review.p90", "value": 60.0, "unit": "hours", "denominator": 4}, "2.5 days"),
    "of those known": ({"path": "people.new_authors", "value": 1, "unit": "people", "denominator": 3}, "1 / 3 people"),
    "one": ({"path": "units.total", "value": 1, "unit": "units"}, "1 change"),
}


@pytest.mark.parametrize(("count", "expected"), VALUES.values(), ids=VALUES.keys())
def test_values(count: dict[str, Any], expected: str) -> None:
    assert statistic_value(Page(week("en")), Count(**count)) == expected
