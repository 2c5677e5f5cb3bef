"""`chunk`: the model's view of a pull request, its tokens by part, and what it lacks."""

import json
from pathlib import Path

import pytest
from command_line import CommandLine
from small_week import pull_request, write_week

from prhub_digest.models.pull_request import FileChange
from prhub_digest.tokens import tokenizer_for

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COUNT = tokenizer_for("").count


def added(path: str, lines: int) -> FileChange:
    patch = f"@@ -0,0 +1,{lines} @@" + "".join(f"\n+pages.register(queue, place={n})" for n in range(lines))
    return FileChange(path=path, status="added", additions=lines, deletions=0, patch=patch)


@pytest.fixture
def collected(command: CommandLine) -> CommandLine:
    files = (added("pages/queue.py", 3), added("pages/package-lock.json", 4))
    write_week(command.folder / "week", {101: pull_request(101, "Keep the queue", files=files)})
    assert command("collect", "--fixture", "./week/").code == 0
    return command


def test_the_text_is_the_product_and_its_tokens_are_told_by_part(collected: CommandLine) -> None:
    outcome = collected("chunk", RUN, "--pr", "101")
    assert outcome.code == 0
    assert outcome.out.startswith("Title\nT1|Keep the queue\nFiles\nF1|pages/queue.py added +3 -0\n")
    title = COUNT("Title\nT1|Keep the queue\n")
    assert f"chunk 1 of 1: {COUNT(outcome.out[:-1])} tokens (title {title}, files " in outcome.err
    assert "pages/package-lock.json: name_only, 0 of 4 changed lines (lock file)\n" in outcome.err
    assert "changed lines: 4 of 7 in no chunk\n" in outcome.err


def test_everything_as_json(collected: CommandLine) -> None:
    text = collected("chunk", RUN, "--pr", "101").out
    said = json.loads(collected("chunk", RUN, "--pr", "101", "--json").out)
    (chunk,) = said["chunks"]
    assert (said["pull"], chunk["text"] + "\n", chunk["tokens"]) == (101, text, COUNT(chunk["text"]))
    assert [part["part"] for part in chunk["parts"]] == ["title", "files", "description", "conversation", "diff"]
    assert [(file["path"], file["shown"], file["reason"]) for file in said["coverage"]["files"]] == [
        ("pages/queue.py", "full", None),
        ("pages/package-lock.json", "name_only", "lock file"),
    ]
    week = json.loads(collected("chunk", RUN, "--json").out)
    assert [pull["pull"] for pull in week["pulls"]] == [101]
    assert week["pulls"][0] == said["coverage"]
    totals = week["coverage"]
    assert (totals["files_full"], totals["files_by_name"], totals["unread"]) == (
        1,
        1,
        [{"reason": "lock file", "files": 1}],
    )


@pytest.mark.parametrize("of", [(), ("--json",), ("--pr", "101")])
def test_a_pull_request_that_is_gone_is_no_view(collected: CommandLine, of: tuple[str, ...]) -> None:
    assert collected("chunk", RUN).code == 0
    (RUN / "pulls/101.json").unlink()
    outcome = collected("chunk", RUN, *of)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{RUN}/pulls/101.json is gone; collect again with --refresh" in outcome.err


def test_files_that_the_week_shows_to_be_core_come_first(command: CommandLine) -> None:
    pulls = {
        number: pull_request(
            number,
            "Keep the queue",
            files=(added(f"pages/{number}.py", 1), *[added("pages/engine.py", 40)] * (number > 116)),
        )
        for number in range(101, 121)
    }
    pulls[120] = pulls[120].updated(files=(added("pages/a.py", 40), added("pages/engine.py", 40)))
    write_week(command.folder / "week", pulls, chunk_tokens=700, max_chunks=1)
    assert command("collect", "--fixture", "./week/").code == 0
    outcome = command("chunk", RUN, "--pr", "120", "--json")
    assert outcome.code == 0, outcome.err
    first, core = json.loads(outcome.out)["coverage"]["files"]
    assert (core["path"], core["shown"], first["shown"]) == ("pages/engine.py", "partial", "partial")
    assert core["changed_lines_shown"] > first["changed_lines_shown"] > 0
