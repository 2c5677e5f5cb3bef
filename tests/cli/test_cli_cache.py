"""`cache stats`, `cache why` and `cache prune` on the store of a small week."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from git_history import History
from model_server import ModelServer, Reply, Request, completion
from scripted_model import answer
from small_week import TITLES, pull_request, write_week

from prhub_digest.shipped import prompts_dir

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
REPLIES = Path("cache/replies")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy")
DAY = 86_400


@pytest.fixture
def finished(command: CommandLine) -> CommandLine:
    write_week(command.folder / "week")
    live(command)
    return command


def live(command: CommandLine, *arguments: str, code: int = 0, answering: Any = answer) -> Outcome:
    """A run that asks an endpoint, which is gone when it ends."""
    with ModelServer(answering) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command(*COMMAND, *arguments)
    assert outcome.code == code, outcome.err
    return outcome


def everything_in(folder: Path) -> dict[Path, tuple[bytes, int]]:
    """Content and time of every file."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def entries() -> list[Path]:
    return sorted(REPLIES.rglob("*.json"))


def set_in_run(**values: Any) -> None:
    manifest = json.loads((RUN / "run.json").read_bytes())
    manifest["settings"] |= values
    (RUN / "run.json").write_text(json.dumps(manifest), encoding="utf-8")


def forget_summaries(*numbers: int) -> None:
    for number in numbers or TITLES:
        (RUN / f"summaries/{number}.json").unlink()


def test_stats(finished: CommandLine) -> None:
    outcome = finished("cache", "stats")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.split("\n")
    assert lines[0] == str(finished.folder / REPLIES)
    assert lines[1].startswith("11 entries (")
    assert lines[2:4] == ["0 damaged, 0 that cannot be read here", "0 leftovers of writes that did not end (0 B)"]
    rows = [line.split() for line in lines]
    assert ["summarize_pr", "3"] in [row[:2] for row in rows]
    assert ["toy", "11"] in [row[:2] for row in rows]
    figures = json.loads(finished("cache", "stats", "--json").out)
    assert (figures["entries"], figures["bytes"]) == (11, sum(path.stat().st_size for path in entries()))
    assert {name: share["entries"] for name, share in figures["by_prompt"].items()} == {
        "compose_plan": 1,
        "compose_theme": 1,
        "compose_wording": 6,
        "summarize_pr": 3,
    }
    assert (figures["damaged"], figures["leftovers"]) == ([], 0)


def test_stats_name_what_is_damaged_and_foreign_text_is_no_markup(finished: CommandLine) -> None:
    first, second = entries()[:2]
    first.write_bytes(first.read_bytes()[:200])
    second.with_name(f".{second.name}.{'0' * 32}.tmp").write_bytes(b"x" * 1500)
    live(finished, "--model", "[/]toy\x1b[31m")
    out = finished("cache", "stats").out
    assert "\n1 damaged, 0 that cannot be read here\n1 leftover of writes that did not end (1.5 kB)\n" in out
    assert "[/]toy\\x1b[31m" in out
    assert f"{finished.folder / first}" in out
    assert "not a stored reply" in out
    figures = json.loads(finished("cache", "stats", "--json").out)
    damaged = [{"path": str(finished.folder / first), "reason": "not a stored reply"}]
    assert (figures["damaged"], figures["leftovers"], figures["leftover_bytes"]) == (damaged, 1, 1500)


def test_a_store_that_is_not_there(command: CommandLine) -> None:
    assert "\n0 entries (0 B)\n" in command("cache", "stats").out
    assert json.loads(command("cache", "stats", "--json").out)["oldest_use"] is None
    outcome = command("cache", "prune")
    assert (outcome.code, "removed 0 entries not used for 90 days" in outcome.out) == (0, True)
    assert not Path("cache").exists()
    Path("cache").write_bytes(b"a file")
    outcome = command("cache", "stats")
    assert (outcome.code, outcome.err) == (2, f"error: {command.folder / REPLIES}: Not a directory\n")


