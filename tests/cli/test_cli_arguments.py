"""Arguments that cannot be meant: exit 2, and a message that says what to write instead."""

import json
import os
from pathlib import Path

import pytest
from command_line import CommandLine
from git_history import History
from model_server import ModelServer
from scripted_model import answer
from small_week import write_week

pytest_plugins = ["command_fixture"]

NO_MODEL = (
    "error: no model is set: name one with --model or PRHUB_MODEL (and OPENAI_BASE_URL for an endpoint of your own);"
    " without a model, --llm none makes a digest of facts only, and --dry-run replays the demo\n"
)


@pytest.fixture
def clone(command: CommandLine) -> Path:
    history = History(command.folder / "clone")
    history.commit("Keep the queue open (#7)", {"pages/queue.py": "open()\n"})
    return history.folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--week", "2025-W53"], "--week 2025-W53: the year 2025 has no ISO week 53"),
        (["--week", "nonsense"], "--week 'nonsense' is not an ISO week; write it like 2026-W23"),
        (["--since", "2026-02-09", "--until", "2026-02-02"], "--since 2026-02-09 is not before --until 2026-02-02"),
        (["--since", "2026-02-02", "--until", "2026-02-02"], "the day of --until is not included"),
        (["--since", "yesterday", "--until", "2026-02-02"], "--since 'yesterday' is not a date; write it like"),
        (["--since", "2026-02-02"], "--since and --until go together"),
        (["--until", "2026-02-02"], "--since and --until go together"),
        (["--week", "2026-W06", "--since", "2026-02-02"], "give --week, or --since and --until, not both"),
        (["--tz", "Mars/Olympus"], "--tz: timezone = 'Mars/Olympus': no such time zone; write a time zone, like"),
        (["--highlights", "-1"], "--highlights: highlights = -1: write a whole number, 0 or more"),
        (["--concurrency", "0"], "--concurrency: concurrency = 0: write a whole number from 1 to 256"),
        (["--config", "none.toml"], "none.toml: there is no such file; --config names a settings file"),
        (["--dry-run"], "a fixture has its own repository; leave './clone' out, or leave out --dry-run"),
        (["--llm", "replay"], "--llm replay answers from a fixture; add --source fixture"),
        (["--fixture", "demo"], "--fixture goes with --dry-run or --source fixture"),
        (["--dry-run", "--llm", "openai"], "--dry-run is --source fixture --llm replay; leave --source and --llm out"),
        (["--dry-run", "--source", "git"], "--dry-run is --source fixture --llm replay; leave --source and --llm out"),
        (["--prompts", "none"], "none"),
        (["--prompts", "none", "--llm", "none"], "none"),
        (["--prompts", ""], "--prompts: prompts = '': empty; write a folder of prompt files, like \"prompts\""),
        (["--out", ""], "--out: out = '': empty; write a folder, like \"runs\""),
        (["--week", ""], "--week '' is not an ISO week; write it like 2026-W23"),
        (["--since", "", "--until", ""], "--since '' is not a date; write it like 2026-06-01"),
        (["--fixture", ""], "--fixture is empty; name a shipped fixture, or a folder such as ./week/"),
        (["--max-wait", "-1"], "--max-wait: max_wait = -1.0: write a number of seconds, 0 or more"),
        (["--path", "!"], '--path: paths.0 = \'!\': write a list of patterns, like ["src/**", "!**/*.md"]'),
        (["--label", "bug"], "--label needs labels, which git does not know; use --source github, or leave labels out"),
        (["--source", "github"], "--source github reads OWNER/REPO, not './clone'; leave --source out to read a clone"),
    ],
)
def test_what_cannot_be_meant_is_named(command: CommandLine, clone: Path, arguments: list[str], words: str) -> None:
    outcome = command("run", "./clone", "--model", "toy", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")
    assert words in outcome.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("repository", "words"),
    [
        ("clone", "'clone' is no OWNER/REPO; a path to a clone needs ./ or /, such as ./clone"),
        ("a/b/c", "'a/b/c' is no OWNER/REPO"),
        ("owner/", "'owner/' is no OWNER/REPO"),
        ("owner/re po", "is no OWNER/REPO"),
        ("owner/../repo", "is no OWNER/REPO"),
        ("./none", "./none: no such folder; give the path of a git clone, or OWNER/REPO for GitHub"),
        ("./file", "./file: a file, not a folder; give the path of a git clone"),
        ("./empty", "./empty: not a git repository; clone one there, or give another path"),
    ],
)
def test_what_is_no_repository_is_named(command: CommandLine, clone: Path, repository: str, words: str) -> None:
    Path("file").touch()
    Path("empty").mkdir()
    outcome = command("run", repository, "--llm", "none")
    assert (outcome.code, outcome.out, words in outcome.err) == (2, "", True), outcome.err


