import json
from pathlib import Path

import pytest
from test_reply_store import stored
from toy_requests import ToyReply, toy_content, toy_reply, toy_request

from prhub_digest.errors import ReplayError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.client import UnusableReplyError
from prhub_digest.llm.difference import differences
from prhub_digest.llm.replay import (
    NearestReplies,
    ReplayClient,
    ReplayStore,
    replies_hash,
    subject_path,
    write_reply,
)
from prhub_digest.models.llm import Message, Parameters, Usage

REMEDY = "`prhub-digest record --fixture './my week/'` asks again for what is missing or stale"


def replay(folder: Path, **failed: str) -> Asker:
    reasons = {name.replace("_", "/", 1): why for name, why in failed.items()}
    return Asker(ReplayClient(), ReplayStore(folder, reasons, "./my week/"))


def nearest(folder: Path, **failed: str) -> Asker:
    reasons = {name.replace("_", "/", 1): why for name, why in failed.items()}
    return Asker(ReplayClient(), NearestReplies(folder, reasons, "./my week/"))


def test_a_recorded_reply_is_replayed_without_being_paid(tmp_path: Path) -> None:
    path = write_reply(tmp_path, stored(toy_request()))
    assert path == tmp_path / "replies" / "toy" / "pr-1.json"
    answer = replay(tmp_path).ask(toy_request(), ToyReply)
    assert (answer.reply, answer.usage, answer.paid) == (toy_reply(), Usage(calls=1), Usage())


def test_a_missing_reply_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReplayError) as raised:
        replay(tmp_path).ask(toy_request(), ToyReply)
    path = subject_path(tmp_path, "toy", "pr-1")
    assert str(raised.value) == f"no reply is recorded for toy/pr-1 ({path}): {REMEDY}"


def test_a_broken_recording_is_named(tmp_path: Path) -> None:
    path = write_reply(tmp_path, stored(toy_request()))
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ReplayError, match="is not a recorded reply"):
        replay(tmp_path).ask(toy_request(), ToyReply)


@pytest.mark.parametrize(
    ("name", "count", "fault"),
    [
        ("input_tokens", -5, "usage.input_tokens: Input should be greater than or equal to 0"),
        ("calls", True, "usage.calls: Input should be a valid integer"),
        ("output_tokens", 10**30, "usage: output_tokens: no answer has more than 1000000000"),
        ("cached_tokens", 1, "usage: cached_tokens: more than the input_tokens that they are a part of"),
    ],
)
def test_a_recording_with_impossible_usage_is_named(tmp_path: Path, name: str, count: int, fault: str) -> None:
    path = write_reply(tmp_path, stored(toy_request()))
    recorded = json.loads(path.read_text(encoding="utf-8"))
    recorded["attempts"][0]["usage"][name] = count
    path.write_text(json.dumps(recorded), encoding="utf-8")
    with pytest.raises(ReplayError) as raised:
        replay(tmp_path).ask(toy_request(), ToyReply)
    assert str(raised.value) == f"{path} is not a recorded reply (attempts.0.{fault}): {REMEDY}"


def test_a_stale_reply_says_what_differs(tmp_path: Path) -> None:
    write_reply(tmp_path, stored(toy_request()))
    system, user = toy_request().messages
    changed = toy_request(
        model="other", prompt_hash="1" * 64, messages=(system, Message(role="user", content=user.content + " again"))
    )
    with pytest.raises(ReplayError) as raised:
        replay(tmp_path).ask(changed, ToyReply)
    assert str(raised.value) == (
        "the reply recorded for toy/pr-1 answers another request:\n"
        "  model: recorded 'toy-model', now 'other'\n"
        "  message 2 (user), line 1: recorded “Pull request 1”, now “Pull request 1 again”\n"
        "  prompt toy has changed (00000000 to 11111111)\n" + REMEDY
    )


def test_a_recorded_failure_fails_the_same_way(tmp_path: Path) -> None:
    with pytest.raises(UnusableReplyError, match=r"^cut at the output limit$"):
        replay(tmp_path, **{"toy_pr-1": "cut at the output limit"}).ask(toy_request(), ToyReply)


def test_a_recording_that_is_not_valid_any_more(tmp_path: Path) -> None:
    write_reply(tmp_path, stored(toy_request(), toy_content(risk=9)))
    with pytest.raises(ReplayError) as raised:
        replay(tmp_path).ask(toy_request(), ToyReply)
    assert str(raised.value) == (
        f"the reply recorded for toy/pr-1 is not valid any more: risk: Input should be 0, 1, 2, 3, 4 or 5: {REMEDY}"
    )


def test_a_replay_neither_asks_nor_records(tmp_path: Path) -> None:
    request = toy_request()
    client = ReplayClient()
    with pytest.raises(ReplayError):
        client.complete(request, request.messages, 100)
    client.close()
    with pytest.raises(ReplayError):
        ReplayStore(tmp_path, {}, "demo").save(stored(request))


def test_nearest_takes_the_reply_to_an_older_request_and_counts_it(tmp_path: Path) -> None:
    older = stored(toy_request(ref="old"), toy_content(ref="old"))
    write_reply(tmp_path, older)
    changed = toy_request(model="other", prompt_hash="1" * 64)
    answer = nearest(tmp_path).ask(changed, ToyReply)
    assert (answer.reply, answer.paid) == (toy_reply(ref="old"), Usage())
    assert answer.usage == Usage(calls=1, stale=1)
    assert answer.stored.request == older.request
    assert answer.usage.to_json().count("stale") == 1


