"""Batch files, round after round, end in the same digest as an endpoint that answers at once."""

import json
import os
from pathlib import Path

from command_line import CommandLine
from model_server import ModelServer
from scripted_model import answer, batch_line
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--model", "toy", "--lang", "en", "--lang", "zh")


def answered(requests: Path, replies: Path) -> int:
    lines = requests.read_bytes().decode().split("\n")[:-1]
    replies.write_bytes("".join(batch_line(line) + "\n" for line in lines).encode())
    return len(lines)


def counted_replies(number: int) -> str:
    return "1 reply" if number == 1 else f"{number} replies"


def test_a_stage_that_waits_for_replies_did_not_do_its_work(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command(*COMMAND, "--llm", "batch").code == 0
    for stage in ("summarize", "rank", "compose", "verify", "render"):
        outcome = command(stage, RUN)
        assert (outcome.code, outcome.out) == (1, "")
        assert f"3 requests in {RUN}/batch/requests.jsonl\n" in outcome.err
        assert f"prhub-digest batch import {RUN} REPLIES.jsonl" in outcome.err
    assert command("chunk", RUN).code == 0  # asks nobody


def test_batch_files_make_the_digest_of_a_live_run(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command(*COMMAND, "--llm", "openai", "--out", "live").code == 0
    command.set(PRHUB_CACHE_DIR=str(command.folder / "another"))
    rounds = []
    outcome = command(*COMMAND, "--llm", "batch")
    while "batch import" in outcome.err:
        assert (outcome.code, outcome.out) == (0, "")
        assert f"prhub-digest batch import {RUN} REPLIES.jsonl" in outcome.err
        rounds.append(answered(RUN / "batch/requests.jsonl", Path("replies.jsonl")))
        imported = command("batch", "import", RUN, "replies.jsonl", "--by", "a script")
        assert (imported.code, imported.err.split("\n")[-2]) == (
            0,
            f"replies.jsonl: {counted_replies(rounds[-1])} imported, 0 requests still waiting",
        )
        outcome = command(*COMMAND, "--llm", "batch")
        assert len(rounds) < 10
    assert outcome.code == 0, outcome.err
    assert rounds == [3, 1, 10, 2]
    for name in ("digest.en.md", "digest.zh.md", "digest.en.json", "digest.zh.json", "stats.json", "ranking.json"):
        assert (RUN / name).read_bytes() == (Path("live/toy__pages/2026-W06") / name).read_bytes(), name


def test_a_bad_line_is_named_and_the_good_ones_are_kept(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    answered(RUN / "batch/requests.jsonl", Path("replies.jsonl"))
    good = Path("replies.jsonl").read_bytes().decode().split("\n")[:-1]
    lines = [good[0], good[1].replace("pr-102", "pr-999"), "not JSON", good[2], good[2]]
    Path("replies.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode())
    outcome = command("batch", "import", RUN, "replies.jsonl")
    assert outcome.code == 1
    assert "2 replies imported, 1 request still waiting" in outcome.err
    assert "warning: line 3: not a line of a batch output file" in outcome.err
    assert "no request waits for this reply" in outcome.err
    assert "stands there twice; the first one counts" in outcome.err
    export = command("batch", "export", RUN, "--to", "rest.jsonl")
    assert (export.code, export.out) == (0, "rest.jsonl\n")
    assert len(Path("rest.jsonl").read_bytes().split(b"\n")[:-1]) == 1


def test_replies_that_are_stored_already_are_no_fault_but_an_empty_file_is(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    answered(RUN / "batch/requests.jsonl", Path("replies.jsonl"))
    assert command("batch", "import", RUN, "replies.jsonl").code == 0
    again = command("batch", "import", RUN, "replies.jsonl")  # its summaries are made by now; the plan is waited for
    assert (again.code, again.err.count(": stored already\n"), "warning" in again.err) == (0, 3, False)
    assert "0 replies imported, 1 request still waiting" in again.err
    Path("empty.jsonl").write_bytes(b"\n")
    empty = command("batch", "import", RUN, "empty.jsonl")
    assert (empty.code, "warning: empty.jsonl: holds no reply\n" in empty.err) == (1, True)


def test_an_export_replaces_no_file_of_the_user(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    Path("mine.txt").write_bytes(b"mine")
    taken = command("batch", "export", RUN, "--to", "mine.txt")
    assert (taken.code, taken.out, taken.err) == (
        2,
        "",
        "error: mine.txt exists; choose another name or remove it\n",
    )
    assert Path("mine.txt").read_bytes() == b"mine"
    nowhere = command("batch", "export", RUN, "--to", "none/requests.jsonl")
    assert (nowhere.code, nowhere.err) == (2, "error: cannot write none/requests.jsonl: there is no folder none\n")
    assert not Path("none").exists()
    for _ in range(2):  # its own place in the run
        assert command("batch", "export", RUN).out == f"{RUN}/batch/requests.jsonl\n"


def test_a_fixture_is_recorded_by_batch_files(command: CommandLine) -> None:
    write_week(command.folder / "week")
    requests = Path("runs/recording/toy__pages/2026-W06/batch/requests.jsonl")
    replies = requests.with_name("replies.jsonl")  # a file of the user's, which no new start may delete
    for waiting in (3, 1, 10, 2):
        Path("exported.jsonl").unlink(missing_ok=True)
        export = command("batch", "export", "--fixture", "./week/", "--to", "exported.jsonl")
        outcome = command("record", "--fixture", "./week/")
        words = f"{waiting} request{'' if waiting == 1 else 's'} in {requests}\n"
        assert (outcome.code, words in outcome.err) == (0, True), outcome.err
        assert "prhub-digest batch import --fixture ./week REPLIES.jsonl" in outcome.err
        assert (export.code, Path("exported.jsonl").read_bytes()) == (0, requests.read_bytes())
        assert answered(requests, replies) == waiting
        imported = command("batch", "import", "--fixture", "./week/", replies, "--by", "a script")
        assert imported.code == 0, imported.err
        again = command("batch", "import", "--fixture", "./week/", replies)
        assert (again.code, again.err.count(": stored already\n")) == (0, waiting), again.err
        assert requests.exists()
    assert "week: every reply is recorded\n" in command("record", "--fixture", "./week/").err
    assert not requests.exists()
    replay = command("run", "--dry-run", "--fixture", "./week/", "--lang", "en", "--lang", "zh")
    assert (replay.code, "0 of them asked now" in replay.err) == (0, True), replay.err
    manifest = json.loads(Path("week/manifest.json").read_bytes())
    assert (manifest["recorded"], manifest["failed"]) == ("batch files, a script", {})


def test_an_empty_week_is_recorded_without_a_reply(command: CommandLine) -> None:
    write_week(command.folder / "week", pulls={})
    outcome = command("record", "--fixture", "./week/")
    assert outcome.code == 0, outcome.err
    assert "every reply is recorded" in outcome.err
    assert json.loads(Path("week/manifest.json").read_bytes())["failed"] == {}


def test_a_name_that_the_locale_cannot_read_stands_in_the_record(command: CommandLine) -> None:
    """Arguments of a C locale hold their bytes as lone surrogates."""
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    answered(RUN / "batch/requests.jsonl", Path("replies.jsonl"))
    by = os.fsencode("模型").decode("ascii", "surrogateescape")
    assert command("batch", "import", RUN, "replies.jsonl", "--by", by).code == 0
    stored = [json.loads(path.read_bytes()) for path in Path("cache/replies").rglob("*.json")]
    assert {reply["recorded"] for reply in stored} == {"batch files, 模型"}


def test_batch_wants_a_run_or_a_fixture_and_files(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command("batch", "export").code == 2
    assert command("batch", "export", "runs/none", "--fixture", "./week/").code == 2
    missing = command("batch", "import", "runs/none", "replies.jsonl")
    assert (missing.code, "is no run folder: it has no run.json" in missing.err) == (2, True)
    assert command("batch", "import", "runs/none").code == 2
    unread = command("batch", "import", "--fixture", "./week/", "no-such.jsonl")
    assert (unread.code, "cannot read no-such.jsonl: No such file or directory" in unread.err) == (2, True)