def test_an_owner_and_a_name_are_read_from_the_git_server(command: CommandLine, clone: Path) -> None:
    """`file://` stands in for the server; a name that it does not have is the server's failure."""
    week = ("--source", "git", "--llm", "none", "--week", "2026-W06")
    server = command.folder / "server"
    (server / "toy").mkdir(parents=True)
    (server / "toy" / "pages.git").symlink_to(clone)
    command.set(GITHUB_SERVER_URL=f"file://{server}")
    found = command("run", "toy/pages", *week)
    assert (found.code, "1 merged pull request;" in found.err) == (0, True), found.err
    assert "%" not in found.err  # git reports every share; none is shown in the first seconds
    assert json.loads(Path("runs/local__pages/2026-W06/run.json").read_bytes())["settings"]["location"] == (
        f"file://{server}/toy/pages.git"
    )
    unknown = command("run", "toy/none", *week)
    assert (unknown.code, unknown.out) == (4, "")
    assert "check the address, the network and your access" in unknown.err
    command.set(GITHUB_SERVER_URL="")
    Path("prhub.toml").write_text(f'github_server_url = "file://{server}/"\n', encoding="utf-8")
    assert command("run", "toy/pages.git", *week).code == 0


@pytest.mark.parametrize(
    ("repository", "hint"),
    [
        ("https://github.com/toy/pages", "not 'https://github.com/toy/pages'; give toy/pages"),
        ("https://x:ghs_1@github.com/toy/pages.git", "not 'https://github.com/toy/pages.git'; give toy/pages"),
        ("git@github.com:toy/pages.git", "not 'git@github.com:toy/pages.git'; give toy/pages"),
        (
            "https://git.example/toy/pages",
            (
                "not 'https://git.example/toy/pages', and this URL is not on https://github.com;"
                " leave --source out to read it with git"
            ),
        ),
        ("~/pages", "not '~/pages'; leave --source out to read a clone with git"),
    ],
)
def test_github_is_asked_for_an_owner_and_a_name_only(command: CommandLine, repository: str, hint: str) -> None:
    outcome = command("run", repository, "--source", "github", "--llm", "none")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"error: --source github reads OWNER/REPO, {hint}\n"


def test_an_owner_and_a_name_are_github_by_default(command: CommandLine) -> None:
    """Without a token nothing is sent; the message names the way without one. `gh` is not on this PATH."""
    command.set(PATH=str(command.folder))
    for name in ("run", "collect"):
        outcome = command(name, "toy/pages", "--week", "2026-W06", *(("--llm", "none") if name == "run" else ()))
        assert (outcome.code, outcome.out) == (2, "")
        assert "no token for github.com" in outcome.err
        assert "GITHUB_TOKEN" in outcome.err
        assert "--source git" in outcome.err


def test_without_a_repository(command: CommandLine) -> None:
    outcome = command("run")
    assert outcome.code == 2
    words = (
        "which repository? Give OWNER/REPO on GitHub, ./PATH to a clone or a URL that git can read;"
        " or --dry-run for the demo"
    )
    assert words in outcome.err


def test_without_a_model(command: CommandLine, clone: Path) -> None:
    outcome = command("run", "./clone", "--week", "2026-W06")
    assert (outcome.code, outcome.out, outcome.err) == (2, "", NO_MODEL)


def test_an_unknown_fixture(command: CommandLine) -> None:
    outcome = command("run", "--dry-run", "--fixture", "dmeo")
    assert outcome.code == 2
    assert outcome.err == "error: no fixture './dmeo': dmeo/manifest.json is missing. Shipped fixtures: demo.\n"


