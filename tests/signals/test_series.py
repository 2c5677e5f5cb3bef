"""Series, ports, twins and bumps: each rule with what must not fire."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_builders import AUTHOR, BOT, MONDAY, REVIEWER, edit, pull

from prhub_digest.models.pull_request import FileChange, Person
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.signals.backports import is_release_branch, port_of
from prhub_digest.signals.bumps import is_bump, moves_versions
from prhub_digest.signals.revert_words import revert_words
from prhub_digest.signals.series import is_lone_part, mark_of, series_joints
from prhub_digest.signals.twins import twin_joints

MARKS: dict[str, tuple[int, int | None] | None] = {
    "Add the table (2/3)": (2, 3),
    "[2/3] Use the table": (2, 3),
    "[KV cache 2/3] Use the table": (2, 3),
    "[2/n] Use the table": (2, None),
    "Use the table [part 2 of 3]": (2, 3),
    "2/3: Use the table": (2, 3),
    "Use the table, part 2": (2, None),
    "Use the table pt.2": (2, None),
    "Use the table, part II": (2, None),
    "Use the table (step 2)": (2, None),
    "使用新页表（2/3）": (2, 3),
    "【页表 2/3】使用新页表": (2, 3),
    "使用新页表（第 2 部分）": (2, None),
    "使用新页表 第二部分，共三部分": (2, 3),
    "重构调度器之二": (2, None),
    "Use 1/2 of the memory": None,
    "Scale by 1/2 at most": None,
    "Support 4/3 aspect (4/3)": None,
    "Nightly sync (5/12)": None,
    "Weekly notes [10/12]": None,
    "Release of 12/31": None,
    "Handle TCP/IP and I/O errors": None,
    "Support ZeRO stage 3": None,
    "Fix step 3 of the tutorial": None,
    "Speed up part 12% of the time": None,
    "Partition the table": None,
    "更新日报（3/7）": None,
    "支持 1/2 精度": None,
    "第三方库升级": None,
}


@pytest.mark.parametrize(("title", "expected"), MARKS.items())
def test_mark(title: str, expected: tuple[int, int | None] | None) -> None:
    mark = mark_of(title)
    assert (mark and (mark.part, mark.total)) == expected


SERIES: dict[str, tuple[tuple[dict[str, Any], dict[str, Any]], bool]] = {
    "one title": (({"title": "Add table (1/2)"}, {"title": "Add table (2/2)"}), True),
    "one tag": (({"title": "[KV 1/2] Add it"}, {"title": "[KV 2/2] Use it"}), True),
    "one tag, another author, one base": (
        (
            {"title": "[KV 1/2] Add it", "base_branch": "main"},
            {"title": "[KV 2/2] Use", "base_branch": "main", "author": REVIEWER},
        ),
        True,
    ),
    "one author and a word": (({"title": "[1/2] Add table"}, {"title": "[2/2] Read tables"}), True),
    "no total": (({"title": "[1/n] Add table"}, {"title": "[2/n] Read tables"}), False),
    "part 2 of an unmarked title": (
        ({"title": "Fix the stale page table"}, {"title": "Fix the stale page table pt.2"}),
        True,
    ),
    "zh": (({"title": "新页表（1/2）"}, {"title": "新页表（2/2）"}), True),
    "zh: part 2 of an unmarked title": (
        ({"title": "重构调度器的队列"}, {"title": "重构调度器的队列（第 2 部分）"}),
        True,
    ),
    "another total": (({"title": "Add table (1/2)"}, {"title": "Add table (2/3)"}), False),
    "the same part": (({"title": "Add table (1/2)"}, {"title": "Add table (1/2)"}), False),
    "no word in common": (({"title": "[1/2] Add table"}, {"title": "[2/2] Rename queue"}), False),
    "another author, no word": (
        ({"title": "[1/2] Add table"}, {"title": "[2/2] Read table", "author": REVIEWER}),
        False,
    ),
    "two fractions": (({"title": "Use 1/2 of the memory"}, {"title": "Use 2/2 of the memory"}), False),
    "two dates": (({"title": "Nightly sync (5/12)"}, {"title": "Nightly sync (6/12)"}), False),
    "too far apart": (
        ({"title": "Add table (1/2)"}, {"title": "Add table (2/2)", "merged_at": MONDAY + timedelta(days=20)}),
        False,
    ),
    "stacked branches": (({"head_branch": "kv/table"}, {"base_branch": "kv/table"}), True),
    "a fork's main branch": (({"head_branch": "main"}, {"base_branch": "main"}), False),
    "follow-up": (({}, {"body": "Follow-up to #1."}), True),
    "followed by a link to a remark": (
        (
            {},
            {
                "url": "https://github.com/acme/engine/pull/2",
                "body": "Follow up to\nhttps://github.com/acme/engine/pull/1#discussion_r5 to",
            },
        ),
        True,
    ),
    "follows up on": (({}, {"body": "This PR follows up on #1 and #9."}), True),
    "stacked on": (({}, {"body": "This is stacked on #1."}), True),
    "depends on": (({}, {"body": "Depends on:\n- #1"}), True),
    "in continuation of a list": (({}, {"body": "In continuation of #8,\n#1."}), True),
    "precursor": (({"body": "(This is a precursor to #2)"}, {}), True),
    "split from": (({}, {"body": "It is split from #1 so that it can be reviewed alone."}), True),
    "zh: split from": (({}, {"body": "拆自 #1。"}), True),
    "zh: follow-up": (({}, {"body": "#1 的后续。"}), True),
    "zh: based on": (({}, {"body": "基于 #1 继续改。"}), True),
    "steps of one from before": (
        (
            {"body": "This is step 3 in rebooting #700 as a series of small ones."},
            {"body": "Smaller tables.\n\nThis is step 4 of splitting up #700."},
        ),
        True,
    ),
    "ordinals": (({"body": "The first part of #700."}, {"body": "It is the second step towards #700."}), True),
    "zh: steps": (({"body": "这是 #700 的第 3 步。"}, {"body": "#700 的第四步。"}), True),
    "the same step": (({"body": "This is step 3 of #700."}, {"body": "This is step 3 of #700."}), False),
    "steps of two things": (({"body": "This is step 3 of #700."}, {"body": "This is step 4 of #701."}), False),
    "steps by two": (
        ({"body": "This is step 3 of #700."}, {"body": "This is step 4 of #700.", "author": REVIEWER}),
        False,
    ),
    "parts without a number": (({"body": "Part of #700."}, {"body": "Part of #700."}), False),
    "steps that fail": (
        ({"body": "It fails after step 3 of #700."}, {"body": "Users see it in step 4 of #700."}),
        False,
    ),
    "follow-up by another": (({}, {"body": "Follow-up to #1.", "author": REVIEWER}), False),
    "denied": (({}, {"body": "This does not depend on #1."}), False),
    "zh: denied": (({}, {"body": "不依赖 #1。"}), False),
    "suggested in": (({}, {"body": "As suggested in the review of #1."}), False),
    "only named": (({}, {"body": "Similar to #1."}), False),
    "in code": (({}, {"body": "`depends on #1`"}), False),
    "in a template's comment": (({}, {"body": "<!-- Depends on #1 -->"}), False),
    "of another repository": (
        ({}, {"url": "https://github.com/acme/engine/pull/2", "body": "Depends on acme/other#1"}),
        False,
    ),
    "a number inside a number": (({}, {"body": "Follow-up to #12."}), False),
}


@pytest.mark.parametrize(("fields", "joined"), SERIES.values(), ids=SERIES.keys())
def test_series(fields: tuple[dict[str, Any], dict[str, Any]], joined: bool) -> None:
    others = [pull(number, title=f"Unlike {number}", author=Person(login=f"p{number}")) for number in (3, 4, 5)]
    week = [pull(1, **fields[0]), pull(2, **fields[1]), *others]
    pairs = {tuple(sorted((joint.one, joint.other))) for joint in series_joints(week, SignalSettings())}
    assert pairs == ({(1, 2)} if joined else set())


LONE: dict[str, tuple[str, str | None, bool]] = {
    "words in the brackets": ("[KV cache 2/3] Flat table", None, True),
    "the body tells of the others": ("Flat table (2/3)", "The first part adds the pages.", True),
    "zh: the body tells of the others": ("扁平页表（2/3）", "本系列的第二部分。", True),
    "nothing tells of others": ("Flat table (2/3)", "Makes it flat.", False),
    "no total": ("Flat table, part 2", "The first part adds the pages.", False),
}


@pytest.mark.parametrize(("title", "body", "expected"), LONE.values(), ids=LONE.keys())
def test_a_lone_part(title: str, body: str | None, expected: bool) -> None:
    assert is_lone_part(pull(1, title=title, body=body)) is expected


PORTS: dict[str, tuple[dict[str, Any], tuple[int, ...] | None]] = {
    "in brackets": ({"title": "[Backport 1.2] Fix the table"}, ()),
    "by number": ({"title": "Backport #5 to 1.2"}, (5,)),
    "quoted": ({"title": 'Cherry-pick "Fix the table" onto release/1.2'}, ()),
    "by a bot, with the number": ({"title": "[PR #5/0123abcd backport][1.2] Fix the table"}, (5,)),
    "as a function": ({"title": "cherry-pick(#5): fix the table"}, (5,)),
    "at the end": ({"title": "Fix the table (backport #5)"}, (5,)),
    "automated": ({"title": "Automated cherry pick of #5: fix the table"}, (5,)),
    "body": ({"body": "Backport of #5."}, (5,)),
    "body of a bot": ({"body": "This is an automatic backport of pull request #5 done by a bot."}, (5,)),
    "picked with -x": ({"body": "Fix.\n\n(cherry picked from commit 0123456789abcdef)"}, ()),
    "picked with -x, with the number of the original": (
        {"title": "Fix it (#5)", "body": "(cherry picked from commit 0123456789abcdef)"},
        (5,),
    ),
    "branch of a bot": ({"head_branch": "mergify/bp/1.2/pr-5"}, (5,)),
    "branch": ({"head_branch": "backport-55-to-1.2"}, (55,)),
    "zh": ({"title": "【回合】修复页表"}, ()),
    "zh: by number": ({"title": "回合 #5 到 1.2"}, (5,)),
    "about a bot": ({"title": "Fix the backport bot's token"}, None),
    "a command": ({"title": "Handle empty commits in cherry-pick"}, None),
    "a scope": ({"title": "cherry-pick: handle empty commits"}, None),
    "in passing": ({"body": "I have also backported some small optimizations."}, None),
    "a label's name": ({"body": "Add the label `backport #5`."}, None),
    "zh: in passing": ({"body": "顺便移植了一些小优化。"}, None),
}


@pytest.mark.parametrize(("fields", "expected"), PORTS.values(), ids=PORTS.keys())
def test_port(fields: dict[str, Any], expected: tuple[int, ...] | None) -> None:
    port = port_of(pull(9, **fields))
    assert (port and port.numbers) == expected


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ("release/1.2", True),
        ("releases/v2", True),
        ("1.x", True),
        ("v1.2.x", True),
        ("stable/2024.1", True),
        ("8-stable", True),
        ("main", False),
        ("feature/release-notes", False),
        ("unstable", False),
        (None, False),
    ],
)
def test_release_branch(branch: str | None, expected: bool) -> None:
    assert is_release_branch(branch) is expected


ROW = edit("a.py", "-one = 1", "+one = 2")


@pytest.mark.parametrize(
    ("fields", "joined"),
    [
        ({"title": "Fix one", "base_branch": "dev", "files": (ROW,)}, True),
        ({"title": "Fix one", "base_branch": "main", "files": (ROW,)}, False),
        ({"title": "Fix two", "base_branch": "dev", "files": (ROW,)}, False),
        ({"title": "Fix one", "base_branch": "dev", "files": (edit("a.py", "-one = 1", "+one = 3"),)}, False),
        ({"title": "Fix one", "base_branch": "dev", "files": ()}, False),
        ({"title": "Fix two", "body": "ghstack PR number: #1"}, True),
        ({"title": "Fix two", "body": "see PR number #1"}, False),
    ],
)
def test_twins(fields: dict[str, Any], joined: bool) -> None:
    week = [pull(1, title="Fix one", base_branch="main", files=(ROW,)), pull(2, **fields)]
    assert bool(list(twin_joints(week))) is joined


DEPENDABOT = Person(login="dependabot[bot]", kind="bot")
COPILOT = Person(login="copilot-swe-agent", kind="bot")

BUMPS: dict[str, tuple[Person, str, bool]] = {
    "a bot of routine": (DEPENDABOT, "Bump toolkit from 1.2 to 1.3", True),
    "its other titles": (Person(login="renovate", kind="bot"), "Update NPM dependencies", True),
    "by a person": (AUTHOR, "Bump toolkit from 1.2 to 1.3", True),
    "after a tag and a scope": (AUTHOR, "[CI] chore(deps): update toolkit to v2", True),
    "pins": (AUTHOR, "Update the benchmark pins", True),
    "a commit": (AUTHOR, "Bump analyzer commit", True),
    "dependencies": (AUTHOR, "Upgrade dependencies", True),
    "zh": (AUTHOR, "升级 toolkit 到 1.3", True),
    "zh: dependencies": (AUTHOR, "依赖升级", True),
    "to the latest pins": (AUTHOR, "Upgrade the page-analyzer and table_runner to the latest upstream pins", True),
    "to the latest": (AUTHOR, "Bump toolkit to latest", True),
    "after a picture": (AUTHOR, "⬆️ Bump toolkit from 1.2 to 1.3", True),
    "whole numbers, by a bot": (DEPENDABOT, "Bump toolkit from 1 to 2", True),
    "the latest of something else": (AUTHOR, "Update the page to the latest wording", False),
    "the latest, without a thing": (AUTHOR, "Update the page to the latest", False),
    "a page that tells of pins": (AUTHOR, "Update the guide to explain how one table handles two pins", False),
    "whole numbers of a limit": (AUTHOR, "Bump retries from 1 to 2", False),
    "a release": (AUTHOR, "Bump version to 1.3", False),
    "a release by number": (AUTHOR, "Bump 1.3.0", False),
    "a constant": (AUTHOR, "Bump the retry constant", False),
    "a limit": (AUTHOR, "Update the limit to 30", False),
    "a pin that is a noun": (AUTHOR, "Pin threads to cores", False),
    "zh: a default": (AUTHOR, "更新默认超时到 30 秒", False),
    "a bot that writes code": (COPILOT, "Fix the table", False),
    "a review bot": (BOT, "Fix the table", False),
}


@pytest.mark.parametrize(("author", "title", "expected"), BUMPS.values(), ids=BUMPS.keys())
def test_bump(author: Person, title: str, expected: bool) -> None:
    assert is_bump(pull(1, "core/table.py", title=title, author=author)) is expected


MANIFEST = edit("pyproject.toml", '-    "Page.Toolkit>=1",', '+    "Page.Toolkit>=2",')
WORKFLOW = edit(".github/workflows/ci.yml", "-      - uses: acme/setup@v4", "+      - uses: acme/setup@v5")


@pytest.mark.parametrize(
    ("title", "file", "expected"),
    [
        ("Bump page-toolkit from 1 to 2", MANIFEST, True),
        ("Bump page_toolkit[fast] to 2", MANIFEST, True),
        ("Bump page-toolkit from 1 to 2", edit("pyproject.toml", "-line-length = 1", "+line-length = 2"), False),
        ("Bump retries from 1 to 2", MANIFEST, False),
        ("Bump acme/setup from 4 to 5", WORKFLOW, True),
        ("Bump timeout from 4 to 5", WORKFLOW, False),
    ],
)
def test_whole_numbers_count_for_what_a_changed_file_names(title: str, file: FileChange, expected: bool) -> None:
    record = pull(1, title=title, files=(file,))
    assert (is_bump(record), moves_versions(record)) == (expected, expected)


def test_a_submodule_s_pointer_is_a_bump() -> None:
    pointer = ROW.updated(path="third_party/lib", patch_state="submodule")
    assert is_bump(pull(1, title="Sync", files=(pointer,)))
    assert not is_bump(pull(1, title="Sync", files=(pointer, ROW)))


def test_long_bodies_cost_little() -> None:
    text = "follow-up to cherry-pick of revert part 1 of " * 4_000
    week = [pull(number, body=text) for number in (1, 2)]
    assert list(series_joints(week, SignalSettings())) == []
    assert port_of(week[0]) is None


WORDS = st.sampled_from(
    [
        "Revert",
        "reland",
        '"',
        "“",
        "(1/2)",
        "[",
        "]",
        "#5",
        " ",
        "\n",
        "part",
        "2",
        "backport",
        "of",
        "回退",
        "的",
        "->",
        "`",
        ">",
    ]
)


@settings(max_examples=60)
@given(st.lists(WORDS, max_size=12).map("".join), st.lists(WORDS, max_size=20).map("".join))
def test_no_words_break_the_rules(title: str, body: str) -> None:
    record = pull(9, title=title, body=body)
    mark, words, port = mark_of(title), revert_words(record), port_of(record)
    assert mark is None or (mark.part >= 1 and (mark.total is None or mark.part <= mark.total))
    named = (*words.numbers, *words.parts, *(port.numbers if port else ()))
    assert all(f"#{number}" in title + body for number in named)
    assert words.takes_back + words.brings_back <= 1
