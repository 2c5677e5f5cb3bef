"""H-18: answers in another order than asked, fewer than there are pull requests, and one about an unknown one."""

import json
from pathlib import Path
from typing import Any

from command_line import CommandLine
from model_server import ModelServer, Reply, Request, completion
from scripted_model import answer, content_for, field
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy", "--concurrency", "3")
DELAYS = {"pr-101": 0.03, "pr-102": 0.01, "pr-103": 0.02}


def read(name: str) -> Any:
    return json.loads((RUN / name).read_bytes())


def test_every_summary_sits_on_its_own_pull_request_whatever_the_timing(command: CommandLine) -> None:
    write_week(command.folder / "week")

    def later(request: Request) -> Reply:
        ref = field(request.messages[1]["content"], "ref")
        content = json.loads(content_for(request.body))
        if ref in DELAYS:
            content["scope"] = {"text": f"the page of {ref}", "line": "B1", "words": f"for the page of {ref}"}
        return completion(json.dumps(content), after=DELAYS.get(ref, 0.0))

    for number in (101, 102, 103):
        path = Path("week/pulls") / f"{number}.json"
        path.write_bytes(path.read_bytes().replace(b"as discussed", b"for the page of pr-%d, as discussed" % number))
    with ModelServer(later) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command(*COMMAND).code == 0
    summaries = [read(f"summaries/{number}.json") for number in (101, 102, 103)]
    assert [(own["pull"], own["scope"]["text"]) for own in summaries] == [
        (number, f"the page of pr-{number}") for number in (101, 102, 103)
    ]
    assert [own["replies"][0]["ref"] for own in summaries] == ["pr-101", "pr-102", "pr-103"]


def theme_without(number: str, more: tuple[str, ...] = ()):
    """The scripted model, whose theme cites nothing of the pull request in that place, and `more` besides."""

    def reply(request: Request) -> Reply:
        if field(request.messages[1]["content"], "ref") != "theme-1":
            return answer(request)
        theme = json.loads(content_for(request.body))
        items = [item for item in theme["items"] if not item["facts"][0].startswith(f"{number}.")]
        return completion(json.dumps(theme | {"items": [*items, *({"facts": [fact], "point": "x"} for fact in more)]}))

    return reply


def test_a_pull_request_that_no_sentence_cites_is_still_there(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(theme_without("p2")) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command(*COMMAND).code == 0
    second = read("ranking.json")["entries"][1]["pull"]
    cited = {fact for item in read("plan.json")["themes"][0]["items"] for fact in item["facts"]}
    assert not [fact for fact in cited if fact.startswith("p2.")]
    page = (RUN / "digest.en.md").read_bytes().decode()
    assert "merged PRs: 3 " in page
    assert f"- [#{second}](https://github.example/toy/pages/pull/{second}) " in page.partition("## All merged PRs")[2]


def test_a_fact_of_an_unknown_pull_request_is_an_error(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(theme_without("p2", ("p1030.c1",))) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command(*COMMAND)
        repairs = [request.messages[-1]["content"] for request in server.requests if len(request.messages) == 4]
    assert outcome.code == 1
    assert len(repairs) == 1
    assert "unknown fact 'p1030.c1'" in repairs[0]
    refused = "no usable reply after one retry: items 4: unknown fact 'p1030.c1'"
    assert f"warning: compose theme-1: {refused}" in outcome.err
    plan = read("plan.json")
    assert (plan["origin"], [theme["origin"] for theme in plan["themes"]]) == ("model", ["rules"])
    assert "p1030" not in json.dumps(read("digest.en.json"))
    assert "- Failed in compose, theme-1: no usable reply" in (RUN / "digest.en.md").read_bytes().decode()
    assert read("verification.en.json")["findings"] == []