def test_a_fixture_folder_that_is_none(command: CommandLine) -> None:
    outcome = command("run", "--dry-run", "--fixture", "./nope/")
    assert (outcome.code, outcome.err) == (
        2,
        "error: no fixture './nope': nope/manifest.json is missing. Shipped fixtures: demo.\n",
    )


@pytest.mark.parametrize("option", ["--model", "--small-model"])
def test_a_replay_takes_no_model(command: CommandLine, option: str) -> None:
    outcome = command("run", "--dry-run", option, "toy")
    words = "error: a replay's model comes from its fixture; leave --model and --small-model out\n"
    assert (outcome.code, outcome.err) == (2, words)


def test_another_week_than_the_fixture_holds(command: CommandLine) -> None:
    write_week(command.folder / "week")
    outcome = command("run", "--fixture", "./week/", "--llm", "none", "--week", "2026-W07")
    assert outcome.code == 2
    assert "this fixture holds 2026-W06 (UTC), not 2026-W07 (UTC); leave out --week, or choose another" in outcome.err


@pytest.mark.parametrize("source", ["--dry-run", "--fixture=./week/"])
def test_a_fixture_takes_no_filters(command: CommandLine, source: str) -> None:
    write_week(command.folder / "week")
    outcome = command("run", source, "--llm", "replay", "--label", "bug", "--bots", "include")
    words = "error: a fixture holds what was recorded; leave --label and --bots out\n"
    assert (outcome.code, outcome.err) == (2, words)


def test_a_setting_that_is_none(command: CommandLine, clone: Path) -> None:
    Path("prhub.toml").write_text('model = "toy"\nconcurency = 4\n', encoding="utf-8")
    outcome = command("run", "./clone", "--week", "2026-W06")
    assert (outcome.code, outcome.err) == (
        2,
        "error: prhub.toml, line 2: unknown key concurency; did you mean concurrency?\n",
    )


def test_a_prompt_with_an_undefined_name(command: CommandLine, clone: Path) -> None:
    Path("prompts").mkdir()
    shipped = Path(__file__).parents[2] / "prompts" / "headline.prompt.md"
    text = shipped.read_bytes().decode().replace("{{ statements | untrusted }}", "{{ statments | untrusted }}")
    line = text.split("\n").index("{{ statments | untrusted }}") + 1
    Path("prompts/headline.prompt.md").write_bytes(text.encode())
    outcome = command("run", "./clone", "--week", "2026-W06", "--model", "toy", "--prompts", "prompts")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"prompts/headline.prompt.md:{line}: " in outcome.err
    assert "statments" in outcome.err


def test_a_run_folder_that_cannot_be_written(command: CommandLine) -> None:
    """A file stands where the folder should be, which stops the superuser as well."""
    write_week(command.folder / "week")
    Path("taken").touch()
    outcome = command("run", "--fixture", "./week/", "--llm", "none", "--out", "taken")
    assert (outcome.code, outcome.out) == (2, "")
    assert "error: cannot write taken/toy__pages/2026-W06/.lock: Not a directory; choose another folder with --out" in (
        outcome.err
    )


def test_a_cache_that_cannot_be_written(command: CommandLine) -> None:
    write_week(command.folder / "week")
    Path("taken").touch()
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url, PRHUB_CACHE_DIR=str(command.folder / "taken" / "cache"))
        outcome = command("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy", "--concurrency", "1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "error: replies cannot be kept in" in outcome.err
    assert "PRHUB_CACHE_DIR" in outcome.err


def test_two_runs_at_once_in_one_folder(command: CommandLine) -> None:
    from prhub_digest.run_folder import RunFolder

    write_week(command.folder / "week")
    with RunFolder(Path("runs/toy__pages/2026-W06")).lock():
        outcome = command("run", "--fixture", "./week/", "--llm", "none")
    assert outcome.code == 2
    assert f"process {os.getpid()} is working in runs/toy__pages/2026-W06; wait until it ends" in outcome.err


def test_an_option_that_there_is_not(command: CommandLine) -> None:
    outcome = command("run", "--weak", "2026-W06")
    assert (outcome.code, outcome.out) == (2, "")
    assert "No such option: --weak" in outcome.err
    assert "--week" in outcome.err
