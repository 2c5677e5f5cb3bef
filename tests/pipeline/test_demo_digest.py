"""The bundled week, replayed: the whole pages, and what a digest of just this week must get right."""

import json
import re
import socket
from pathlib import Path

import pytest
from command_line import CommandLine, own_process

from prhub_digest.models.digest import Digest
from prhub_digest.models.facts import FixtureFacts
from prhub_digest.models.plan import Plan
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.models.verification import Verification
from prhub_digest.shipped import fixture_dir

GOLDEN = Path(__file__).parent / "golden"
LANGUAGES = ("en", "zh")
DRY_RUN = ("run", "--dry-run", "--lang", "en", "--lang", "zh")
RUN = Path("runs/aurora-serve__aurora/2026-W23")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    process = own_process(folder, *DRY_RUN)
    _, messages = process.communicate()
    assert process.returncode == 0, messages.decode()
    return folder / RUN


def read(folder: Path, name: str, cls):
    return cls.model_validate_json((folder / name).read_bytes())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_page(demo, language):
    """After a wanted change, copy the page that `make digest` wrote, and read the difference."""
    assert (demo / f"digest.{language}.md").read_bytes().decode() == (
        GOLDEN / f"demo.{language}.md"
    ).read_bytes().decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_that_a_check_refuses(demo, language):
    assert read(demo, f"verification.{language}.json", Verification).errors == ()


def test_both_languages_state_the_same_ids(demo):
    english, chinese = (read(demo, f"digest.{language}.json", Digest) for language in LANGUAGES)
    assert [(s.item, s.claims, s.figures, s.stats) for s in english.sentences] == [
        (s.item, s.claims, s.figures, s.stats) for s in chinese.sentences
    ]


def test_what_was_reverted_within_the_week_is_no_lasting_change(demo):
    plan = read(demo, "plan.json", Plan)
    told = [fact for theme in plan.themes for item in theme.items for fact in item.facts]
    assert 4140 not in {plan.fact(fact).pull for fact in told}
    stats = {count["path"]: count["value"] for count in json.loads((demo / "stats.json").read_text())["counts"]}
    assert (stats["pulls.merged"], stats["pulls.net"], stats["pulls.reverts"]) == (16, 14, 1)


def test_the_open_threads_are_those_nobody_answered(demo):
    signals = json.loads((demo / "signals.json").read_text())
    threads = {
        thread["thread"]: thread["outcome"]
        for own in signals["pulls"]
        for thread in own["threads"] or ()
        if thread["outcome"] not in {"done", "answered"}
    }
    assert threads == {
        "RT_4109_1": "deferred",
        "RT_4115_1": "deferred",
        "RT_4123_1": "deferred",
        "RT_4134_1": "deferred",
        "RT_4134_2": "open",
        "RT_4151_1": "open",
    }


def test_a_kernel_figure_and_an_end_to_end_figure_keep_their_metrics(demo):
    page = (demo / "digest.en.md").read_text()
    assert "gate kernel time 38.6 → 14.9 us" in page
    assert "end-to-end output throughput 2914 → 2987" in page


def test_hostile_text_of_a_pull_request_reaches_neither_request_nor_page(demo):
    replies = Path(__file__).parents[2] / "fixtures" / "demo" / "replies"
    requests = "".join(path.read_text() for path in replies.glob("summarize_pr/pr-4118*.json"))
    assert "10/10" not in requests
    assert re.search(r"<\|im_(?:start|end)\|>", requests) is None
    for language in LANGUAGES:
        assert "10/10" not in (demo / f"digest.{language}.md").read_text()


def test_a_replay_connects_nowhere_and_ignores_the_environment(demo, tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise AssertionError("a replay opened a socket")

    command = CommandLine(tmp_path, monkeypatch, capsys)
    command.set(PRHUB_MODEL="another", OPENAI_BASE_URL="http://127.0.0.1:1/v1", OPENAI_API_KEY="none")
    monkeypatch.setattr(socket, "socket", refuse)
    outcome = command(*DRY_RUN)
    assert outcome.code == 0, outcome.err
    for language in LANGUAGES:
        page = f"digest.{language}.md"
        assert (tmp_path / RUN / page).read_bytes() == (demo / page).read_bytes()


def test_every_figure_is_one_that_the_pull_requests_state(demo):
    """Value, unit and a word of the metric; people read direction and source differently, too."""
    facts = FixtureFacts.model_validate_json((fixture_dir("demo") / "facts.json").read_bytes())
    stated = {own.number: own.figures for own in facts.pulls}
    told = 0
    for path in sorted((demo / "summaries").glob("*.json")):
        summary = PullRequestSummary.model_validate_json(path.read_bytes())
        for figure in summary.figures:
            told += 1
            assert any(same_figure(figure, fact) for fact in stated[summary.pull]), (summary.pull, figure)
    assert told > 15


def same_figure(figure, fact):
    units = plain(figure.unit), plain(fact.unit)
    baselines = plain(figure.baseline), plain(fact.baseline)
    return (
        plain(figure.value) == plain(fact.value)
        and (units[0] in units[1] or units[1] in units[0])
        and (baselines[0] in baselines[1] or baselines[1] in baselines[0])
        and bool(words(figure.metric) & words(fact.metric))
    )


def plain(text):
    return re.sub(r"[\s~,+]|about|≈", "", text.casefold())


def words(metric):
    return set(re.findall(r"[a-z0-9]{2,}", metric.casefold()))
