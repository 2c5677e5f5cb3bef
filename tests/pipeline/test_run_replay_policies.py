"""Replays that are not strict: what answers then, and that everything which comes of it says so."""

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, closed_port
from scripted_model import answer
from small_week import TITLES, open_thread, pull_request, write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
DRY = ("run", "--dry-run", "--fixture", "./week/", "--lang", "en", "--lang", "zh")
NEAREST = (*DRY, "--replay", "nearest")
STUB = (*DRY, "--replay", "stub")
STALE_LINES = {
    "en": "STALE: recorded for other requests: {n} of the replies behind this (--replay nearest).",
    "zh": "STALE（过期）：所依据的回复中有 {n} 条是为其他请求录制的（--replay nearest）。",
}
STUB_LINES = {
    "en": "STUB: not written by a model. Replies made up from titles: {n}; the rest is by rules (--replay stub).",
    "zh": "STUB（占位）：内容并非模型所写。由标题拟成的回复：{n} 条，其余由规则写成（--replay stub）。",
}
PROMPTS = Path(__file__).parents[2] / "prompts"


@pytest.fixture
def week(command: CommandLine) -> Path:
    """A fixture with the replies of the scripted model."""
    folder = write_week(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command("record", "--fixture", "./week/", "--llm", "openai").code == 0
        command.set(OPENAI_BASE_URL=f"http://127.0.0.1:{closed_port()}/v1")
    shutil.rmtree("runs")
    return folder


@pytest.fixture
def own_prompts() -> str:
    """A folder with another wording of the summary prompt."""
    folder = Path("prompts")
    folder.mkdir()
    text = (PROMPTS / "summarize_pr.prompt.md").read_bytes().decode()
    (folder / "summarize_pr.prompt.md").write_bytes(text.replace("You summarize one", "You sum up one").encode())
    return "prompts"


def pages() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(RUN.glob("digest.*"))}


def lines(language: str) -> list[str]:
    return (RUN / f"digest.{language}.md").read_bytes().decode().split("\n")


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def refused(outcome: Outcome, words: str) -> None:
    assert (outcome.code, outcome.out) == (3, ""), outcome.err
    assert words in outcome.err


def test_nearest_shows_what_a_changed_prompt_leads_to(command: CommandLine, week: Path, own_prompts: str) -> None:
    assert command(*DRY).code == 0
    strict = {language: lines(language) for language in STALE_LINES}
    outcome = command(*NEAREST, "--prompts", own_prompts, "--json")
    assert outcome.code == 0, outcome.err
    for language, said in STALE_LINES.items():
        title, empty, *rest = strict[language]
        assert lines(language) == [title, empty, f"**{said.format(n=3)}**", "", *rest]
    text = STALE_LINES["en"].format(n=3)
    assert f"warning: {text}\n" in outcome.err
    values = json.loads(outcome.out)
    assert values["mark"] == {"kind": "stale", "replies": 3, "text": text}
    assert values["usage"]["stale"] == 3
    manifest = read(RUN / "run.json")
    assert manifest["settings"]["replay"] == "nearest"
    assert {stage: record["usage"].get("stale") for stage, record in manifest["stages"].items()} == {
        **dict.fromkeys(("collect", "chunk", "rank", "compose", "render")),
        "summarize": 3,
    }
    assert read(RUN / "digest.zh.json")["usage"]["stale"] == 3
    assert read(RUN / "summaries/102.json")["usage"]["stale"] == 1


def test_nearest_without_a_difference_is_strict(command: CommandLine, week: Path) -> None:
    assert command(*DRY).code == 0
    strict = pages()
    outcome = command(*NEAREST, "--json")
    assert (outcome.code, "mark" in json.loads(outcome.out), pages()) == (0, False, strict)
    assert "STALE" not in outcome.err