def test_nearest_takes_the_reply_to_just_this_request_as_strict_does(tmp_path: Path) -> None:
    write_reply(tmp_path, stored(toy_request()))
    answer = nearest(tmp_path).ask(toy_request(), ToyReply)
    assert answer == replay(tmp_path).ask(toy_request(), ToyReply)
    assert answer.usage.stand_ins == 0
    assert "stale" not in answer.usage.to_json()


def test_nearest_makes_nothing_up(tmp_path: Path) -> None:
    path = subject_path(tmp_path, "toy", "pr-1")
    with pytest.raises(ReplayError) as raised:
        nearest(tmp_path).ask(toy_request(), ToyReply)
    assert str(raised.value) == f"no reply is recorded for toy/pr-1 ({path}): {REMEDY}"
    changed = toy_request(model="other")
    write_reply(tmp_path, stored(toy_request(), toy_content(risk=9)))
    with pytest.raises(ReplayError, match=r"not valid any more: risk: Input should be 0, 1, 2, 3, 4 or 5: "):
        nearest(tmp_path).ask(changed, ToyReply)
    write_reply(tmp_path, stored(toy_request()))
    with pytest.raises(ReplayError, match=r"not valid any more: too dull: "):
        nearest(tmp_path).ask(changed, ToyReply, lambda _: "too dull")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ReplayError, match="is not a recorded reply"):
        nearest(tmp_path).ask(changed, ToyReply)
    with pytest.raises(UnusableReplyError, match=r"^cut at the output limit$"):
        nearest(tmp_path, **{"toy_pr-1": "cut at the output limit"}).ask(changed, ToyReply)


def test_nearest_takes_no_reply_about_another_pull_request(tmp_path: Path) -> None:
    """Whatever the file is called: what it holds names its prompt and subject."""
    write_reply(tmp_path, stored(toy_request(2), toy_content(2)))
    subject_path(tmp_path, "toy", "pr-2").rename(subject_path(tmp_path, "toy", "pr-1"))
    with pytest.raises(ReplayError) as raised:
        nearest(tmp_path).ask(toy_request(), ToyReply)
    assert str(raised.value) == f"the reply recorded for toy/pr-1 is one to toy/pr-2: {REMEDY}"


def test_what_stands_in_for_a_reply_is_never_recorded(tmp_path: Path) -> None:
    write_reply(tmp_path, stored(toy_request()))
    stale = nearest(tmp_path).ask(toy_request(model="other"), ToyReply).stored
    stub = stale.updated(attempts=(stale.attempts[0].updated(usage=Usage(stubs=1)),))
    for reply in (stale, stub):
        with pytest.raises(ReplayError, match="toy/pr-1 has no reply of a model, so there is none to record"):
            write_reply(tmp_path / "other", reply)
    assert not (tmp_path / "other").exists()


def test_the_hash_of_all_replies_changes_with_each_of_them(tmp_path: Path) -> None:
    hashes = [replies_hash(tmp_path, {})]
    for number in (1, 2):
        write_reply(tmp_path, stored(toy_request(number), toy_content(number)))
        hashes.append(replies_hash(tmp_path, {}))
    write_reply(tmp_path, stored(toy_request(2), toy_content(2, risk=1)))
    hashes += [replies_hash(tmp_path, {}), replies_hash(tmp_path, {"toy/pr-3": "cut"})]
    assert len(set(hashes)) == len(hashes)
    (tmp_path / "replies/toy/.pr-4.json.0.tmp").write_text("half", encoding="utf-8")
    assert replies_hash(tmp_path, {}) == hashes[3]


@pytest.mark.parametrize("subject", ["../pr-1", "a/b", "", ".hidden", "a\\b"])
def test_a_subject_cannot_leave_its_folder(tmp_path: Path, subject: str) -> None:
    with pytest.raises(ReplayError, match="cannot name"):
        subject_path(tmp_path, "toy", subject)


def test_differences_of_every_part() -> None:
    request = toy_request()
    system, user = request.messages
    assert differences(request, toy_request(subject="other", prompt_hash="1" * 64)) == ()
    assert differences(request, toy_request(parameters=Parameters(temperature=0.5, max_output_tokens=7))) == (
        "temperature: recorded 0.0, now 0.5",
        "max_output_tokens: recorded 100, now 7",
    )
    schema = {**request.wire_schema, "required": ["ref"]}
    assert differences(request, toy_request(provider="azure", wire_schema=schema)) == (
        "provider: recorded 'openai', now 'azure'",
        'wire schema: line 29: recorded “  "ref",”, now “  "ref"”',
    )
    assert differences(request, toy_request(messages=(system,))) == ("recorded 2 messages, now 1",)
    assert differences(request, toy_request(messages=(user, user))) == ("message 1: recorded role system, now user",)
    long = Message(role="system", content="a\n" + "x" * 100 + "y" + "z" * 200)
    other = Message(role="system", content="a\n" + "x" * 100 + "Y" + "z" * 200)
    cut = "…" + "x" * 40 + "{}" + "z" * 59 + "…"
    assert differences(toy_request(messages=(long,)), toy_request(messages=(other,))) == (
        f"message 1 (system), line 2: recorded “{cut.format('y')}”, now “{cut.format('Y')}”",
    )
    old = Message(role="user", content="<data-12ab34cd>\nopen\n</data-12ab34cd>")
    new = Message(role="user", content="<data-99ab34cd>\nshut\n</data-99ab34cd>")
    assert differences(toy_request(messages=(old,)), toy_request(messages=(new,))) == (
        "message 1 (user), line 2: recorded “open”, now “shut”",
    )
    more = Message(role="system", content=system.content + "\nMore.")
    assert differences(request, toy_request(messages=(more, user))) == (
        "message 1 (system), line 2: recorded (no such line), now “More.”",
    )
