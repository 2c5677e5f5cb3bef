"""Every other command on a finished run, and what it says when there is none."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine, ended, own_process, process_environment
from git_history import History
from model_server import ModelServer
from scripted_model import answer
from small_week import BO, open_thread, pull_request, write_week

from prhub_digest import __version__
from prhub_digest.models.pull_request import Comment, FileChange
from prhub_digest.shipped import prompts_dir

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
WEEK_OF_MODEL = ("--fixture", "./week/", "--llm", "openai", "--model", "toy", "--lang", "en", "--lang", "zh")
STAGES = ("chunk", "summarize", "rank", "compose", "verify", "render")


@pytest.fixture
def finished(command: CommandLine) -> CommandLine:
    write_week(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command("run", *WEEK_OF_MODEL).code == 0
    return command


def test_version(command: CommandLine) -> None:
    outcome = command("--version")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"prhub-digest {__version__}\n", "")


def test_help_shows_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom prhub_digest.cli.main import main\nsys.argv = ['prhub-digest', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'openai', 'github', 'tiktoken', 'jinja2', 'pydantic', 'rich'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr == b"[]\n"
    commands = {line.split()[0] for line in done.stdout.decode().partition("Commands:")[2].split("\n") if line.strip()}
    assert commands >= {"run", "collect", *STAGES, "show", "schema", "record", "batch"}


def test_no_command_at_all_shows_the_help(command: CommandLine) -> None:
    outcome = command()
    assert outcome.code == 2
    assert "Usage: prhub-digest" in outcome.out + outcome.err


@pytest.mark.parametrize("name", ["PullRequest", "SummaryReply", "Digest", "RunManifest", "Chunk", "Coverage", "Plan"])
def test_schema(command: CommandLine, name: str) -> None:
    outcome = command("schema", name)
    schema = json.loads(outcome.out)
    assert (outcome.code, schema["title"], schema["type"], schema["additionalProperties"]) == (0, name, "object", False)


def test_schema_of_nothing_known(command: CommandLine) -> None:
    names = command("schema").out.split("\n")[:-1]
    assert names == sorted(names)
    assert {"Stats", "Ranking", "Verification", "PullRequestSummary"} < set(names)
    outcome = command("schema", "Pull")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"error: no record 'Pull'; there are {', '.join(names)}\n" == outcome.err


def test_show_a_run(finished: CommandLine) -> None:
    outcome = finished("show", RUN)
    assert outcome.code == 0
    assert outcome.out.startswith(f"toy/pages, 2026-W06, prhub-digest {__version__}\n{RUN}\n")
    lines = outcome.out.split("\n")
    assert lines[2] == "3 merged pull requests, 0 incomplete, 0 not summarized"
    highlight = next(line for line in lines[lines.index("Highlights") :] if line.startswith("1 "))
    assert re.fullmatch(r"1 +#101 +\d\.\d +Keep the page queue open while the cache drains", highlight)
    rows = [line.split()[0] for line in lines[3:] if line.strip()]
    assert {"collect", "chunk", "summarize", "rank", "compose", "render"} <= set(rows)
    values = json.loads(finished("show", RUN, "--json").out)
    assert (values["repository"], values["stages"]["summarize"]["usage"]["calls"]) == ("toy/pages", 3)
    assert "api_key" not in values["settings"]


def test_show_an_unfinished_run(finished: CommandLine) -> None:
    """A run that waits, or was interrupted, does not read as one in which nothing went wrong."""
    assert finished("run", "--fixture", "./week/", "--llm", "batch", "--model", "other", "--out", "waiting").code == 0
    waiting = finished("show", "waiting/toy__pages/2026-W06").out.split("\n")
    assert waiting[2:4] == [
        "3 merged pull requests, 0 incomplete",
        "unfinished: summarize has not ended; 0 of 3 pull requests summarized so far; the same run command continues",
    ]
    (RUN / "summaries/102.json").unlink()
    assert (
        "unfinished: 2 of 3 pull requests summarized so far; the same run command continues"
        in finished("show", RUN).out
    )


def test_show_a_pull_request(finished: CommandLine) -> None:
    outcome = finished("show", RUN, "--pr", "101")
    assert outcome.code == 0
    lines = outcome.out.split("\n")
    assert lines[:2] == ["#101 Keep the page queue open while the cache drains", "queue, fix, default unchanged"]
    assert "claim: Adds pages.register(queue, name='item-101')" in lines
    assert "    diff pages/queue.py 2: +pages.register(queue, name='item-101')" in lines
    assert "unsettled thread T101 (medium): What happens when the queue is full?" in lines
    assert any(line.startswith("place 1, importance ") and line.endswith(", a highlight") for line in lines)
    assert "  reach 2 (by model)" in lines
    assert json.loads(finished("show", RUN, "--pr", "101", "--json").out)["pull"] == 101


def test_show_an_unknown_pull_request(finished: CommandLine) -> None:
    outcome = finished("show", RUN, "--pr", "999")
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"error: pull request 999 is not in {RUN}\n")
    (RUN / "summaries/102.json").unlink()
    outcome = finished("show", RUN, "--pr", "102")
    assert outcome.code == 2
    assert f"{RUN} has no summary of pull request 102; see: prhub-digest rank {RUN}" in outcome.err
    outcome = finished("chunk", RUN, "--pr", "999")
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"error: pull request 999 is not in {RUN}\n")


@pytest.mark.parametrize("command_name", [*STAGES, "show"])
def test_a_folder_that_is_no_run(command: CommandLine, command_name: str) -> None:
    outcome = command(command_name, "./nowhere")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: nowhere is no run folder: it has no run.json; prhub-digest run makes one\n"


def test_the_stage_commands_say_what_they_made(finished: CommandLine) -> None:
    chunks = finished("chunk", RUN).out
    assert [line.split()[0] for line in chunks.split("\n") if "#" in line] == ["#101", "#102", "#103"]
    one = finished("chunk", RUN, "--pr", "102").out
    assert one.startswith("Title\nT1|Read the settings file before the cache starts\n")
    summaries = finished("summarize", RUN).out
    assert "summarized" in summaries
    assert "Retry a lost page once" in summaries
    ranking = finished("rank", RUN).out
    assert ranking.index("#101") < ranking.index("#102")
    assert finished("compose", RUN, "--lang", "zh").out == f"{RUN}/digest.zh.json\n"
    verified = finished("verify", RUN)
    assert (verified.code, verified.out) == (0, "Findings (en): none\nFindings (zh): none\n")


def test_chunk_names_everything_that_is_not_shown(command: CommandLine) -> None:
    added = "".join(f"\n+pages.register(queue, name='item-{n}')" for n in range(400))
    big = FileChange(
        path="pages/a\nb\x1b[2J.py", status="added", additions=400, deletions=0, patch=f"@@ -0,0 +1,400 @@{added}"
    )
    threads = tuple(
        open_thread(n).updated(comments=(Comment(id=f"C{n}", author=BO, body="Why is the queue full? " * 60),))
        for n in range(4)
    )
    body = "\n".join(f"Item {n} is kept in the queue while the cache drains." for n in range(300))
    pull = pull_request(101, "Keep the queue", body=body, files=(big,), threads=threads)
    write_week(command.folder / "week", {101: pull})
    assert command("collect", "--fixture", "./week/").code == 0
    said = command("chunk", RUN, "--pr", "101").err
    assert "description: not shown whole\n" in said
    assert re.search(r"^review threads: [1-4] of 4 not shown whole$", said, re.MULTILINE)
    partly = re.search(r"^pages/a\\nb\\x1b\[2J\.py: partial, (\d+) of 400 changed lines \(", said, re.MULTILINE)
    assert partly is not None, said
    left = 400 - int(partly[1])
    assert f"changed lines: {left} of 400 in no chunk (max_chunks is 3)\n" in said


def test_render_in_each_format(finished: CommandLine) -> None:
    page = (RUN / "digest.en.md").read_bytes().decode()
    assert finished("render", RUN, "--lang", "en").out == page
    assert finished("render", RUN).out == page + "\n" + (RUN / "digest.zh.md").read_bytes().decode()
    assert "Keep the page queue open" in finished("render", RUN, "--lang", "en", "--format", "text").out
    values = json.loads(finished("render", RUN, "--lang", "en", "--format", "json").out)
    assert isinstance(values, dict)
    both = json.loads(finished("render", RUN, "--format", "json").out)
    assert (both[0], [page["language"] for page in both]) == (values, ["en", "zh"])
    wrong = finished("render", RUN, "--format", "html")
    assert (wrong.code, "'html' is not one of 'md', 'text', 'json'" in wrong.err) == (2, True)


def test_verify_fails_on_a_digest_that_was_tampered_with(finished: CommandLine) -> None:
    path = RUN / "digest.en.json"
    path.write_bytes(path.read_bytes().replace(b"This week: pulls merged.", b"This week 40 pulls merged.", 1))
    outcome = finished("verify", RUN, "--lang", "en")
    assert outcome.code == 1
    assert "40" in outcome.out


EDITS = {
    "digest.en": ("This week: pulls merged.", "This week 40 pulls merged."),
    "plan": ('"quote": "Keep the page queue', '"quote": "Close the page queue'),
    "ranking": ('"highlight": true', '"highlight": false'),
    "pulls/101": ('"title": "Keep', '"title": "Close'),
}


EDITED = "warning: digest.en.json, its verification or what they rest on has changed since its checks; checked anew\n"


def test_what_is_edited_is_kept_and_checked_anew(finished: CommandLine) -> None:
    """No page says of words that nobody checked that no check failed."""
    for name, (before, after) in EDITS.items():
        path = RUN / f"{name}.json"
        made = path.read_bytes().decode()
        edited = made.replace(before, after, 1)
        assert edited != made
        path.write_bytes(edited.encode())
        page = finished("render", RUN, "--lang", "en")
        assert (page.code, EDITED in page.err, "verification (en): " in page.err) == (1, True, True), page.err
        assert "not all passed, see below" in page.out
        assert "No check failed" not in page.out
        if name != "pulls/101":  # which `run` takes from the fixture again
            again = finished("run", *WEEK_OF_MODEL)
            assert (again.code, EDITED in again.err, path.read_bytes().decode() == edited) == (1, False, True), (
                again.err
            )
            assert (RUN / "digest.en.md").read_bytes().decode() == page.out
        path.write_bytes(made.encode())
        assert "No check failed" in finished("render", RUN, "--lang", "en").out


def test_errors_of_the_checks_end_compose_and_render_with_one(finished: CommandLine) -> None:
    path = RUN / "digest.en.json"
    path.write_bytes(path.read_bytes().replace(b"This week: pulls merged.", b"This week 40 pulls merged.", 1))
    errors = f"warning: verification (en): 1 error; listed by: prhub-digest verify {RUN}\n"
    first, second = (finished("render", RUN) for _ in range(2))
    assert (first.code, first.err, second.code, second.err) == (1, EDITED + errors, 1, errors)
    assert second.out == first.out != ""
    composed = finished("compose", RUN)
    assert (composed.code, composed.out) == (1, f"{RUN}/digest.en.json\n{RUN}/digest.zh.json\n")
    assert finished("render", RUN, "--lang", "zh").code == 0


@pytest.mark.parametrize("name", ["render", "verify", "run"])
def test_a_verification_without_its_findings_hides_none(finished: CommandLine, name: str) -> None:
    digest, path = RUN / "digest.en.json", RUN / "verification.en.json"
    digest.write_bytes(digest.read_bytes().replace(b"This week: pulls merged.", b"This week 40 pulls merged.", 1))
    again = ("run", *WEEK_OF_MODEL) if name == "run" else (name, RUN, "--lang", "en")
    assert finished(*again).code == 1
    found = path.read_bytes()
    path.write_bytes(json.dumps(json.loads(found) | {"findings": []}).encode())
    outcome = finished(*again)
    assert (outcome.code, EDITED in outcome.err, path.read_bytes()) == (1, True, found), outcome.err


PRINTED = {
    "collection": ('"web_url": "https://github.example/toy/pages"', '"web_url": "https://evil.example/toy"'),
    "coverage": ('"description_complete": true', '"description_complete": false'),
}


def test_what_a_page_prints_besides_is_not_edited_unsaid(finished: CommandLine) -> None:
    page = finished("render", RUN, "--lang", "en").out
    for name, (before, after) in PRINTED.items():
        path = RUN / f"{name}.json"
        made = path.read_bytes().decode()
        assert before in made
        for command in ("verify", "render"):
            path.write_bytes(made.replace(before, after).encode())
            outcome = finished(command, RUN, "--lang", "en")
            assert (outcome.code, outcome.err.startswith(EDITED)) == (0, True), outcome.err
            path.write_bytes(made.encode())
            assert finished("render", RUN, "--lang", "en").out == page
    path = RUN / "run.json"
    made = path.read_bytes().decode()
    path.write_bytes(made.replace('"pulls_complete": 3', '"pulls_complete": 2').encode())
    (RUN / "digest.en.md").unlink()
    assert finished("render", RUN, "--lang", "en").out == page


@pytest.mark.parametrize(
    ("before", "after", "item", "cited"),
    [
        ('"p1.h1"', '"p99.h1"', "e1", "p99.h1"),
        ('"areas.queue"', '"areas.nope"', "t1", "areas.nope"),
    ],
)
def test_a_digest_that_cites_what_is_not_there_is_refused_by_name(
    finished: CommandLine, before: str, after: str, item: str, cited: str
) -> None:
    path, page = RUN / "digest.en.json", RUN / "digest.en.md"
    chinese = (RUN / "digest.zh.md").read_bytes()
    made, shown = path.read_bytes().decode(), page.read_bytes()
    assert finished("run", *WEEK_OF_MODEL, "--brief").code == 0
    path.write_bytes(made.replace(before, after, 1).encode())
    told = (
        f"error: {path}: item {item!r} cites {cited!r}, which neither plan.json nor stats.json has;"
        " delete the file, and the next run makes it again\n"
    )
    for again in (("run", *WEEK_OF_MODEL), ("render", RUN, "--lang", "en"), ("render", RUN, "--format", "json")):
        outcome = finished(*again)
        assert (outcome.code, outcome.out, outcome.err.endswith(told)) == (2, "", True), outcome.err
        assert sorted(own.name for own in RUN.glob("digest.*.md")) == ["digest.zh.brief.md", "digest.zh.md"]
    verified = finished("verify", RUN, "--lang", "en")
    assert (verified.code, cited in verified.out) == (1, True)
    path.unlink()
    assert finished("run", *WEEK_OF_MODEL).code == 0
    assert (path.read_bytes().decode(), page.read_bytes()) == (made, shown)
    assert (RUN / "digest.zh.md").read_bytes() == chinese


def test_no_page_stays_of_a_plan_about_other_pull_requests(finished: CommandLine) -> None:
    path = RUN / "plan.json"
    path.write_bytes(path.read_bytes().replace(b'"pull": 103', b'"pull": 104'))
    told = (
        f"error: {path} rests on pull request 104, which was not collected;"
        " delete it, and the next run makes it again\n"
    )
    for name in ("render", "verify"):
        outcome = finished(name, RUN)
        assert (outcome.code, outcome.out, outcome.err) == (2, "", told)
        assert not [*RUN.glob("digest.*.md")]
    path.unlink()
    assert finished("run", *WEEK_OF_MODEL).code == 0


def test_a_copied_folder_is_the_same_run(finished: CommandLine) -> None:
    shutil.copytree("runs", "elsewhere")
    outcome = finished("run", *WEEK_OF_MODEL, "--out", "elsewhere", "--concurrency", "2")
    assert (outcome.code, "settings changed" in outcome.err) == (0, False), outcome.err


def test_a_language_that_was_not_composed(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    outcome = command("verify", RUN, "--lang", "zh")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{RUN} has no digest in zh; make it with: prhub-digest compose {RUN}" in outcome.err


def test_run_says_its_result_as_json(command: CommandLine) -> None:
    write_week(command.folder / "week")
    outcome = command("run", "--fixture", "./week/", "--llm", "none", "--json")
    values = json.loads(outcome.out)
    assert values == {
        "folder": str(RUN),
        "pages": [f"{RUN}/digest.en.md"],
        "pull_requests": 3,
        "set_aside": 0,
        "failures": [],
        "findings": [],
        "usage": dict.fromkeys(("calls", "input_tokens", "output_tokens", "cached_tokens"), 0),
        "paid": dict.fromkeys(("calls", "input_tokens", "output_tokens", "cached_tokens"), 0),
        "costs": [],
    }


def test_record_a_run_and_replay_it(finished: CommandLine) -> None:
    page = (RUN / "digest.en.md").read_bytes()
    outcome = finished("record", RUN, "./saved/")
    assert outcome.code == 0, outcome.err
    assert "saved: every reply is recorded" in outcome.err
    replay = finished("run", "--dry-run", "--fixture", "./saved/", "--out", "replayed")
    assert replay.code == 0, replay.err
    assert (Path("replayed/toy__pages/2026-W06/digest.en.md")).read_bytes() == page
    twice = finished("record", RUN, "./saved/")
    assert twice.code == 2
    assert "is a fixture already; ask its stale replies anew with --fixture ./saved" in twice.err


def test_record_wants_a_run_and_a_folder_or_a_fixture(command: CommandLine) -> None:
    assert command("record").err == "error: give --fixture NAME, or RUN and FOLDER\n"
    assert command("record", "--fixture", "demo", "--llm", "none").err == "error: --llm must be batch or openai here\n"
    assert command("record", "runs/none", "./saved/").code == 2


def test_record_refuses_what_is_no_finished_run_and_writes_nothing(finished: CommandLine) -> None:
    assert finished("record", RUN, "./saved/").code == 0
    assert finished("run", "--dry-run", "--fixture", "./saved/", "--out", "replayed").code == 0
    replayed = finished("record", "replayed/toy__pages/2026-W06", "./again/")
    assert (replayed.code, replayed.err) == (
        2,
        "error: replayed/toy__pages/2026-W06 is a replay of the fixture ./saved; copy that fixture's folder instead\n",
    )
    assert finished("run", "--fixture", "./week/", "--llm", "batch", "--model", "other", "--out", "waiting").code == 0
    waiting = finished("record", "waiting/toy__pages/2026-W06", "./again/")
    assert (waiting.code, "is not a finished run with a model" in waiting.err) == (2, True)
    (RUN / "pulls/103.json").unlink()
    gone = finished("record", RUN, "./again/")
    assert (gone.code, f"{RUN} lacks pull request 103" in gone.err) == (2, True)
    assert not Path("again").exists()


def test_a_pull_request_that_is_gone_or_another(finished: CommandLine) -> None:
    (RUN / "pulls/102.json").write_bytes((RUN / "pulls/101.json").read_bytes())
    outcome = finished("render", RUN)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"error: {RUN}/pulls/102.json holds pull request 101; collect again with --refresh\n" in outcome.err
    (RUN / "pulls/102.json").unlink()
    for name in ("chunk", "render"):
        outcome = finished(name, RUN, *(("--pr", "102") if name == "chunk" else ()))
        assert outcome.code == 2
        assert f"error: {RUN}/pulls/102.json is gone; collect again with --refresh\n" in outcome.err


def test_a_summary_of_another_is_made_again(finished: CommandLine) -> None:
    own = (RUN / "summaries/102.json").read_bytes()
    (RUN / "summaries/102.json").write_bytes((RUN / "summaries/101.json").read_bytes())
    outcome = finished("show", RUN, "--pr", "102")
    assert outcome.code == 2
    assert "102.json holds the summary of pull request 101; make it again with: prhub-digest rank" in outcome.err
    assert finished("rank", RUN).code == 0
    assert (RUN / "summaries/102.json").read_bytes() == own


def test_a_closed_stream_changes_no_exit_code(finished: CommandLine) -> None:
    command = shlex.join([sys.executable, "-m", "prhub_digest"])
    page = (RUN / "digest.en.md").read_bytes()
    environment = process_environment(finished.folder, {})

    def shell(line: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["sh", "-c", line], cwd=finished.folder, env=environment, capture_output=True, check=False
        )

    done = shell(f"{command} render {RUN} --lang en >&-")
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (0, b"", False), done.stderr
    done = shell(f"{command} render {RUN} --lang en 2>&- <&-")
    assert (done.returncode, done.stdout) == (0, page)
    done = shell(f"{command} run --fixture ./week/ --llm none --out closed >&- 2>&-")
    assert (done.returncode, (finished.folder / "closed" / RUN.relative_to("runs") / "digest.en.md").exists()) == (
        0,
        True,
    )
    assert shell(f"{command} show ./none >&- 2>&-").returncode == 2


def test_names_that_the_locale_cannot_read(tmp_path: Path) -> None:
    write_week(tmp_path / "一周")
    history = History(tmp_path / "仓库")
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    poor = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    (tmp_path / "提示").mkdir()
    shutil.copy(prompts_dir() / "headline.prompt.md", tmp_path / "提示")
    folders = ("--out", "页面", "--prompts", "提示")
    made = ended(own_process(tmp_path, "run", "--fixture", "./一周/", "--llm", "none", *folders, **poor))
    assert (made.code, "Traceback" in made.err) == (0, False), made.err
    run = tmp_path / "页面/toy__pages/2026-W06"
    settings = json.loads((run / "run.json").read_bytes())["settings"]
    assert (settings["fixture"], settings["out"]) == ("./一周", "页面")
    shown = ended(own_process(tmp_path, "render", run, **poor))
    assert (shown.code, shown.out) == (0, (run / "digest.en.md").read_bytes().decode())
    week = ("--week", "2026-W06", "--llm", "none")
    made = ended(own_process(tmp_path, "run", "./仓库", *week, **poor))
    assert made.code == 0, made.err
    run = tmp_path / "runs/local__仓库/2026-W06"
    assert json.loads((run / "run.json").read_bytes())["settings"]["location"] == "./仓库"
    assert ended(own_process(tmp_path, "run", "./仓库", *week)).code == 0
    for odd in (("--model", "模型"), ("--week", "周"), ("--tz", "时区"), ("--config", "无.toml"), ("--lang", "中")):
        wrong = ended(own_process(tmp_path, "run", "./仓库", *week[2:], *odd, **poor))
        assert (wrong.code, "Traceback" in wrong.err) == (2, False), wrong.err


def test_a_product_on_a_poor_console_is_complete(tmp_path: Path) -> None:
    """H-29: the page is UTF-8 whatever the console can show."""
    write_week(tmp_path / "week")
    made = ended(own_process(tmp_path, "run", "--fixture", "./week/", "--llm", "none", "--lang", "zh"))
    assert made.code == 0, made.err
    poor = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}
    process = own_process(tmp_path, "render", RUN, **poor)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == (tmp_path / RUN / "digest.zh.md").read_bytes()
    assert "周报" in out.decode("utf-8")
    title = ended(own_process(tmp_path, "show", "./没有", **poor))
    assert title.code == 2