def test_a_strict_run_takes_nothing_that_is_stale_from_the_folder(
    command: CommandLine, week: Path, own_prompts: str
) -> None:
    assert command(*DRY).code == 0
    strict = pages()
    assert command(*NEAREST, "--prompts", own_prompts).code == 0
    assert pages() != strict
    refused(command(*DRY, "--prompts", own_prompts), " answers another request:\n")
    outcome = command(*DRY)
    assert (outcome.code, pages()) == (0, strict)
    assert "STALE" not in (RUN / "run.json").read_text()


def test_nearest_drops_what_a_changed_pull_request_does_not_hold(command: CommandLine, week: Path) -> None:
    path = week / "pulls/103.json"
    path.write_bytes(path.read_bytes().replace(b"item-103", b"another thing"))
    outcome = command(*NEAREST)
    assert outcome.code == 0, outcome.err
    dropped = read(RUN / "summaries/103.json")["dropped"]
    assert {"kind": "claim", "reason": "no evidence found in the lines shown"}.items() <= dropped[0].items()
    assert f"**{STALE_LINES['en'].format(n=2)}**" in lines("en")  # the summary and the plan


def test_nearest_makes_nothing_up(command: CommandLine, week: Path, own_prompts: str) -> None:
    prompts = ("--prompts", own_prompts)
    (week / "replies/summarize_pr/pr-102.json").rename("kept.json")
    refused(command(*NEAREST, *prompts), "error: no reply is recorded for summarize_pr/pr-102")
    Path("kept.json").rename(week / "replies/summarize_pr/pr-102.json")
    path = week / "replies/compose_theme/theme-1.json"
    path.write_bytes(path.read_bytes().replace(b'[\\"p1.h1\\"]', b'[\\"p9.h9\\"]'))
    refused(command(*NEAREST, *prompts), "compose_theme/theme-1 is not valid any more: items 1: unknown fact 'p9.h9'")


def test_nearest_looks_at_the_replies_again(command: CommandLine, week: Path, own_prompts: str) -> None:
    """What was answered anew since is no longer stale."""
    assert command(*NEAREST, "--prompts", own_prompts).code == 0
    path = week / "replies/summarize_pr/pr-103.json"
    title = TITLES[103].encode()
    path.write_bytes(path.read_bytes().replace(b'"text\\": \\"' + title, b'"text\\": \\"At last: ' + title))
    assert command(*NEAREST, "--prompts", own_prompts).code == 0
    assert read(RUN / "summaries/103.json")["headline"] == f"At last: {TITLES[103]}"


def no_socket(*arguments: object, **names: object) -> None:
    raise AssertionError("a dry run opened a socket")


def test_a_stub_needs_no_reply_at_all(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_week(command.folder / "week")
    monkeypatch.setattr(socket, "socket", no_socket)
    outcome = command(*STUB, "--json")
    assert outcome.code == 0, outcome.err
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "pulls"]
    text = STUB_LINES["en"].format(n=3)
    assert f"warning: {text}\n" in outcome.err
    values = json.loads(outcome.out)
    assert (values["mark"], values["failures"]) == ({"kind": "stub", "replies": 3, "text": text}, [])
    for language, said in STUB_LINES.items():
        assert lines(language)[2] == f"**{said.format(n=3)}**"
    digest = read(RUN / "digest.en.json")
    assert (digest["mode"], digest["model"], digest["usage"]["stubs"]) == ("model", None, 3)
    assert read(RUN / "plan.json")["origin"] == "rules"
    page = "\n".join(lines("en"))
    for title in TITLES.values():
        assert title in page
    headings = [line for line in lines("en") if line.startswith("## ")]
    assert len(headings) == 8
    assert "Model:" not in page
    assert "summarised" not in page
    first = pages()
    shutil.rmtree("runs")
    assert (command(*STUB).code, pages()) == (0, first)
    assert not Path("cache").exists()


