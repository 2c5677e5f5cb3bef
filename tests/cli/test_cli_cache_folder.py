"""A cache folder that cannot be used: found before a call is paid, or told once and the run ended."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request
from scripted_model import answer, field
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy", "--concurrency", "1")


@pytest.fixture
def week(command: CommandLine) -> CommandLine:
    write_week(command.folder / "week")
    return command


def against(week: CommandLine, reply: Callable[[Request], Reply] = answer, *more: str) -> tuple[Outcome, list[str]]:
    """The outcome, and what was asked."""
    with ModelServer(reply) as server:
        week.set(OPENAI_BASE_URL=server.base_url)
        outcome = week(*COMMAND, *more)
        return outcome, [field(request.messages[1]["content"], "ref") for request in server.requests]


def file_in_its_place(cache: Path) -> str:
    cache.write_bytes(b"mine")
    return f"{cache} is not a folder"


def file_in_the_place_of_the_store(cache: Path) -> str:
    cache.mkdir()
    return file_in_its_place(cache / "replies")


def link_to_nothing(cache: Path) -> str:
    cache.symlink_to(cache.parent / "gone")
    return f"{cache} is a link to {cache.parent / 'gone'}, which is not there"


@pytest.mark.parametrize("spoil", [file_in_its_place, file_in_the_place_of_the_store, link_to_nothing])
def test_no_call_is_made_when_its_reply_could_not_be_kept(week: CommandLine, spoil: Callable[[Path], str]) -> None:
    cache = week.folder / "cache"
    why = spoil(cache)
    outcome, asked = against(week)
    assert (outcome.code, outcome.out, asked) == (2, "", [])
    assert (
        f"error: replies cannot be kept in {cache / 'replies'} (set by PRHUB_CACHE_DIR): {why}."
        " No further call was made, since its reply would be lost; mend that, or name another folder with"
        " PRHUB_CACHE_DIR. The same command continues\n"
    ) in outcome.err
    assert "warning" not in outcome.err
    week.set(PRHUB_CACHE_DIR=str(week.folder / "good"))
    assert against(week)[0].code == 0


@pytest.mark.parametrize("setting", ['cache_dir = "spoilt"\n', ""])
def test_the_message_says_what_set_the_folder(week: CommandLine, monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.delenv("PRHUB_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(week.folder / "home"))
    Path("prhub.toml").write_text(setting, encoding="utf-8")
    for place in ("spoilt", "home"):
        Path(place).write_bytes(b"mine")
    outcome, asked = against(week)
    assert (outcome.code, asked) == (2, [])
    assert ("(set by cache_dir in the settings file)" if setting else "(the default folder)") in outcome.err


def test_a_folder_in_the_place_of_an_entry_costs_no_call(week: CommandLine) -> None:
    assert against(week)[0].code == 0
    entries = sorted((week.folder / "cache/replies").glob("*/*.json"))
    (entry,) = [path for path in entries if json.loads(path.read_bytes())["request"]["subject"] == "pr-102"]
    entry.unlink()
    entry.mkdir()
    outcome, asked = against(week, answer, "--out", "again")
    assert (outcome.code, asked) == (2, [])
    assert f"{entry}, where the reply belongs, is a folder (`prhub-digest cache prune` removes it" in outcome.err
    assert "1 damaged, 0 that cannot be read here\n" in week("cache", "stats").out
    assert week("cache", "prune").code == 0
    outcome, asked = against(week, answer, "--out", "again")
    assert (outcome.code, asked) == (0, ["pr-102"])


def spoiled_at(ref: str, cache: Path) -> Callable[[Request], Reply]:
    """The scripted model, under which the cache folder becomes a file before the answer to one request."""

    def reply(request: Request) -> Reply:
        if field(request.messages[1]["content"], "ref") == ref and cache.is_dir():
            shutil.rmtree(cache)
            cache.write_bytes(b"mine")
        return answer(request)

    return reply


def test_a_folder_that_is_spoilt_during_the_run_ends_it_with_one_warning(week: CommandLine) -> None:
    cache = week.folder / "cache"
    outcome, asked = against(week, spoiled_at("pr-102", cache))
    assert (outcome.code, outcome.out, asked) == (2, "", ["pr-101", "pr-102"])
    assert outcome.err.count("warning: ") == 1
    assert (
        f"warning: the reply to summarize_pr/pr-102 was paid for and cannot be kept in {cache / 'replies'}"
        f" (set by PRHUB_CACHE_DIR): "
    ) in outcome.err
    assert "; no further call begins\n" in outcome.err
    assert "error: replies cannot be kept in " in outcome.err
    cache.unlink()
    again, rest = against(week)
    assert (again.code, rest[0]) == (0, "pr-103")  # the summary of 102 stands in the run folder


def test_a_run_whose_last_reply_cannot_be_kept_is_whole(week: CommandLine) -> None:
    _, asked = against(week, answer, "--out", "whole")
    week.set(PRHUB_CACHE_DIR=str(week.folder / "other"))
    outcome, _ = against(week, spoiled_at(asked[-1], week.folder / "other"))
    assert (outcome.code, outcome.err.count("warning: ")) == (0, 1)
    page = "toy__pages/2026-W06/digest.en.md"
    assert (Path("runs") / page).read_bytes() == (Path("whole") / page).read_bytes()


def test_stored_replies_are_used_where_nothing_can_be_written(
    week: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert against(week)[0].code == 0
    monkeypatch.setattr("prhub_digest.llm.paying_store.write_fault", lambda _: "read-only")
    outcome, asked = against(week, answer, "--out", "again")
    assert (outcome.code, asked) == (0, [])
