"""Batch files, round after round, end in the same digest as an endpoint that answers at once."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, completion
from scripted_model import answer, batch_line, content_for, field
from small_week import TITLES, open_thread, pull_request, write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--model", "toy", "--lang", "en", "--lang", "zh")
PAGES = ("digest.en.md", "digest.zh.md", "digest.en.json", "digest.zh.json", "stats.json", "ranking.json")


def requests(run: Path = RUN) -> list[Path]:
    """The files of the round that waits."""
    return sorted((run / "batch").glob("round-*.jsonl"))


def answered(
    replies: Path = Path("replies.jsonl"), run: Path = RUN, reply: Callable[[str], str | None] = batch_line
) -> int:
    """Answers each line of the round; returns how many lines there were."""
    lines = [line for path in requests(run) for line in path.read_bytes().decode().split("\n")[:-1]]
    answers = [own for line in lines if (own := reply(line)) is not None]
    replies.write_bytes("".join(f"{own}\n" for own in answers).encode())
    return len(lines)


def files_of(run: Path) -> dict[str, tuple[int, bytes]]:
    """Their bytes, and of batch files also when they were written."""
    paths = [path for path in run.rglob("*") if path.is_file() and path.name != ".lock"]
    times = {path: path.stat().st_mtime_ns if path.parent.name == "batch" else 0 for path in paths}
    return {str(path.relative_to(run)): (times[path], path.read_bytes()) for path in paths}


def said(outcome: Outcome) -> str:
    """What stands on stderr without the progress of stages, which tells the time."""
    return "".join(line for line in outcome.err.splitlines(keepends=True) if not line.rstrip().endswith(" s"))


def live_digest(command: CommandLine, reply: Callable[[Request], Reply], *arguments: str) -> Path:
    """The folder of the same run with an endpoint; its replies are kept from the run with batch files."""
    with ModelServer(reply) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command(*arguments, "--llm", "openai", "--out", "live")
    assert outcome.code in (0, 1), outcome.err
    command.set(PRHUB_CACHE_DIR=str(command.folder / "another"), OPENAI_BASE_URL="http://127.0.0.1:1/v1")
    return next(Path("live").glob("*/*"))


def test_a_stage_that_waits_for_replies_did_not_do_its_work(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command(*COMMAND, "--llm", "batch").code == 0
    for stage in ("summarize", "rank", "compose", "verify", "render"):
        outcome = command(stage, RUN)
        assert (outcome.code, outcome.out) == (1, "")
        assert f"round 1 (summaries): 3 requests in {RUN}/batch/round-001.jsonl\n" in outcome.err
        assert f"prhub-digest batch import {RUN} REPLIES.jsonl" in outcome.err
    assert command("chunk", RUN).code == 0  # asks nobody


def test_batch_files_make_the_digest_of_a_live_run(command: CommandLine) -> None:
    write_week(command.folder / "week")
    live = live_digest(command, answer, *COMMAND)
    rounds = []
    outcome = command(*COMMAND, "--llm", "batch")
    while "batch import" in outcome.err:
        assert (outcome.code, outcome.out) == (0, "")
        assert f"prhub-digest batch import {RUN} REPLIES.jsonl" in outcome.err
        before = files_of(RUN)
        again = command(*COMMAND, "--llm", "batch")  # says the same, and changes no byte
        assert (said(again), files_of(RUN)) == (said(outcome), before)
        (waiting,) = requests()
        words = next(line for line in outcome.err.split("\n") if line.startswith("round "))
        rounds.append(words.removesuffix(f" in {waiting}"))
        answered()
        imported = command("batch", "import", RUN, "replies.jsonl", "--by", "a script")
        assert imported.code == 0, imported.err
        assert " imported, 0 requests without a line\n" in imported.err
        outcome = command(*COMMAND, "--llm", "batch")
        assert len(rounds) < 10
    assert outcome.code == 0, outcome.err
    assert rounds == [
        "round 1 (summaries): 3 requests",
        "round 2 (plan): 2 requests",
        "round 3 (wording): 12 requests",
        "round 4 (wording): 2 requests",
    ]
    for name in PAGES:
        assert (RUN / name).read_bytes() == (live / name).read_bytes(), name
    assert requests() == []


def test_the_demo_goes_through_batch_files(command: CommandLine) -> None:
    arguments = ("run", "--fixture", "demo", "--model", "toy", "--highlights", "3")
    live = live_digest(command, answer, *arguments)
    run = Path("runs") / live.relative_to("live")
    assert command(*arguments, "--llm", "batch").code == 0
    kinds = []
    while requests(run):
        answered(run=run)
        outcome = command("batch", "import", run, "replies.jsonl")
        assert outcome.code == 0, outcome.err
        kinds += [line.split(":")[0] for line in outcome.err.split("\n") if line.startswith("round ")]
        assert len(kinds) < 10
    later = ("headlines", "plan", "wording", "repairs", "wording")
    assert kinds == [f"round {number} ({kind})" for number, kind in enumerate(later, start=2)]
    assert f"every reply is there; go on with: prhub-digest render {run}" in outcome.err
    for name in ("digest.en.md", "digest.en.json"):
        assert (run / name).read_bytes() == (live / name).read_bytes(), name  # the last import made it already
    assert command(*arguments, "--llm", "batch").out == f"{run}/digest.en.md\n"


def faulty(body: Any) -> Reply:
    """A model that answers wrongly at first, for one pull request always, and for one is cut at first."""
    asked, again = body["messages"][1]["content"], len(body["messages"]) > 2
    good = completion(content_for(body))
    ref = field(asked, "ref")
    if ref == "pr-102" and not again:
        return completion('{"ref": "pr-102"}')
    if ref == "pr-103":
        return completion("I would rather not say.")
    if ref == "pr-101" and body["max_tokens"] < 3600 and "Areas: " in asked:
        return completion('{"ref": "pr-1', finish_reason="length")
    if ref == "theme-1" and not again:
        theme = json.loads(content_for(body))
        return completion(json.dumps(theme | {"name": "All the work of the week on pages"}))
    return good


def faulty_line(line: str) -> str:
    asked = json.loads(line)
    response = {"status_code": 200, "body": faulty(asked["body"]).body}
    return json.dumps({"id": "1", "custom_id": asked["custom_id"], "response": response, "error": None})


def test_wrong_answers_get_the_second_chances_of_a_live_run(command: CommandLine) -> None:
    """Shown once, more room once, given up then: the same digest, and no round without an end."""
    write_week(command.folder / "week")
    live = live_digest(command, lambda request: faulty(request.body), *COMMAND)
    outcome = command(*COMMAND, "--llm", "batch")
    failed = []
    while requests():
        answered(reply=faulty_line)
        outcome = command("batch", "import", RUN, "replies.jsonl")
        failed.append([line for line in outcome.err.split("\n") if line.startswith("warning: ")])
        assert outcome.code == bool(failed[-1])
        assert len(failed) < 10
    cut, missing, prose = failed[0]
    assert cut.startswith(
        "warning: #101: the answer was cut at the output limit; waits again: it is asked for more room"
    )
    assert missing.startswith("warning: #102: headline: Field required; change_type: Field required;")
    assert prose.startswith(
        "warning: #103: the answer holds no JSON object; waits again: the model is shown this, once (summarize_pr/pr-"
    )
    (given_up,) = failed[1]
    assert given_up.startswith("warning: #103: the answer holds no JSON object; falls back (summarize_pr/pr-103-")
    (theme,) = failed[2]
    assert theme.startswith(
        "warning: compose_theme/theme-1: name: it has 8 words, not one to 6; waits again: the model is shown"
    )
    assert not any(failed[3:])
    outcome = command(*COMMAND, "--llm", "batch")
    assert outcome.code == 1  # one pull request was not summarized
    assert "summarize pr-103: no usable reply after one retry: the answer holds no JSON object\n" in outcome.err
    for name in PAGES:
        assert (RUN / name).read_bytes() == (live / name).read_bytes(), name
    for stage in ("summarize", "compose"):  # with what was paid for answers that could not be used
        assert usage_of(RUN, stage) == usage_of(live, stage), stage
    own, other = (json.loads((run / "run.json").read_bytes()).get("input_ratio") for run in (RUN, live))
    assert own == other is not None
    for command_again in (("batch", "export", RUN), (*COMMAND, "--llm", "batch")):
        assert "round " not in command(*command_again).err  # nothing waits; it is not asked for ever
    again = command("batch", "export", RUN, "--again")
    assert "1 request waiting once more\n" in again.err
    assert [line["custom_id"][:19] for path in requests() for line in lines_of(path)] == ["summarize_pr/pr-103"]


def usage_of(run: Path, stage: str) -> Any:
    return json.loads((run / "run.json").read_bytes())["stages"][stage]["usage"]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]


def test_a_week_without_one_summary_is_no_digest(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    for code in (1, 4):
        answered(reply=lambda line: batch_line(line).replace('\\"headline\\"', '\\"head\\"'))
        outcome = command("batch", "import", RUN, "replies.jsonl")
        assert outcome.code == code
    assert "error: none of the 3 pull requests could be summarized, so there is no digest;" in outcome.err
    assert outcome.err.count("; falls back (") == 3
    assert not [*RUN.glob("digest.*")]
    assert command(*COMMAND, "--llm", "batch").code == 4


def test_a_pull_request_that_is_too_long_comes_back_in_smaller_chunks(command: CommandLine) -> None:
    body = "\n".join(f"Line {number} of a long description of what the queue does." for number in range(400))
    write_week(command.folder / "week", {101: pull_request(101, TITLES[101], body=body)}, max_chunks=1)
    command(*COMMAND, "--llm", "batch")

    def too_long(line: str) -> str:
        error = {"error": {"message": "This model's maximum context length is 1000 tokens", "code": None}}
        name = json.loads(line)["custom_id"]
        return json.dumps({"id": "1", "custom_id": name, "response": {"status_code": 400, "body": error}})

    answered(reply=too_long)
    outcome = command("batch", "import", RUN, "replies.jsonl")
    assert "warning: #101: the request does not fit into the model's context: This model's maximum" in outcome.err
    assert "round 2 (summaries): 1 request in " in outcome.err
    (half,) = lines_of(requests()[0])
    assert half["custom_id"].startswith("summarize_pr/pr-101.half-")
    answered()
    outcome = command("batch", "import", RUN, "replies.jsonl")
    assert (outcome.code, "it was summarized in chunks of 750 tokens" in outcome.err) == (0, True)
    assert "round 3 (plan): 2 requests in " in outcome.err


def test_a_bad_line_is_named_and_the_good_ones_are_kept(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    answered()
    good = Path("replies.jsonl").read_bytes().decode().split("\n")[:-1]
    lines = [good[0], good[1].replace("pr-102", "pr-999"), "not JSON", good[2], good[2]]
    Path("replies.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode())
    outcome = command("batch", "import", RUN, "replies.jsonl", "--json")
    assert outcome.code == 1
    assert "replies.jsonl: 2 replies imported, 1 request without a line\n" in outcome.err
    assert "warning: replies.jsonl, line 3: not a line of a batch output file\n" in outcome.err
    assert "warning: #999: no request waits for this reply (summarize_pr/pr-999-" in outcome.err
    assert "warning: #103: stands there twice; the first usable one counts (summarize_pr/pr-103-" in outcome.err
    assert "without a line: #102\n" in outcome.err
    assert f"round 1 (summaries): 1 request in {RUN}/batch/round-001.jsonl;" in outcome.err
    (waiting,) = lines_of(requests()[0])
    report = json.loads(outcome.out)
    assert report["missing"] == [waiting["custom_id"]]
    assert [name[:19] for name in report["imported"]] == ["summarize_pr/pr-101", "summarize_pr/pr-103"]
    assert report["waiting"] == {
        "round": 1,
        "kinds": ["summaries"],
        "requests": 1,
        "files": [f"{RUN}/batch/round-001.jsonl"],
    }
    export = command("batch", "export", RUN, "--to", "rest.jsonl")
    assert (export.code, export.out) == (0, "rest.jsonl\n")
    assert lines_of(Path("rest.jsonl")) == [waiting]


def test_replies_that_are_stored_already_are_no_fault_but_an_empty_file_is(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    answered()
    assert command("batch", "import", RUN, "replies.jsonl").code == 0
    again = command("batch", "import", RUN, "replies.jsonl")  # its summaries are made by now; the plan is waited for
    assert (again.code, "stored already: #101, #102, #103\n" in again.err, "warning" in again.err) == (0, True, False)
    assert "0 replies imported, 2 requests without a line" in again.err
    Path("empty.jsonl").write_bytes(b"\n")
    empty = command("batch", "import", RUN, "empty.jsonl", "replies.jsonl")
    assert (empty.code, "warning: empty.jsonl: holds no reply\n" in empty.err) == (1, True)
    assert "2 files: 0 replies imported" in empty.err


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
        assert command("batch", "export", RUN).out == f"{RUN}/batch/round-001.jsonl\n"


def test_an_export_is_split_as_asked(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    export = command("batch", "export", RUN, "--most-requests", "2")
    parts = [f"{RUN}/batch/round-001.part-001.jsonl", f"{RUN}/batch/round-001.part-002.jsonl"]
    assert export.out == "".join(f"{part}\n" for part in parts)
    assert [str(path) for path in requests()] == parts
    assert f"3 requests in {', '.join(parts)}\n" in command(*COMMAND, "--llm", "batch").err  # as asked for last
    assert command("batch", "export", RUN, "--most-mb", "1", "--most-requests", "9").out == (
        f"{RUN}/batch/round-001.jsonl\n"
    )
    assert len(requests()) == 1


def test_to_start_over_leaves_nothing_of_a_round_and_all_of_the_users(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    answered(RUN / "batch/replies.jsonl")
    (RUN / "batch/round-001.out.jsonl").write_bytes(b"mine")
    assert command(*COMMAND, "--llm", "none", "--fresh").code == 0
    left = {path.name for path in (RUN / "batch").iterdir()}
    assert left == {"replies.jsonl", "round-001.out.jsonl"}


def test_what_a_killed_export_left_is_made_good(command: CommandLine) -> None:
    """Files of another round, a half-written one, and a round that the list of rounds does not know yet."""
    write_week(command.folder / "week")
    first = command(*COMMAND, "--llm", "batch")
    whole = files_of(RUN / "batch")
    batch = RUN / "batch"
    (batch / "round-007.part-001.jsonl").write_bytes(b"of another round\n")
    (batch / f".round-001.jsonl.{os.getpid()}-1.tmp").write_bytes(b"half")
    (batch / "rounds.json").unlink()
    assert said(command(*COMMAND, "--llm", "batch")) == said(first)
    assert {name: data for name, (_, data) in files_of(batch).items()} == {
        name: data for name, (_, data) in whole.items()
    }


def test_a_fixture_is_recorded_by_batch_files(command: CommandLine) -> None:
    write_week(command.folder / "week")
    run = Path("runs/recording/toy__pages/2026-W06")
    replies = run / "batch/replies.jsonl"  # a file of the user's, which no new start may delete
    for number, waiting in enumerate((3, 2, 12, 2), start=1):
        Path("exported.jsonl").unlink(missing_ok=True)
        export = command("batch", "export", "--fixture", "./week/", "--to", "exported.jsonl")
        outcome = command("record", "--fixture", "./week/")
        words = f"{waiting} request{'' if waiting == 1 else 's'} in {run}/batch/round-00{number}.jsonl\n"
        assert (outcome.code, words in outcome.err) == (0, True), outcome.err
        assert "prhub-digest batch import --fixture ./week REPLIES.jsonl" in outcome.err
        assert (export.code, Path("exported.jsonl").read_bytes()) == (0, requests(run)[0].read_bytes())
        assert answered(replies, run) == waiting
        imported = command("batch", "import", "--fixture", "./week/", replies, "--by", "a script")
        assert imported.code == 0, imported.err
        again = command("batch", "import", "--fixture", "./week/", replies)
        assert (again.code, "stored already: " in again.err) == (0, True), again.err
    assert "week: every reply is recorded\n" in command("record", "--fixture", "./week/").err
    assert {path.name for path in (run / "batch").iterdir()} == {"replies.jsonl"}
    replay = command("run", "--dry-run", "--fixture", "./week/", "--lang", "en", "--lang", "zh")
    assert (replay.code, "0 of them asked now" in replay.err) == (0, True), replay.err
    manifest = json.loads(Path("week/manifest.json").read_bytes())
    assert (manifest["recorded"], manifest["failed"]) == ("batch files, a script", {})


def test_a_recording_names_what_failed_twice_and_replays_it(command: CommandLine) -> None:
    write_week(command.folder / "week", languages=("en", "zh"))
    run = Path("runs/recording/toy__pages/2026-W06")
    outcome = command("record", "--fixture", "./week/")
    while outcome.code == 0 and requests(run):
        answered(run=run, reply=faulty_line)
        command("batch", "import", "--fixture", "./week/", "replies.jsonl")
        outcome = command("record", "--fixture", "./week/")
    assert (outcome.code, "every other reply is recorded\n" in outcome.err) == (1, True), outcome.err
    failed = json.loads(Path("week/manifest.json").read_bytes())["failed"]
    assert failed == {
        "summarize_pr/pr-103": "no usable reply after one retry: the answer holds no JSON object",
    }
    reply = json.loads(Path("week/replies/summarize_pr/pr-102.json").read_bytes())
    assert len(reply["attempts"]) == 2
    replay = command("run", "--dry-run", "--fixture", "./week/", "--lang", "en", "--lang", "zh")
    assert (replay.code, "summarize pr-103: no usable reply" in replay.err) == (1, True), replay.err


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
    answered()
    by = os.fsencode("模型").decode("ascii", "surrogateescape")
    assert command("batch", "import", RUN, "replies.jsonl", "--by", by).code == 0
    stored = [json.loads(path.read_bytes()) for path in Path("cache/replies").rglob("*.json")]
    assert {reply["recorded"] for reply in stored} == {"batch files, 模型"}


def test_batch_wants_a_run_or_a_fixture_and_files(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command("batch", "export").code == 2
    assert command("batch", "export", "runs/none", "--fixture", "./week/").code == 2
    Path("replies.jsonl").write_bytes(b"{}\n")
    missing = command("batch", "import", "runs/none", "replies.jsonl")
    assert (missing.code, "is no run folder: it has no run.json" in missing.err) == (2, True)
    assert command("batch", "import", "runs/none").code == 2
    unread = command("batch", "import", "--fixture", "./week/", "no-such.jsonl")
    assert (unread.code, "cannot read no-such.jsonl: No such file or directory" in unread.err) == (2, True)


def test_a_thread_is_asked_about_in_a_batch_too(command: CommandLine) -> None:
    """What the model says of a thread needs the thread's line ids; it stands in the exported request."""
    pulls = {101: pull_request(101, TITLES[101], threads=(open_thread(101),))}
    write_week(command.folder / "week", pulls)
    command(*COMMAND, "--llm", "batch")
    (line,) = lines_of(requests()[0])
    assert field(line["body"]["messages"][1]["content"], "Threads").startswith("R1 (open, at least ")


def test_a_wrong_file_is_named_without_a_message_for_each_of_its_lines(command: CommandLine) -> None:
    write_week(command.folder / "week")
    command(*COMMAND, "--llm", "batch")
    name = "summarize_pr/pr-{}-0123456789"
    foreign = [json.dumps({"custom_id": name.format(number), "response": {}}) for number in range(1, 31)]
    Path("another.jsonl").write_text("no line\n" * 50 + "".join(f"{own}\n" for own in foreign), encoding="utf-8")
    outcome = command("batch", "import", RUN, "another.jsonl")
    assert outcome.code == 1
    assert outcome.err.count("warning: another.jsonl, line ") == outcome.err.count(": no request waits for") == 20
    assert "warning: 30 more lines are none either\n" in outcome.err
    assert "warning: 10 more replies answer nothing that waits\n" in outcome.err
    assert "is it a file of another run, model or prompt?" in outcome.err
    mistaken = command("batch", "import", RUN, *requests())
    assert (mistaken.code, "holds requests, not the replies to them" in mistaken.err) == (2, True)
    assert not (RUN / "batch/tries.json").exists()