def test_a_stub_of_several_parts(command: CommandLine) -> None:
    lines_of_code = "\n".join(f"+pages.register(queue, 'a page with a long name', size={n})" for n in range(200))
    file = pull_request(104, "x").files[0]
    large = file.updated(patch=f"@@ -1,1 +1,201 @@\n run()\n{lines_of_code}", additions=200)
    write_week(
        command.folder / "week",
        {104: pull_request(104, "Register all pages", files=(large,), threads=(open_thread(104),))},
    )
    outcome = command(*STUB)
    assert outcome.code == 0, outcome.err
    summary = read(RUN / "summaries/104.json")
    assert len(summary["replies"]) > 1
    assert summary["usage"]["stubs"] == len(summary["replies"]) + 1
    assert (summary["headline"], summary["headline_evidence"]["line"]) == ("Register all pages", "T1")
    assert summary["unsettled_threads"][0]["worded_by"] == "comment"
    assert {score["source"] for score in summary["scores"]} == {"rule"}


def test_nothing_made_of_stubs_is_used_again(command: CommandLine, week: Path) -> None:
    assert command(*DRY).code == 0
    strict = pages()
    assert command(*STUB).code == 0
    stubbed = pages()
    assert stubbed.keys() == strict.keys()
    assert not [name for name in stubbed if stubbed[name] == strict[name]]
    for policy in ((), ("--replay", "strict"), ("--replay", "nearest")):
        assert command(*STUB).code == 0
        assert (command(*DRY, *policy).code, pages()) == (0, strict)
    assert command(*STUB).code == 0
    shutil.rmtree(week / "replies")
    for policy in ((), ("--replay", "nearest")):
        refused(command(*DRY, *policy), "error: no reply is recorded for summarize_pr/pr-10")


@pytest.mark.parametrize("policy", ["nearest", "stub"])
def test_such_a_run_is_never_recorded(command: CommandLine, week: Path, policy: str) -> None:
    assert command(*DRY, "--replay", policy).code == 0
    before = {path: path.read_bytes() for path in week.rglob("*.json")}
    outcome = command("record", RUN, "./saved/")
    assert (outcome.code, Path("saved").exists()) == (2, False)
    assert "is a replay of the fixture ./week; copy that fixture's folder instead" in outcome.err
    assert command("record", "--fixture", "./week/").code == 0
    assert {path: path.read_bytes() for path in week.rglob("*.json")} == before


def test_every_way_to_look_at_the_folder_says_so(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command(*STUB).code == 0
    text = STUB_LINES["en"].format(n=3)
    shown = command("render", RUN, "--lang", "en", "--format", "text")
    assert shown.out.split("\n")[3] == text
    assert f"warning: {text}\n" in shown.err
    page = json.loads(command("render", RUN, "--lang", "en", "--format", "json").out)
    assert list(page)[5:8] == ["title", "mark", "facts"]
    assert page["mark"] == {"kind": "stub", "replies": 3, "text": text}
    for stage in ("summarize", "rank", "compose"):
        outcome = command(stage, RUN)
        assert (outcome.code, f"warning: {text}\n" in outcome.err) == (0, True), outcome.err
    assert text in command("show", RUN).out
    one = command("show", RUN, "--pr", "102").out.split("\n")
    assert one[:2] == [STUB_LINES["en"].format(n=1), f"#102 {TITLES[102]}"]
    why = command("cache", "why", RUN)
    assert "summarize_pr/pr-102: never asked\n" in why.out
    assert pages()  # and the run stays as it is
    assert read(RUN / "run.json")["settings"]["replay"] == "stub"


@pytest.mark.parametrize("policy", ["strict", "nearest", "stub"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("--fixture", "./week/", "--llm", "openai", "--model", "toy"),
        ("--fixture", "./week/", "--llm", "none"),
        ("./week", "--llm", "batch"),
        ("owner/repo",),
    ],
)
def test_a_policy_goes_with_a_replay(command: CommandLine, policy: str, arguments: tuple[str, ...]) -> None:
    write_week(command.folder / "week")
    outcome = command("run", *arguments, "--replay", policy)
    words = f"error: --replay {policy} says how a replay answers; add --dry-run, or leave --replay out\n"
    assert (outcome.code, outcome.out, outcome.err) == (2, "", words)
    assert not Path("runs").exists()
