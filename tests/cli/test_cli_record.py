"""`record RUN FOLDER`: of a finished run or of a collected one, with the people in it or without them."""

import json
import shlex
from pathlib import Path

import pytest
from command_line import CommandLine, Outcome
from git_history import BEFORE, History
from model_server import ModelServer, Reply, Request, completion
from scripted_model import answer, content_for, field
from small_week import ADA, BO, TITLES, open_thread, pull_request, write_week

from prhub_digest.models.filters import Filters, SetAside
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.pull_request import Comment, PullRequest

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
SECRET = "gh" + "p_" + "Zq7Rk2Wm9Xv4Tb6Ny1Lp8Cd3Fg5Hj0SaQeUi"
ASIDE = (
    SetAside(number=90, title="Bump the cache, asks ada-lin", reason="bot", detail="dependabot"),
    SetAside(number=91, title="Not mine", reason="author", detail="troll-x"),
)


def write_people(folder: Path) -> None:
    """A week in which people are named in texts, too."""
    pulls = {number: pull_request(number, title) for number, title in TITLES.items()}
    note = Comment(id="C1", author=BO, body="As Ada-Lin says. cc @ada-lin, @nia-wu")
    pulls[101] = pulls[101].updated(
        author=ADA.updated(name="Ada Lin"),
        body="Reported by bo-reyes.\n\nSigned-off-by: Ada Lin <ada@corp.org>",
        head_branch="ada-lin/queue",
        threads=(open_thread(101),),
        comments=(note,),
    )
    write_week(folder, pulls)
    manifest = FixtureManifest.model_validate_json((folder / "manifest.json").read_bytes())
    aside = manifest.collection.updated(set_aside=ASIDE, filters=Filters(authors=("!troll-x",)))
    (folder / "manifest.json").write_bytes(manifest.updated(collection=aside).to_json().encode())


