"""What the filters keep out is named all the same; what the source could not give whole is told."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from markdown_reader import read
from render_week import TITLES, WEB_URL, collection, empty_week, facts_week, week

from prhub_digest.models.digest import Language
from prhub_digest.models.filters import SetAside
from prhub_digest.models.pull_request import Completeness
from prhub_digest.models.run import Failure
from prhub_digest.render.json import render_json
from prhub_digest.render.markdown import render_markdown
from prhub_digest.render.text import render_text
from prhub_digest.render.view import RenderInput, build_view

OTHERS = (
    SetAside(number=30, title="Backport [x](https://evil.test) @octocat", reason="base", detail="release/2.1"),
    SetAside(number=31, title="Backport", reason="base", detail="release/2.1"),
    SetAside(number=15, title="Bump a", reason="bot", detail="dependabot"),
    SetAside(number=20, title="Bump b", reason="bot", detail="renovate"),
    SetAside(number=12, title="Bump c", reason="bot", detail="dependabot"),
    SetAside(number=40, title="Mine", reason="author", detail="a_b*c*"),
    SetAside(number=41, title="Not yet", reason="label", detail="w|p @octocat <b>"),
    SetAside(number=42, title="Words", reason="path", detail=""),
)
TOLD: dict[Language, list[str]] = {
    "en": [
        "By bots (3): #12, #15 (dependabot); #20 (renovate).",
        "Into other branches (2): #30, #31 (`release/2.1`).",
        "Left out by author (1): #40 (a_b*c*).",
        "Left out by label (1): #41 (w|p @octocat <b>).",
        "Left out by path (1): #42.",
    ],
    "zh": [
        "机器人提交（3）：#12、#15（dependabot）；#20（renovate）。",
        "合入其他分支（2）：#30、#31（`release/2.1`）。",
        "按作者排除（1）：#40（a_b*c*）。",
        "按标签排除（1）：#41（w|p @octocat <b>）。",
        "按改动的文件排除（1）：#42。",
    ],
}
HEADINGS: dict[Language, str] = {"en": "Not part of this digest (8)", "zh": "未纳入本摘要（8）"}
FACTS: dict[Language, str] = {
    "en": "8 more set aside (3 by bots, 2 into other branches, 1 by author, 1 by label, 1 by path)",
    "zh": "另有 8 个未纳入（机器人提交 3 个、合入其他分支 2 个、按作者排除 1 个、按标签排除 1 个、按路径排除 1 个）",
}


def with_others(given: RenderInput) -> RenderInput:
    return replace(given, collection=given.collection.updated(set_aside=OTHERS))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("make", [week, facts_week, empty_week])
def test_every_one_is_named_in_every_format(make: Callable[[Language], RenderInput], language: Language) -> None:
    view = build_view(with_others(make(language)))
    assert FACTS[language] in view.facts
    text = render_text(view)
    lines = "\n".join(f"- {line}" for line in TOLD[language])
    heading = HEADINGS[language]
    assert f"\n{heading}\n---" in text
    assert f"---\n{lines}\n" in text

    page = json.loads(render_json(view))
    pulls = next(section for section in page["sections"] if section["key"] == "pulls")
    part = pulls["parts"][-1]
    assert (part["key"], part["heading"]) == ("pulls.set_aside", heading)
    assert [line["text"] for line in part["blocks"][0]["lines"]] == TOLD[language]
    assert part["blocks"][0]["lines"][0]["data"] == {"set_aside": 3, "reason": "bot"}
    assert part["blocks"][0]["lines"][1]["links"] == [
        {"text": "#30", "url": f"{WEB_URL}/pull/30"},
        {"text": "#31", "url": f"{WEB_URL}/pull/31"},
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_links_lead_into_the_repository_and_foreign_text_means_nothing(language: Language) -> None:
    found = read(render_markdown(build_view(with_others(week(language)))))
    named = {pull.number for pull in OTHERS}
    links = {text: address for text, address in found.links if text.removeprefix("#") in map(str, named)}
    assert links == {f"#{number}": f"{WEB_URL}/pull/{number}" for number in named}
    assert "evil.test" not in found.text
    for line in TOLD[language]:
        assert line.replace("`", "") in found.text


def test_the_counts_of_the_week_do_not_change() -> None:
    facts = build_view(with_others(week("en"))).facts
    assert "merged PRs: 4" in facts
    assert facts.index("merged PRs: 4") + 1 == facts.index(FACTS["en"])


@pytest.mark.parametrize(
    ("language", "none", "all_aside"),
    [
        ("en", "No pull request was merged in this period.", "None of the pull requests merged in this period is part"),
        ("zh", "本周期内没有合并任何 PR。", "本周期合并的 PR 均未纳入本摘要，见下。"),
    ],
)
def test_a_week_with_nothing_but_others(language: Language, none: str, all_aside: str) -> None:
    rendered = render_markdown(build_view(with_others(empty_week(language))))
    assert none not in rendered
    assert all_aside in rendered
    assert none in render_markdown(build_view(empty_week(language)))


def test_a_diff_that_does_not_add_up_and_what_is_not_whole() -> None:
    """Both kinds of page say it, each pull request once."""
    states = {
        9: Completeness(diff="uncertain", notes=("git counts 3 added lines, the source 4",)),
        101: Completeness(diff="uncertain", conversation="partial", notes=("comments are missing",)),
        102: Completeness(diff="missing"),
        103: Completeness(conversation="unknown"),
    }
    for make in (week, facts_week):
        given = make("en")
        heads = {number: replace(head, completeness=states[number]) for number, head in given.pulls.items()}
        failed = tuple(Failure(stage="collect", subject=f"pr-{number}", reason="x") for number in (9, 101, 102))
        found = read(render_markdown(build_view(replace(given, pulls=heads, failures=failed)))).text
        told = "Diffs that are not checked against, or differ from, the source's own counts, 2 in all: #9, #101."
        assert told in found
        assert (
            "PRs that could not be read whole from the source, 2 in all:"
            " #101 (comments are missing); #102 (the source does not say what is missing)."
        ) in found
        assert "Failed in collect" not in found


def test_without_any_of_it_nothing_is_said() -> None:
    rendered = render_markdown(build_view(week("en", collection=collection())))
    for words in ("set aside", "Not part of", "source's own counts", "read whole"):
        assert words not in rendered
    assert len(TITLES) == 4