def test_the_settings_file_names_the_store(finished: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRHUB_CACHE_DIR")
    Path("mine.toml").write_text('cache_dir = "cache"\n', encoding="utf-8")
    forget_summaries()
    assert "11 entries" in finished("cache", "stats", "--config", "mine.toml").out
    assert "nothing would be asked anew" in finished("cache", "why", RUN, "--config", "mine.toml").out
    assert "removed 11 entries (" in finished("cache", "prune", "--all", "--config", "mine.toml").out
    assert finished("cache", "stats", "--config", "none.toml").code == 2


def test_why_not(finished: CommandLine) -> None:
    before = everything_in(finished.folder)
    for folder in (str(RUN), f"./{RUN}/"):
        outcome = finished("cache", "why", folder)
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.endswith(
            ": every reply is stored, or in the run folder already; nothing would be asked anew\n"
        )
    assert everything_in(finished.folder) == before
    forget_summaries()  # the replies are still there
    assert "nothing would be asked anew" in finished("cache", "why", RUN).out


def test_why_names_the_part_that_differs(finished: CommandLine) -> None:
    set_in_run(small_model="other")
    before = everything_in(finished.folder)
    outcome = finished("cache", "why", RUN)
    assert outcome.code == 0
    lines = outcome.out.split("\n")[:-1]
    assert [line.split(" (")[0] for line in lines[::2]] == [
        f"summarize_pr/pr-{number}: not as in the nearest stored reply" for number in TITLES
    ]
    assert lines[1::2] == ["  model: recorded 'toy', now 'other'"] * 3
    assert outcome.err == "3 requests would be asked anew; those that follow from their replies are not known yet\n"
    one = finished("cache", "why", RUN, "--pr", "102")
    assert one.out.split("\n")[:-1] == lines[2:4]
    assert everything_in(finished.folder) == before
    unknown = finished("cache", "why", RUN, "--pr", "999")
    assert (unknown.code, unknown.err) == (2, f"error: pull request 999 is not in {RUN}\n")


def test_why_says_what_the_next_run_does(finished: CommandLine) -> None:
    """A changed pull request, another prompt, a reply that was pruned: as many requests as are then asked."""
    pull = pull_request(103, TITLES[103]).updated(body="Another description.")
    Path("week/pulls/103.json").write_bytes(pull.to_json().encode())
    entries_of_102 = [path for path in entries() if '"pr-102"' in path.read_text(encoding="utf-8")]
    for path in entries_of_102:
        path.unlink()
    forget_summaries(102)
    out = finished("cache", "why", RUN).out
    assert "summarize_pr/pr-102: never asked\n" in out
    assert "summarize_pr/pr-103: not as in the nearest stored reply" in out
    assert "Another description." in out
    assert "pr-101" not in out
    asked: list[Request] = []

    def noted(request: Request) -> Reply:
        asked.append(request)
        return answer(request)

    live(finished, answering=noted)
    assert sum("SummaryReply" in json.dumps(request.body) for request in asked) == 2


def test_why_sees_one_changed_letter_of_a_prompt(finished: CommandLine) -> None:
    Path("mine").mkdir()
    shutil.copy(prompts_dir() / "summarize_pr.prompt.md", "mine")
    live(finished, "--prompts", "mine", "--fresh")
    prompt = Path("mine/summarize_pr.prompt.md")
    prompt.write_text(prompt.read_text(encoding="utf-8").replace("=== user\n", "=== user\nPlease:\n"), encoding="utf-8")
    lines = finished("cache", "why", RUN, "--pr", "101").out.split("\n")
    assert lines[1].startswith("  message 2 (user), line 1: recorded “")
    assert lines[1].endswith(", now “Please:”")
    assert lines[2].startswith("  prompt summarize_pr has changed (")


def test_why_says_that_a_stored_reply_is_of_no_use(finished: CommandLine) -> None:
    forget_summaries()
    paths = {path: json.loads(path.read_bytes()) for path in entries()}
    subjects = {values["request"]["subject"]: path for path, values in paths.items()}
    subjects["pr-101"].write_bytes(b"{")
    reply = paths[subjects["pr-102"]]
    reply["attempts"][0]["content"] = '{"ref": "pr-103"}'
    subjects["pr-102"].write_text(json.dumps(reply), encoding="utf-8")
    outcome = finished("cache", "why", RUN)
    first, second = outcome.out.split("\n")[:-1]
    assert first == "summarize_pr/pr-101: its reply cannot be used: not a stored reply"
    assert second.startswith("summarize_pr/pr-102: its reply cannot be used: ")
    assert "warning" not in outcome.err


def test_why_remembers_what_failed(command: CommandLine) -> None:
    write_week(command.folder / "week")

    def failing(request: Request) -> Reply:
        refused = "ref: pr-102" in json.dumps(request.body)
        return completion("{}") if refused else answer(request)

    live(command, code=1, answering=failing)
    lines = command("cache", "why", RUN).out.split("\n")
    assert lines[0] == "summarize_pr/pr-102: never asked"
    assert lines[1].startswith("  the last run got no usable reply: ")


def test_why_of_a_run_in_a_clone(command: CommandLine) -> None:
    History(command.folder / "clone").commit(
        "Open the queue (#2)", {"pages/queue.py": "open()\n"}, "2026-02-03T10:00:00"
    )
    arguments = ("run", "./clone", "--week", "2026-W06", "--llm", "batch", "--model", "toy")
    assert command(*arguments).code == 0
    shutil.rmtree("clone")  # nothing is collected again
    run = Path("runs/local__clone/2026-W06")
    assert command("cache", "why", run).out == "summarize_pr/pr-2: never asked\n"


def test_why_of_a_replay_looks_into_the_fixture(finished: CommandLine) -> None:
    with ModelServer(answer) as server:
        finished.set(OPENAI_BASE_URL=server.base_url)
        recorded = finished("record", "--fixture", "./week/", "--llm", "openai")
    assert recorded.code == 0, recorded.err
    assert finished("run", "--dry-run", "--fixture", "./week/").code == 0
    outcome = finished("cache", "why", RUN)
    assert outcome.out == f"{RUN}: every reply is recorded; nothing would be asked anew\n"
    pull = pull_request(103, "Retry a lost page twice")
    Path("week/pulls/103.json").write_bytes(pull.to_json().encode())
    Path("week/replies/summarize_pr/pr-101.json").unlink()
    forget_summaries(101)
    outcome = finished("cache", "why", RUN)
    lines = outcome.out.split("\n")
    assert lines[0] == "summarize_pr/pr-101: never asked"
    assert lines[1].startswith("summarize_pr/pr-103: not as in the nearest stored reply (")
    assert outcome.err == "2 requests without a recorded reply in the fixture ./week\n"


def test_why_of_a_run_without_a_model(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    outcome = command("cache", "why", RUN)
    assert (outcome.code, outcome.out) == (0, f"{RUN} asks no model (--llm none)\n")


def test_why_of_what_is_no_run(finished: CommandLine) -> None:
    missing = finished("cache", "why", "runs/none")
    assert (missing.code, "runs/none is no run folder: it has no run.json" in missing.err) == (2, True)
    (RUN / "pulls/102.json").write_bytes(b"{")
    shutil.rmtree("week")
    gone = finished("cache", "why", RUN)
    assert (gone.code, gone.out, "./week" in gone.err) == (2, "", True)


def test_a_fault_of_the_run_folder_is_told_of_that_folder(command: CommandLine) -> None:
    History(command.folder / "clone").commit(
        "Open the queue (#2)", {"pages/queue.py": "open()\n"}, "2026-02-03T10:00:00"
    )
    assert command("run", "./clone", "--week", "2026-W06", "--llm", "batch", "--model", "toy").code == 0
    run = Path("runs/local__clone/2026-W06")
    (run / "pulls/2.json").unlink()
    outcome = command("cache", "why", run)
    assert (outcome.code, outcome.err) == (2, f"error: {run}/pulls/2.json is gone; collect again with --refresh\n")


def test_prune(finished: CommandLine) -> None:
    Path("cache/replies/README").write_bytes(b"mine")
    old, damaged, stale, *rest = entries()
    for path, days in ((old, 100), (stale, 8)):
        time = path.stat().st_mtime - days * DAY
        os.utime(path, (time, time))
    sizes = [path.stat().st_size for path in (old, stale)]
    damaged.write_bytes(b"{}")
    tried = finished("cache", "prune", "--dry-run")
    assert (tried.code, len(entries())) == (0, 11)
    assert f"\nwould remove 1 entry not used for 90 days ({sizes[0] / 1000:.1f} kB), 1 damaged (2 B), 0 " in tried.out
    done = finished("cache", "prune")
    assert done.out == tried.out.replace("would remove", "removed").replace("would keep", "kept")
    assert entries() == [stale, *rest]
    assert "removed 1 entry not used for 7 days" in finished("cache", "prune", "--unused-days", "7").out
    assert "kept 8 entries (" in finished("cache", "prune", "--unused-days", "7").out
    assert "removed 8 entries (" in finished("cache", "prune", "--all").out
    left = sorted(path.name for path in Path("cache/replies").rglob("*") if path.is_file())
    assert left == [".claims", "README"]
    live(finished, "--fresh")
    assert len(entries()) == 11


def test_prune_refuses_what_contradicts_itself(command: CommandLine) -> None:
    outcome = command("cache", "prune", "--all", "--unused-days", "3")
    assert (outcome.code, outcome.err) == (2, "error: give --unused-days or --all, not both\n")
    assert command("cache", "prune", "--unused-days", "-1").code == 2
