"""Replies in: every line goes the way of a live answer, and what became of it is said."""

import gzip
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from test_reply_store import no_warning
from toy_requests import ToyReply, toy_content, toy_reply, toy_request

from prhub_digest.errors import PendingReplies, PrhubError, UsageError
from prhub_digest.llm.abilities import Abilities
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.batch import PendingClient, Tries, custom_id, is_stored
from prhub_digest.llm.batch_import import BatchAsker, ImportingClient
from prhub_digest.llm.batch_lines import Lines, refuse_other_kinds
from prhub_digest.llm.batch_rejections import Sent
from prhub_digest.llm.client import ContextLengthError, UnusableReplyError
from prhub_digest.llm.import_report import Failed, ImportReport
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import LogicalRequest, Usage
from prhub_digest.run_folder import RunFolder

FIRST, SECOND, THIRD = (custom_id(toy_request(number)) for number in (1, 2, 3))
FIRST_AGAIN = custom_id(toy_request(1), 1)


def line(name: str, content: str | None, *, finish_reason: str = "stop", usage: bool = False) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    body: dict[str, Any] = {"choices": [{"finish_reason": finish_reason, "message": message}]}
    if usage:
        body["usage"] = {"prompt_tokens": 7, "completion_tokens": 3}
    return {"id": "1", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


def failing(name: str, status: int, body: Any) -> dict[str, Any]:
    return {"id": "1", "custom_id": name, "response": {"status_code": status, "body": body}, "error": None}


def message(words: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": words, **more}}


@dataclass
class Imported:
    report: ImportReport
    client: ImportingClient
    outcomes: dict[int, Any]

    @property
    def waiting(self) -> list[str]:
        return [question.id for question in self.client.waiting]

    @property
    def failed(self) -> list[tuple[str, str, str]]:
        return [(own.id, own.reason, own.then) for own in self.report.failed]


class Week:
    """Three requests, a store and a run folder; each import goes through all three."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = ReplyStore(folder / "store", no_warning)
        self.abilities = Abilities()
        self.ever: tuple[Abilities, ...] = ()
        self.by_file: dict[Path, Abilities] = {}
        self.check: Mapping[int, str] = {}
        self.round: tuple[str, ...] = (FIRST, SECOND, THIRD)

    def imports(self, *lines: dict[str, Any] | str, name: str = "replies.jsonl") -> Imported:
        path = self.folder / name
        texts = (own if isinstance(own, str) else json.dumps(own) for own in lines)
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        tries = Tries(RunFolder(self.folder))
        sent = Sent({"toy-model": self.ever}, self.by_file)
        client = ImportingClient(Lines([path]), tries, lambda _: self.abilities, {"ToyReply": ToyReply}, sent)
        asker = BatchAsker(client, self.store, "batch files")
        outcomes = {number: self._ask(asker, toy_request(number), number) for number in (1, 2, 3)}
        tries.save()
        return Imported(client.report(lambda name: is_stored(name, self.store), self.round), client, outcomes)

    def _ask(self, asker: BatchAsker, request: LogicalRequest, number: int) -> Any:
        try:
            return asker.ask(request, ToyReply, lambda _: self.check.get(number))
        except PrhubError as error:
            return error


@pytest.fixture
def week(tmp_path: Path) -> Week:
    return Week(tmp_path)


def test_replies_come_in(week: Week) -> None:
    result = week.imports(line(SECOND, toy_content(2), usage=True), line(FIRST, f"```json\n{toy_content()}\n```"))
    assert result.report == ImportReport(imported=sorted([FIRST, SECOND]), missing=[THIRD])
    assert not result.report.bad
    first, second, third = (result.outcomes[number] for number in (1, 2, 3))
    assert (first.reply, first.usage) == (toy_reply(1), Usage(calls=1))
    assert (second.reply, second.usage) == (toy_reply(2), Usage(calls=1, input_tokens=7, output_tokens=3))
    assert second.stored.recorded == "batch files"
    assert isinstance(third, PendingReplies)
    again = week.imports(line(SECOND, "other"))
    assert (again.report.stored, again.report.bad, again.outcomes[2].reply) == ([SECOND], False, toy_reply(2))


def test_every_other_line_is_reported_and_saves_nothing(week: Week) -> None:
    expired = {"custom_id": THIRD, "response": None, "error": {"code": "batch_expired", "message": "not executed"}}
    result = week.imports(
        line("toy/pr-1-0000000000", toy_content()),
        "{half",
        "",
        "[]",
        line(FIRST, toy_content(risk=9)),
        line(SECOND, toy_content(2), finish_reason="length"),
        expired,
    )
    path = week.folder / "replies.jsonl"
    assert result.report == ImportReport(
        unknown=["toy/pr-1-0000000000"],
        broken=[f"{path}, line 2", f"{path}, line 4"],
        failed=sorted(
            [
                Failed(FIRST, "risk: Input should be 0, 1, 2, 3, 4 or 5", "waits again: the model is shown this, once"),
                Failed(SECOND, "the answer was cut at the output limit", "waits again: it is asked for more room"),
                Failed(THIRD, "not executed", "waits again"),
            ],
            key=lambda failed: failed.id,
        ),
    )
    assert result.report.bad
    assert [week.store.find(toy_request(number)) for number in (1, 2, 3)] == [None, None, None]
    assert sorted(result.waiting) == sorted([FIRST_AGAIN, custom_id(toy_request(2), 1), THIRD])


def test_the_model_is_shown_its_mistake_once_in_the_next_round(week: Week) -> None:
    week.imports(line(FIRST, toy_content(risk=9), usage=True))
    again = PendingClient(Tries(RunFolder(week.folder)))
    with pytest.raises(PendingReplies):
        Asker(again, week.store).ask(toy_request(1), ToyReply)  # as `run` does
    (question,) = again.waiting
    assert question.id == FIRST_AGAIN
    assert question.messages[:2] == toy_request(1).messages
    assert question.messages[2].content == toy_content(risk=9)
    assert question.messages[3].content.startswith(
        "Your answer cannot be used: risk: Input should be 0, 1, 2, 3, 4 or 5.\n"
    )
    result = week.imports(line(FIRST_AGAIN, toy_content(), usage=True))
    assert (result.report.imported, result.report.failed) == ([FIRST_AGAIN], [])
    stored = result.outcomes[1].stored
    assert [attempt.error for attempt in stored.attempts] == ["risk: Input should be 0, 1, 2, 3, 4 or 5", None]
    assert stored.usage == Usage(calls=2, input_tokens=14, output_tokens=6)
    assert stored.request.request_hash == toy_request(1).request_hash
    late = week.imports(line(FIRST_AGAIN, toy_content()))
    assert (late.report.stored, late.report.bad) == ([FIRST_AGAIN], False)


def test_after_two_wrong_answers_the_subject_falls_back_for_good(week: Week) -> None:
    week.imports(line(FIRST, "no JSON"))
    result = week.imports(line(FIRST_AGAIN, "still none"))
    reason = "no usable reply after one retry: the answer holds no JSON object"
    assert result.failed == [(FIRST_AGAIN, "the answer holds no JSON object", "falls back")]
    assert isinstance(result.outcomes[1], UnusableReplyError)
    assert str(result.outcomes[1]) == reason
    assert result.outcomes[1].usage.calls == 2
    later = week.imports()
    assert (str(later.outcomes[1]), later.outcomes[1].usage) == (reason, Usage())
    assert FIRST_AGAIN not in later.waiting
    assert FIRST not in later.waiting
    tries = Tries(RunFolder(week.folder))
    assert tries.forget_failures() == 1
    tries.save()
    assert FIRST in week.imports().waiting


def test_what_only_the_run_can_check_is_checked_too(week: Week) -> None:
    week.check = {2: "unknown fact 'p9.h1'"}
    result = week.imports(line(SECOND, toy_content(2)))
    assert result.failed == [(SECOND, "unknown fact 'p9.h1'", "waits again: the model is shown this, once")]
    assert week.store.find(toy_request(2)) is None


def test_a_cut_answer_gets_twice_the_room_and_may_then_be_wrong_once(week: Week) -> None:
    week.imports(line(FIRST, toy_content()[:9], finish_reason="length"))
    wrong = week.imports(line(FIRST_AGAIN, toy_content(risk=9)))
    (question,) = (own for own in wrong.client.waiting if own.request == toy_request(1))
    assert (question.id, question.limit, len(question.messages)) == (custom_id(toy_request(1), 2), 200, 4)
    right = week.imports(line(question.id, toy_content()))
    assert (right.outcomes[1].reply, len(right.outcomes[1].stored.attempts)) == (toy_reply(1), 3)


def test_both_chances_in_one_file(week: Week) -> None:
    result = week.imports(line(FIRST_AGAIN, toy_content()), line(FIRST, toy_content(risk=9)))
    assert (result.report.imported, result.report.failed) == ([FIRST_AGAIN], [])
    assert len(result.outcomes[1].stored.attempts) == 2


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (message("This model's maximum context length is 8192 tokens"), "the request does not fit into the model's"),
        (message("invalid image", code=400), "HTTP 400: invalid image"),
    ],
)
def test_what_would_be_rejected_again_falls_back_at_once(week: Week, body: Any, reason: str) -> None:
    result = week.imports(failing(FIRST, 400, body))
    assert result.report.failed[0].reason.startswith(reason)
    assert result.report.failed[0].then == "falls back"
    for again in (result, week.imports()):
        assert isinstance(again.outcomes[1], UnusableReplyError)
        assert isinstance(again.outcomes[1], ContextLengthError) == reason.startswith("the request does not fit")


def test_a_refusal_is_final_and_its_cost_counts_once(week: Week) -> None:
    refusal = line(FIRST, None, usage=True)
    refusal["response"]["body"]["choices"][0]["message"] = {"content": None, "refusal": "I cannot"}
    result = week.imports(refusal)
    assert result.failed == [(FIRST, "the model refused: I cannot", "falls back")]
    assert result.outcomes[1].usage == Usage(calls=1, input_tokens=7, output_tokens=3)
    assert week.imports().outcomes[1].usage == Usage()


def lost(number: int) -> dict[str, Any]:
    return {**failing(FIRST, 500, message("boom")), "id": f"try {number}"}


def test_a_lost_answer_is_asked_for_three_times(week: Week) -> None:
    waits = "waits again ({} of 3 times asked)"
    assert week.imports(lost(1)).failed == [(FIRST, "HTTP 500: boom", waits.format(1))]
    same = week.imports(lost(1))  # the same file again counts once
    assert same.failed == [(FIRST, "as imported before: no answer", "waits again")]
    assert week.imports(lost(2)).failed == [(FIRST, "HTTP 500: boom", waits.format(2))]
    last = week.imports(lost(3))
    assert last.failed == [(FIRST, "HTTP 500: boom (asked 3 times)", "falls back")]
    assert str(last.outcomes[1]) == "HTTP 500: boom (asked 3 times)"
    assert (FIRST in last.waiting, last.report.progressed) == (False, True)


@pytest.mark.parametrize(
    "answer",
    [
        line(FIRST, None),
        line(FIRST, "  "),
        {"custom_id": FIRST, "response": None, "error": {"code": "server_error", "message": "lost"}},
        {"custom_id": FIRST},
        failing(FIRST, 200, message("overloaded", code=503)),
        failing(FIRST, 200, message("odd", code=400)),
        failing(FIRST, 429, message("rate limit")),
        {"custom_id": FIRST, "response": {"status_code": 400}, "error": message("engine died", code=500)},
    ],
)
def test_what_may_pass_is_lost_and_counted(week: Week, answer: dict[str, Any]) -> None:
    result = week.imports(answer)
    assert [own.then for own in result.report.failed] == ["waits again (1 of 3 times asked)"]
    assert FIRST in result.waiting


@pytest.mark.parametrize(
    "answer",
    [
        failing(FIRST, 401, message("bad key")),
        failing(FIRST, 404, message("model not found")),
        failing(FIRST, 429, message("quota", code="insufficient_quota")),
        {"custom_id": FIRST, "response": None, "error": {"code": "batch_cancelled", "message": "not executed"}},
    ],
)
def test_what_was_not_reached_never_counts(week: Week, answer: dict[str, Any]) -> None:
    for number in range(4):
        result = week.imports({**answer, "id": str(number)})
        assert [own.then for own in result.report.failed] == ["waits again"]
        assert not result.report.progressed
        assert FIRST in result.waiting
    assert week.imports(line(FIRST, toy_content())).outcomes[1].reply == toy_reply(1)


@pytest.mark.parametrize(
    ("status", "words", "learnt", "then"),
    [
        (
            400,
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            Abilities(limit_name="max_completion_tokens"),
            "falls back",
        ),
        (
            500,
            "validation error: 'loc': ('body', 'response_format', 'type'), \"Input should be 'text' or 'json_object'\"",
            Abilities(rung="schema"),
            "waits again, asked for differently",
        ),
    ],
)
def test_what_the_endpoint_does_not_take_is_learnt_and_counts_for_nothing(
    week: Week, status: int, words: str, learnt: Abilities, then: str
) -> None:
    result = week.imports(failing(FIRST, status, message(words)), failing(SECOND, status, message(words)))
    assert {own.then for own in result.report.failed} == {"waits again, asked for differently"}
    assert result.client.learnt == {"toy-model": learnt}
    assert result.report.progressed
    assert Tries(RunFolder(week.folder)).of(toy_request(1)).rejected == (Abilities(),)
    assert result.client.abilities("toy-model") == learnt  # the file that is written now asks so
    week.abilities = learnt
    same = week.imports(failing(FIRST, status, message(words)))
    assert (same.failed, same.client.learnt) == ([(FIRST, "as imported before: rejected", "waits again")], {})
    another = week.imports({**failing(FIRST, status, message(words)), "id": "2"})
    assert another.report.failed[0].then == then  # it was sent as it was learnt


LIMIT = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
TEMPERATURE = "Unsupported value: 'temperature' does not support 0.0; only the default (1) is supported."
NO_SCHEMA = "response_format of type json_schema is not supported"


def test_a_late_rejection_of_what_is_known_by_now_teaches_nothing(week: Week) -> None:
    """Two files went out together, and the first taught something before the second came in."""
    week.ever = (Abilities(),)
    assert week.imports(failing(FIRST, 400, message(LIMIT))).client.learnt["toy-model"].limit_name == (
        "max_completion_tokens"
    )
    week.abilities = Abilities(limit_name="max_completion_tokens")
    week.ever = (*week.ever, week.abilities)
    late = week.imports(failing(SECOND, 400, message(LIMIT)))
    assert late.failed == [(SECOND, f"HTTP 400: {LIMIT}", "waits again, asked for differently")]
    assert (late.client.learnt, late.client.abilities("toy-model")) == ({}, week.abilities)
    then = week.imports(failing(FIRST, 400, message(TEMPERATURE)), failing(SECOND, 400, message(TEMPERATURE)))
    assert {own.then for own in then.report.failed} == {"waits again, asked for differently"}
    assert then.client.learnt == {"toy-model": week.abilities.updated(temperature=False)}


def test_several_lessons_of_one_file_come_together(week: Week) -> None:
    result = week.imports(
        failing(FIRST, 400, message(LIMIT)),
        failing(SECOND, 400, message(TEMPERATURE)),
        failing(THIRD, 400, message(NO_SCHEMA)),
    )
    assert {own.then for own in result.report.failed} == {"waits again, asked for differently"}
    assert result.client.learnt == {
        "toy-model": Abilities(rung="schema", limit_name="max_completion_tokens", temperature=False)
    }


def test_the_same_error_leads_down_step_by_step_and_not_for_ever(week: Week) -> None:
    """By hand, as every way is sent that was written; each answer is another line."""
    week.ever, thens = (Abilities(),), []
    for number in range(9):
        result = week.imports({**failing(FIRST, 400, message(NO_SCHEMA)), "id": str(number)})
        thens.append(result.report.failed[0].then)
        if FIRST not in result.waiting:
            break
        week.abilities = result.client.abilities("toy-model")
        week.ever = (*(own for own in week.ever if own != week.abilities), week.abilities)
    assert week.abilities.rung == "text"
    assert thens == ["waits again, asked for differently"] * 3 + ["falls back"]


def test_an_endpoint_that_takes_no_name_of_the_limit_is_asked_without(week: Week) -> None:
    week.ever = (Abilities(),)
    for number, name in enumerate(("max_tokens", "max_completion_tokens"), start=1):
        words = f"Unsupported parameter: {name}"
        result = week.imports({**failing(FIRST, 400, message(words, param=name)), "id": str(number)})
        week.abilities = result.client.abilities("toy-model")
        week.ever = (*week.ever, week.abilities)
    assert week.abilities.limit_name is None


def test_batches_that_say_the_same_are_two_and_one_that_is_read_again_is_one(week: Week) -> None:
    """Their files are known, and how their requests were sent: some servers write lines without an id."""
    rejection = failing(FIRST, 400, message(NO_SCHEMA))
    learnt = []
    for number, way in ((1, Abilities()), (1, Abilities()), (2, Abilities(rung="schema"))):
        week.by_file = {week.folder / f"batch-{number}.jsonl": way}
        result = week.imports(rejection, name=f"batch-{number}.jsonl")
        learnt.append([own.rung for own in result.client.learnt.values()])
        week.abilities = result.client.abilities("toy-model")
    assert learnt == [["schema"], [], ["json"]]


@pytest.mark.parametrize(
    ("words", "then"),
    [
        ("Bad Request", "waits again, asked for differently"),
        ("This model's maximum context length is 8192 tokens", "falls back"),
    ],
)
def test_a_rejection_of_what_is_sent_no_more_is_asked_once_more(week: Week, words: str, then: str) -> None:
    week.abilities = Abilities(rung="json")
    week.by_file = {week.folder / "replies.jsonl": Abilities()}
    assert week.imports(failing(FIRST, 400, message(words))).report.failed[0].then == then
    week.by_file = {week.folder / "later.jsonl": week.abilities}
    later = week.imports(failing(FIRST, 400, message(words)), name="later.jsonl")
    assert later.report.failed[0].then in ("falls back", "fell back")


def test_the_most_that_an_answer_may_be_is_learnt_too(week: Week) -> None:
    result = week.imports(failing(FIRST, 400, message("max_tokens is too large: 100. It supports at most 64 tokens")))
    assert result.client.learnt == {"toy-model": Abilities(most_output=64)}


def test_the_best_of_several_lines_counts(week: Week) -> None:
    result = week.imports(
        lost(1),
        line(FIRST, toy_content(risk=9)),
        line(FIRST, toy_content()),
        line(FIRST, toy_content(summary="late")),
        line(SECOND, toy_content(2)),
        line(SECOND, toy_content(2)),
    )
    assert result.report == ImportReport(
        imported=sorted([FIRST, SECOND]), duplicate=sorted([FIRST, SECOND]), missing=[THIRD]
    )
    assert result.outcomes[1].reply == toy_reply(1)


def test_a_better_answer_to_the_first_question_still_counts(week: Week) -> None:
    week.imports(line(FIRST, "no JSON"))
    week.imports(line(FIRST_AGAIN, "no JSON"))  # given up
    result = week.imports(line(FIRST, toy_content()))
    assert (result.report.imported, result.outcomes[1].reply) == ([FIRST], toy_reply(1))
    assert len(result.outcomes[1].stored.attempts) == 1


def test_the_same_wrong_line_again_changes_nothing(week: Week) -> None:
    week.imports(line(FIRST, "no JSON"))
    again = week.imports(line(FIRST, "no JSON"))
    assert again.failed == [(FIRST, "as imported before: the answer holds no JSON object", "waits again")]
    assert FIRST_AGAIN in again.waiting
    week.imports(line(FIRST_AGAIN, "no JSON"))
    assert week.imports(line(FIRST, "no JSON")).failed == [
        (FIRST, "as imported before: the answer holds no JSON object", "fell back")
    ]


def test_a_line_that_nothing_asks_for_any_more(week: Week) -> None:
    week.round = (*week.round, "toy/pr-7.2-0123456789")
    result = week.imports(line("toy/pr-7.2-0123456789", "x"))
    assert (result.report.unneeded, result.report.unknown, result.report.bad) == (["toy/pr-7.2-0123456789"], [], False)


def test_the_format_of_vllm(week: Week) -> None:
    completion = line(FIRST, toy_content())["response"]["body"]
    result = week.imports(
        {"id": "vllm-1", "custom_id": FIRST, "response": {"id": "cmpl-1", **completion}, "error": None},
        {"id": "vllm-2", "custom_id": SECOND, "response": {"status_code": 400, "body": None}, "error": "bad request"},
    )
    assert result.report.imported == [FIRST]
    assert result.failed == [(SECOND, "HTTP 400: bad request", "falls back")]


def test_files_as_programs_write_them(week: Week) -> None:
    path = week.folder / "odd.jsonl"
    text = f"\ufeff{json.dumps(line(FIRST, toy_content()))}\r\n\r\n{json.dumps(line(SECOND, toy_content(2)))}"
    path.write_bytes(text.encode())
    lines = Lines([path])
    assert (lines.ids, lines.broken, lines.empty) == ((FIRST, SECOND), [], [])
    assert lines.of(FIRST)[0].read()["custom_id"] == FIRST
    path.write_bytes(b"\xff\xfe{\n" + b'{"custom_id": 3}\n')
    assert Lines([path]).broken == [f"{path}, line 1", f"{path}, line 2"]
    path.write_bytes(b"\n \n")
    empty = Lines([path])
    assert (empty.ids, empty.empty) == ((), [path])
    with pytest.raises(UsageError, match="cannot read"):
        Lines([week.folder / "none.jsonl"])


REQUEST = b'{"custom_id": "toy/pr-1-0000000000", "method": "POST", "url": "/v1/chat/completions", "body": {}}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (REQUEST, "holds requests, not the replies to them: have them answered first"),
        (b"\xef\xbb\xbf\n" + REQUEST, "holds requests"),
        (gzip.compress(b"{}\n", mtime=0), "is compressed: unpack it first (gunzip)"),
        (b"\xff\xfe{\0}\0", "is UTF-16: save it as UTF-8"),
        (b"\n[\n{}\n]\n", "is one JSON list: each reply needs a line of its own (jq -c '.[]')"),
    ],
)
def test_a_file_of_another_kind_is_refused_and_says_what_to_do(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=re.escape(f"{path} {words}")):
        refuse_other_kinds(path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is a pipe, and replies are read twice"):
        refuse_other_kinds(tmp_path / "pipe")


@pytest.mark.parametrize("content", [b"", b"\n", b"{half", b'{"custom_id": "x", "response": null, "body": 1}\n'])
def test_what_may_hold_replies_is_not_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    refuse_other_kinds(path)