@pytest.fixture
def finished(command: CommandLine) -> CommandLine:
    write_people(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy").code == 0
    return command


def texts(folder: Path) -> str:
    files = [folder / "manifest.json", *sorted(folder.glob("pulls/*.json"))]
    return "\n".join(path.read_bytes().decode() for path in files)


def replayed(command: CommandLine, fixture: str) -> Outcome:
    return command("run", "--dry-run", "--fixture", fixture, "--out", "replayed")


def test_without_the_option_the_people_stay_and_every_reply_fits(finished: CommandLine) -> None:
    outcome = finished("record", RUN, "./saved/")
    assert outcome.code == 0, outcome.err
    assert "stand-in" not in outcome.err
    for number in TITLES:
        assert Path(f"saved/pulls/{number}.json").read_bytes() == (RUN / f"pulls/{number}.json").read_bytes()
    manifest = FixtureManifest.model_validate_json(Path("saved/manifest.json").read_bytes())
    assert (manifest.collection.set_aside, manifest.collection.filters.authors) == (ASIDE, ("!troll-x",))


def test_anonymized_it_names_nobody_and_asks_anew(finished: CommandLine) -> None:
    outcome = finished("record", RUN, "./saved/", "--anonymize")
    assert outcome.code == 0, outcome.err
    assert "4 stand-ins for people; a request that changes with them has no reply yet\n" in outcome.err
    assert "then: prhub-digest batch import --fixture ./saved REPLIES.jsonl\n" in outcome.err
    assert outcome.err.endswith("and go on with: prhub-digest record --fixture ./saved\n")
    whole = texts(Path("saved")).lower()
    for name in ("ada", "bo-reyes", "nia-wu", "troll", "corp.org"):
        assert name not in whole
    manifest = FixtureManifest.model_validate_json(Path("saved/manifest.json").read_bytes())
    assert manifest.collection.filters.authors == ("!user-4",)
    assert [(own.number, own.title, own.detail) for own in manifest.collection.set_aside] == [
        (90, "Bump the cache, asks user-1", "dependabot"),
        (91, "Not mine", "user-4"),
    ]
    pull = PullRequest.model_validate_json(Path("saved/pulls/101.json").read_bytes())
    assert (pull.author, pull.merged_by) == (ADA.updated(login="user-1", name="user-1"), BO.updated(login="user-2"))
    assert pull.body == "Reported by user-2.\n\nSigned-off-by: user-1 <user-1@example.invalid>"
    assert pull.head_branch == "user-1/queue"
    assert pull.comments
    assert pull.comments[0].body == "As user-1 says. cc @user-1, @user-3"


def test_anonymized_the_endpoint_may_be_asked_at_once(finished: CommandLine) -> None:
    with ModelServer(answer) as server:
        finished.set(OPENAI_BASE_URL=server.base_url)
        outcome = finished("record", RUN, "./saved/", "--anonymize", "--llm", "openai")
        asked = "\n".join(message["content"] for request in server.requests for message in request.messages)
    assert outcome.code == 0, outcome.err
    assert "saved: every reply is recorded" in outcome.err
    assert "user-2" in asked
    assert "bo-reyes" not in asked
    outcome = replayed(finished, "./saved/")
    assert outcome.code == 0, outcome.err
    page = Path("replayed/toy__pages/2026-W06/digest.en.md").read_bytes().decode()
    assert "By bots (1): [#90](https://github.example/toy/pages/pull/90) (dependabot)." in page
    assert "2 more set aside (1 by bots, 1 by author)" in page
    twice = finished("record", RUN, "./saved/", "--anonymize")
    assert (twice.code, "is a fixture already" in twice.err) == (2, True)


def test_of_a_collected_week_no_model_sees_a_name(command: CommandLine) -> None:
    """The requests are made from the anonymized pull requests alone."""
    history = History(command.folder / "clone")
    history.commit("Begin (#1)", {"pages/queue.py": "begin()\n"}, when=BEFORE)
    for number, title in TITLES.items():
        body = "Thanks to Zoe Wu.\n\nCo-authored-by: Zoe Wu <zoe@corp.org>"
        history.commit(f"{title} (#{number})\n\n{body}", {"pages/queue.py": f"{title.lower()}\n"})
    command.set(PRHUB_MODEL="toy")
    assert command("collect", "./clone", "--week", "2026-W06").code == 0
    run = Path("runs/local__clone/2026-W06")
    outcome = command("record", run, "./saved/", "--anonymize")
    assert outcome.code == 0, outcome.err
    requests = Path(shlex.split(outcome.err.partition(" in ")[2])[0])
    asked = requests.read_bytes().decode()
    assert len(asked.strip().split("\n")) == len(TITLES)
    assert "Thanks to user-" in asked
    for names in (asked, texts(Path("saved"))):
        assert "zoe" not in names.lower()
    manifest = FixtureManifest.model_validate_json(Path("saved/manifest.json").read_bytes())
    assert (manifest.model, [area.key for area in manifest.areas]) == ("toy", ["pages", "other"])


def test_of_a_collected_week_the_model_must_be_named(command: CommandLine) -> None:
    history = History(command.folder / "clone")
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    assert command("collect", "./clone", "--week", "2026-W06").code == 0
    outcome = command("record", "runs/local__clone/2026-W06", "./saved/")
    assert (outcome.code, outcome.out) == (2, "")
    assert "names no model to record for; collect again with PRHUB_MODEL set" in outcome.err
    assert not Path("saved").exists()


def test_a_secret_that_was_overlooked_is_masked_and_told(finished: CommandLine) -> None:
    path = RUN / "pulls/102.json"
    values = json.loads(path.read_bytes())
    values["body"] += f" token {SECRET}"
    path.write_bytes(json.dumps(values).encode())
    collection = json.loads((RUN / "collection.json").read_bytes())
    collection["set_aside"][0]["title"] += f" {SECRET}"
    (RUN / "collection.json").write_bytes(json.dumps(collection).encode())
    for place, options in (("./saved/", ()), ("./other/", ("--anonymize",))):
        outcome = finished("record", RUN, place, *options)
        assert outcome.code == 0, outcome.err
        assert (
            "warning: masked what looks like a secret and was not masked when it was collected: #102, #90\n"
            in outcome.err
        )
        whole = texts(Path(place))
        assert SECRET not in whole
        assert whole.count("[secret:") == 2


def test_a_fixture_is_not_anonymized_afterwards(command: CommandLine) -> None:
    outcome = command("record", "--fixture", "demo", "--anonymize")
    assert (outcome.code, "--anonymize goes with RUN and FOLDER" in outcome.err) == (2, True)


def leaking(request: Request) -> Reply:
    """The scripted model, with a token in one of its answers."""
    content = content_for(request.body)
    if field(request.messages[1]["content"], "ref") == "pr-102":
        content = content.replace('"text": "', f'"text": "{SECRET} ', 1)
    return completion(content)


def test_what_was_not_finished_is_gone_on_with(finished: CommandLine) -> None:
    command = ("record", RUN, "saved", "--anonymize", "--llm", "openai")
    with ModelServer(leaking) as server:
        finished.set(OPENAI_BASE_URL=server.base_url)
        outcome = finished(*command, "--budget-tokens", "1000000")
    assert outcome.code == 2, outcome.err
    assert "saved/replies/summarize_pr/pr-102.json would hold what looks like a secret" in outcome.err
    assert Path("saved/unfinished.txt").exists()
    Path("saved/pulls/999.json").write_bytes(b"{}")
    kept = {path.name for path in Path("saved/replies").rglob("*.json")}
    with ModelServer(answer) as server:
        finished.set(OPENAI_BASE_URL=server.base_url)
        outcome = finished(*command)
        asked = {f"{field(request.messages[1]['content'], 'ref')}.json" for request in server.requests}
    assert outcome.code == 0, outcome.err
    assert "saved holds a recording that was not finished; going on with it\n" in outcome.err
    assert not kept & asked
    assert not Path("saved/unfinished.txt").exists()
    assert not Path("saved/pulls/999.json").exists()
    for name in ("saved", "saved/", "./saved", "./saved/"):
        outcome = replayed(finished, name)
        assert (outcome.code, "settings changed" in outcome.err) == (0, False), outcome.err
    twice = finished(*command)
    assert (twice.code, "is a fixture already" in twice.err) == (2, True)


def test_a_recording_keeps_its_budget_and_goes_on_with_a_higher_one(finished: CommandLine) -> None:
    command = ("record", RUN, "saved", "--anonymize", "--llm", "openai")
    with ModelServer(answer) as server:
        finished.set(OPENAI_BASE_URL=server.base_url)
        outcome = finished(*command, "--budget-tokens", "10")
        assert (outcome.code, server.requests) == (5, [])
        assert "the budget of 10 tokens (--budget-tokens) is used up" in outcome.err
        outcome = finished(*command, "--budget-usd", "1")
        assert (outcome.code, server.requests) == (2, [])
        assert "--budget-usd cannot be kept: no price is known for the model 'toy'" in outcome.err
        outcome = finished(*command, "--budget-tokens", "1000000")
    assert outcome.code == 0, outcome.err
    assert "\ntotal " in outcome.err
    outcome = finished("record", "--fixture", "saved", "--budget-usd", "1")
    assert (outcome.code, "bound what an endpoint is asked: add --llm openai" in outcome.err) == (2, True)


def test_an_unfinished_recording_of_another_week_is_not_touched(finished: CommandLine) -> None:
    finished("record", RUN, "saved", "--anonymize")
    manifest = Path("saved/manifest.json")
    assert Path("saved/unfinished.txt").exists()  # its requests wait in a batch file
    manifest.write_bytes(manifest.read_bytes().replace(b"toy/pages", b"toy/other"))
    before = manifest.read_bytes()
    outcome = finished("record", RUN, "saved", "--anonymize")
    assert (outcome.code, "is a fixture already" in outcome.err) == (2, True)
    assert manifest.read_bytes() == before


def test_nothing_is_written_where_other_files_are_in_the_way(finished: CommandLine) -> None:
    Path("file").write_text("mine")
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    Path("empty").mkdir()
    for folder, what in {
        "file": "file is a file; name a new folder for the fixture",
        "file/deep/er": "file/deep/er cannot be made: file is a file; name a new folder for the fixture",
        "mine": "mine is no fixture, and holds notes.txt; name a new or an empty folder",
    }.items():
        outcome = finished("record", RUN, folder)
        assert (outcome.code, outcome.err) == (2, f"error: {what}\n")
    assert [path.name for path in Path("mine").iterdir()] == ["notes.txt"]
    assert finished("record", RUN, "empty").code == 0
