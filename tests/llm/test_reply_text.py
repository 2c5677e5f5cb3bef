import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_requests import ToyReply, toy_content, toy_reply

from prhub_digest.llm.reply_text import ReplyTextError, read_object, read_reply

DRAFT = '{"ref":"r1","summary":"draft","highlights":[],"risk":5}'
FINAL = '{"ref":"r1","summary":"Adds retry to the loader","highlights":["3 attempts"],"risk":2}'
FENCE_INSIDE = '{"ref":"r1","summary":"wrap the example in ```bash fences","highlights":["docs"],"risk":1}'


@pytest.mark.parametrize(
    "content",
    [
        FINAL,
        f"\ufeff \n{FINAL}\n",
        f"<think>\nA first try: {DRAFT}\n</think>\n{FINAL}",  # H-15
        f"<think>a</think>\n<think>{DRAFT}</think>```json\n{FINAL}\n```",
        f"A first try: {DRAFT}\n</think>\n\n{FINAL}",
        f"<thinking>{DRAFT}</thinking>{FINAL}",
        f"```json\n{FINAL}\n```",
        f"```\r\n{FINAL}\r\n```",
        f"Here is the {{answer}} you asked for:\n{FINAL}\nI hope it helps.",
        f"Sure!\n```json\n{FINAL}\n```\nDone.",
    ],
)
def test_the_answer_is_found(content: str) -> None:
    reply = read_reply(content, ToyReply, "r1")
    assert reply == ToyReply(ref="r1", summary="Adds retry to the loader", highlights=("3 attempts",), risk=2)


def test_h16_fence_inside_a_string_inside_a_fence() -> None:
    reply = read_reply(f"```json\n{FENCE_INSIDE}\n```", ToyReply, "r1")
    assert reply.summary == "wrap the example in ```bash fences"


def test_tags_and_braces_inside_a_string_mean_nothing() -> None:
    summary = 'drops <think>x</think> and {"a": 1} and ``` from text'
    assert read_reply(toy_content(summary=summary), ToyReply, "r1").summary == summary
    assert read_reply(f"```json\n{toy_content(summary=summary)}\n```", ToyReply, "r1").summary == summary


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "the answer holds no JSON object"),
        ("no notable changes", "the answer holds no JSON object"),
        ("[" + FINAL + "]", "the answer must be one JSON object"),
        (f"<think>{DRAFT}", "the answer is missing: only thinking was written"),
        (f"<think>{DRAFT}</think>", "the answer holds no JSON object"),
        (f"{DRAFT}\n{FINAL}", "the answer holds several JSON objects; exactly one is wanted"),
        (
            '{"summary":"Adds paged index","highlights":["loader","evic',  # H-14
            "the JSON is broken or cut: Unterminated string starting at at line 1, column 54",
        ),
        (
            'Here: {"inner": {"ref": "r1", "risk": 1}, "cut": ',
            "the JSON is broken or cut: Expecting value at line 1, column 49",
        ),
        ('{"ref":"r1","summary":"s","highlights":[],"risk":NaN}', "NaN is not a number"),  # H-17 (d)
        ('{"ref":"r1","risk":-Infinity}', "-Infinity is not a number"),
        ('{"ref":"r1","risk":1e999}', "1e999 is out of range"),
        ('{"ref":"r1","risk":' + "9" * 5000 + "}", "a number has too many digits"),
        (
            '{"ref":"r1","summary":"one","summary":"two","highlights":[],"risk":1}',  # H-17 (e)
            "the same key stands twice in one object: summary",
        ),
        ("[" * 100_000, "the JSON is nested too deeply"),
        (toy_content(2), '"ref" must be "r1", the ref of this request'),
        ('{"summary":"s"}', '"ref" must be "r1", the ref of this request'),
        (toy_content(risk=85), "risk: Input should be 0, 1, 2, 3, 4 or 5"),  # H-17 (c)
        (toy_content(risk=2.5), "risk: Input should be 0, 1, 2, 3, 4 or 5"),
        (toy_content(risk=True), "risk: Input should be a number, not true or false"),
        (toy_content(highlights="kv cache"), "highlights: Input should be a valid array"),  # H-17 (b)
        (toy_content(summary=None), "summary: Input should be a valid string"),
        (toy_content(extra=1), "extra: Extra inputs are not permitted"),
        ('{"ref":"r1"}', "summary: Field required; highlights: Field required; risk: Field required"),
    ],
)
def test_what_cannot_be_used_is_named(content: str, error: str) -> None:
    with pytest.raises(ReplyTextError) as raised:
        read_reply(content, ToyReply, "r1")
    assert str(raised.value) == error


def test_h17_a_null_list_and_a_quoted_integer_lose_nothing() -> None:
    assert read_reply(toy_content(highlights=None, risk="3"), ToyReply, "r1") == toy_reply(highlights=[], risk=3)
    with pytest.raises(ReplyTextError, match="risk: Input should be"):
        read_reply(toy_content(risk="85"), ToyReply, "r1")


@given(st.text(max_size=60))
@settings(max_examples=150)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = read_object(text)
    except ReplyTextError:
        return
    assert isinstance(value, dict)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4), st.sampled_from(["{}", "```json\n{}\n```"]))
@settings(max_examples=100)
def test_any_object_survives_its_wrapping(value: dict[str, Any], frame: str) -> None:
    assert read_object(frame.replace("{}", json.dumps(value, ensure_ascii=False))) == value


@given(st.integers(1, len(FINAL) - 1))
@settings(max_examples=60)
def test_no_cut_answer_is_ever_closed(length: int) -> None:
    with pytest.raises(ReplyTextError):
        read_object(FINAL[:length])
