"""Questions out as batch files: ids, rounds, splitting; nothing is written twice."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_reply_store import no_warning
from toy_requests import ToyReply, toy_content, toy_request

from prhub_digest.errors import PendingReplies, UsageError
from prhub_digest.llm.abilities import Abilities
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.batch import PendingClient, Question, Tried, Tries, custom_id, is_stored
from prhub_digest.llm.batch_files import (
    Exported,
    Round,
    current_round,
    discard_rounds,
    export_round,
    export_to,
    forget_batches,
)
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import Attempt, LogicalRequest, StoredReply, Usage
from prhub_digest.run_folder import RunFolder


def asked(*requests: LogicalRequest, tries: Tries | None = None, **options: Any) -> PendingClient:
    """The client after these requests were asked for, without any reply."""
    client = PendingClient(tries, **options)
    asker = Asker(client, ReplyStore(Path("none"), no_warning))
    for request in requests:
        with pytest.raises(PendingReplies):
            asker.ask(request, ToyReply)
    return client


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]


def names(exported: Exported) -> list[str]:
    return [path.name for path in exported.files]


def test_pending_requests_go_out_once_and_in_order(tmp_path: Path) -> None:
    client = PendingClient()
    asker = Asker(client, ReplyStore(tmp_path / "store", no_warning))
    for number in (2, 1, 2):
        with pytest.raises(PendingReplies, match=f"toy/pr-{number} waits") as raised:
            asker.ask(toy_request(number), ToyReply)
        assert raised.value.hashes == (toy_request(number).request_hash,)
    client.close()
    assert client.pending == (toy_request(1), toy_request(2))
    exported = export_round(RunFolder(tmp_path), client)
    assert exported.words == f"round 1 (toy): 2 requests in {tmp_path}/batch/round-001.jsonl"
    request = toy_request(1)
    first, second = lines(tmp_path / "batch/round-001.jsonl")
    assert second["custom_id"] == custom_id(toy_request(2))
    assert first == {
        "custom_id": f"toy/pr-1-{request.request_hash[:10]}",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "toy-model",
            "messages": [
                {"role": "system", "content": "Summarize."},
                {"role": "user", "content": "Pull request 1"},
            ],
            "temperature": 0.0,
            "max_tokens": 100,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "ToyReply", "strict": True, "schema": request.wire_schema},
            },
        },
    }


def test_the_body_is_one_that_the_endpoint_takes(tmp_path: Path) -> None:
    learnt = Abilities(rung="json", limit_name="max_completion_tokens", temperature=False)
    client = asked(toy_request(1), abilities=lambda model: learnt if model == "toy-model" else Abilities())
    export_round(RunFolder(tmp_path), client)
    body = lines(tmp_path / "batch/round-001.jsonl")[0]["body"]
    assert body["max_completion_tokens"] == 100
    assert body["response_format"] == {"type": "json_object"}
    assert body.keys().isdisjoint({"max_tokens", "temperature"})
    assert '"risk"' in body["messages"][0]["content"]  # the schema is in the prompt instead


def test_ids_are_short_whatever_the_subject() -> None:
    plain, long = toy_request(1), toy_request(1, subject="pr-1." + "very-long." * 9)
    assert custom_id(plain) == f"toy/pr-1-{plain.request_hash[:10]}"
    assert custom_id(plain, 2) == f"toy/pr-1-{plain.request_hash[:10]}-3"
    for chance in (0, 1, 2):
        name = custom_id(long, chance)
        assert len(name) <= 64
        assert long.request_hash[:10] in name


def test_a_second_chance_has_the_id_of_its_request(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path, no_warning)
    request = toy_request(1)
    attempt = Attempt(content=toy_content(), finish_reason="stop", usage=Usage())
    store.save(StoredReply(request=request, attempts=(attempt,), recorded=""))
    assert is_stored(custom_id(request), store)
    assert is_stored(custom_id(request, 1), store)
    others = (
        "toy/pr-1-zzzzzzzzzz",
        "../*",
        "",
        custom_id(request).replace("pr-1", "pr-9"),
        f"{custom_id(request)}-9-9",
    )
    assert [name for name in others if is_stored(name, store)] == []


def test_a_round_ends_when_something_new_waits(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    first = export_round(folder, asked(*map(toy_request, (1, 2, 3))))
    assert (first.number, first.count, names(first)) == (1, 3, ["round-001.jsonl"])
    rest = export_round(folder, asked(toy_request(3)))  # two replies came
    assert (rest.number, rest.count, names(rest)) == (1, 1, ["round-001.jsonl"])
    assert [line["custom_id"] for line in lines(rest.files[0])] == [custom_id(toy_request(3))]
    second = export_round(folder, asked(toy_request(3), toy_request(4)))
    assert (second.number, second.count) == (2, 2)
    assert [path.name for path in (tmp_path / "batch").iterdir() if path.name != "rounds.json"] == ["round-002.jsonl"]
    assert current_round(folder).ids == tuple(sorted(map(custom_id, (toy_request(3), toy_request(4)))))
    discard_rounds(folder)
    assert export_round(folder, asked(toy_request(4))).number == 2
    forget_batches(folder)
    assert not [*(tmp_path / "batch").iterdir()]


def test_the_same_export_changes_no_byte(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)

    def exported() -> dict[str, tuple[int, bytes]]:
        export_round(folder, asked(*map(toy_request, (1, 2, 3))), most_requests=2)
        files = (tmp_path / "batch").iterdir()
        return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    first = exported()
    assert sorted(first) == ["round-001.part-001.jsonl", "round-001.part-002.jsonl", "rounds.json"]
    assert exported() == first


def test_a_round_is_split_at_the_limits_of_the_api(tmp_path: Path) -> None:
    folder, client = RunFolder(tmp_path), asked(*map(toy_request, range(1, 8)))
    by_count = export_round(folder, client, most_requests=3)
    assert names(by_count) == [f"round-001.part-00{part}.jsonl" for part in (1, 2, 3)]
    assert [len(ids) for ids in by_count.ids] == [3, 3, 1]
    assert [[line["custom_id"] for line in lines(path)] for path in by_count.files] == [*map(list, by_count.ids)]
    size = by_count.files[2].stat().st_size
    by_size = export_round(folder, client, most_requests=50, most_bytes=2 * size)
    assert [len(ids) for ids in by_size.ids] == [2, 2, 2, 1]
    assert all(path.stat().st_size <= 2 * size for path in by_size.files)
    kept = export_round(folder, asked(*map(toy_request, (1, 2, 3))))
    assert [len(ids) for ids in kept.ids] == [2, 1]  # the limits stay those that were asked for
    with pytest.raises(UsageError, match="more than a file may have: 100"):
        export_round(folder, client, most_bytes=100)
    whole = export_round(folder, client, most_bytes=size * 10)
    assert names(whole) == ["round-001.jsonl"]
    assert len([*(tmp_path / "batch").glob("*.jsonl")]) == 1


def test_a_file_is_for_one_model(tmp_path: Path) -> None:
    requests = [toy_request(1), toy_request(2, model="big-model"), toy_request(3)]
    exported = export_round(RunFolder(tmp_path), asked(*requests))
    models = [{line["body"]["model"] for line in lines(path)} for path in exported.files]
    assert models == [{"big-model"}, {"toy-model"}]


def test_what_is_under_way_is_left_out(tmp_path: Path) -> None:
    folder, client = RunFolder(tmp_path), asked(*map(toy_request, (1, 2, 3)))
    whole = export_round(folder, client)
    rest = export_round(folder, client, leave_out=frozenset(whole.ids[0][:2]))
    assert (rest.number, rest.ids) == (1, (whole.ids[0][2:],))
    none = export_round(folder, client, leave_out=frozenset(whole.ids[0]))
    assert (none.number, none.count, none.files) == (1, 0, ())
    assert not [*(tmp_path / "batch").glob("*.jsonl")]


def test_the_kinds_of_a_round(tmp_path: Path) -> None:
    requests = [
        toy_request(1, prompt="compose_wording", subject="en.risks.repair"),
        toy_request(2, prompt="compose_wording", subject="en.risks"),
        toy_request(3, prompt="headline"),
        toy_request(4, prompt="summarize_pr"),
        toy_request(5, prompt="compose_plan", subject="plan"),
    ]
    exported = export_round(RunFolder(tmp_path), asked(*requests))
    assert exported.kinds == ("summaries", "headlines", "plan", "wording", "repairs")


def test_a_file_of_the_users(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    folder, client = RunFolder(tmp_path / "run"), asked(toy_request(1), toy_request(2))
    assert export_to(path, folder, client, frozenset({custom_id(toy_request(2))})) == 1
    assert [line["custom_id"] for line in lines(path)] == [custom_id(toy_request(1))]
    assert [*tmp_path.glob("*.jsonl")] == [path]
    assert current_round(folder) == Round(sent={"toy-model": (Abilities(),)})
    with pytest.raises(UsageError, match="cannot write"):
        export_to(tmp_path / "mine.jsonl" / "no", folder, client)


def test_tries_outlive_the_process_and_damage_is_forgotten(tmp_path: Path) -> None:
    folder, request, other = RunFolder(tmp_path), toy_request(1), toy_request(2)
    tries = Tries(folder)
    tries.put(request, Tried(failed="no"))
    tries.put(other, Tried(lost=1, lines=("a",)))
    tries.save()
    again = Tries(folder)
    assert (again.of(request).failed, again.of(other).lost) == ("no", 1)
    assert again.forget_failures() == 1
    again.drop(other)
    again.save()
    assert Tries(folder).of(request) == Tries(folder).of(other) == Tried()
    folder.file("batch/tries.json").write_bytes(b"{")
    assert Tries(folder).of(request) == Tried()
    Tries().save()  # without a folder, nothing is kept


def test_how_many_second_chances_are_used_up() -> None:
    request = toy_request(1)
    more = request.messages + request.messages[:1]
    assert Question(request, request.messages, 100).chance == 0
    assert Question(request, more, 100).chance == Question(request, request.messages, 200).chance == 1
    assert Question(request, more, 200).chance == 2
