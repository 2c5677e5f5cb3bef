import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_requests import ToyReply, toy_content, toy_reply

from prhub_digest.llm.reply_text import ReplyTextError, read_object, read_reply, whole_object

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
        f"Hm <think>{DRAFT}</think> and <think>{DRAFT}</think>{FINAL}",
        f"{DRAFT[1:]}</think><think>{DRAFT}</think>{FINAL}",
        f"<THINK>{DRAFT}</THINK>{FINAL}",
        f"<reasoning>{DRAFT}</reasoning>\n{FINAL}",
        f"[THINK]{DRAFT}[/THINK]{FINAL}",
        f"<seed:think>{DRAFT}</seed:think>{FINAL}",
        FINAL.replace("}", ",}"),
        FINAL.replace("]", " ,\n ]").replace("}", ",\n}"),
        f"```json\n{FINAL.replace(']', ',]')}\n```",
        f"<think>{DRAFT}</think>Here, as you asked: {FINAL.replace('}', ', }')} I hope, [it, ] helps.",
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
        (f'Here: {FINAL[:-1]}, "x": {"[" * 100_000},]', "the JSON is nested too deeply"),
        (
            FINAL.replace("}", ",,}"),
            "the JSON is broken or cut: Expecting property name enclosed in double quotes at line 1, column 87",
        ),
        (FINAL.replace("[", "[,"), "the JSON is broken or cut: Expecting value at line 1, column 64"),
        ("{,}", "the answer holds no JSON object"),
        (
            FINAL[:-1] + ",",
            "the JSON is broken or cut: Expecting property name enclosed in double quotes at line 1, column 87",
        ),
        (f"[THINK]{DRAFT}", "the answer is missing: only thinking was written"),
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


def test_commas_inside_strings_stay() -> None:
    summary = 'takes [1, ] and {"a": 1, } and "quoted, }" and \\, ]'
    content = toy_content(summary=summary)[:-1] + ",}"
    assert read_reply(content, ToyReply, "r1").summary == summary


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (FINAL, FINAL),
        (f" <think>{DRAFT}</think>\n{FINAL}\n", FINAL),
        (f"hm</think>{FINAL}", FINAL),
        (f"<think>{FINAL}", None),
        (f"Here: {FINAL}", None),
        (f"```json\n{FINAL}\n```", None),
        (f"{FINAL}{FINAL}", None),
        (f"[{FINAL}]", None),
        (FINAL[:-1], None),
        (FINAL.replace("2", "NaN"), None),
        ("", None),
        ("[" * 100_000, None),
    ],
)
def test_an_answer_among_thoughts_is_all_that_stands_there(text: str, answer: str | None) -> None:
    assert whole_object(text) == answer


@pytest.mark.parametrize(
    "piece", ["<think></think>", "<think>", "</think>", '{"', "{ ", '"\\', "[,", ", ", "```\n", "{}"]
)
def test_no_text_takes_long(piece: str) -> None:
    """Repeated a hundred thousand times: what looks at a text again and again would not end today."""
    for text in (piece * 100_000, '{"a": ' + piece * 100_000, f"x {piece * 100_000}"):
        with pytest.raises(ReplyTextError):
            read_object(text)


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


objects = st.dictionaries(st.text(max_size=5), json_values, max_size=4)
FRAMES = [
    "{}",
    "\ufeff\n {}\n",
    "```json\n{}\n```",
    "```\r\n{}\r\n```\n",
    '<think>\nperhaps {"draft": 1}\n</think>\n{}',
    '<think>a</think>\n<think>{"draft": [</think>```json\n{}\n```',
    '{"draft": 1} is a first try</think>{}',
    "<thinking>no</thinking>Here it is:\n{}\nI hope it helps.",
]
PROSE = ["Here is what you asked for:\n{}\nI hope it helps.", "Sure!\n```json\n{}\n```\nDone.", "{} is the answer"]


@given(objects, st.sampled_from(FRAMES), st.booleans(), st.sampled_from([None, 1]))
@settings(max_examples=200)
def test_any_object_survives_its_wrapping(value: dict[str, Any], frame: str, plain: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=plain, indent=indent)
    before, _, after = frame.rpartition("{}")
    if frame.startswith('{"draft": 1}'):
        with pytest.raises(ReplyTextError, match="several JSON objects"):  # which of the two is nobody's guess
            read_object(before + text + after)
    else:
        assert read_object(before + text + after) == value


@given(objects.filter(bool), st.sampled_from(PROSE), st.booleans())
@settings(max_examples=150)
def test_any_object_survives_prose_around_it(value: dict[str, Any], frame: str, comma: bool) -> None:
    text = json.dumps(value)
    before, _, after = frame.partition("{}")
    assert read_object(before + (text[:-1] + ",}" if comma else text) + after) == value


@given(objects.filter(bool), st.sampled_from(FRAMES[:6]), st.data())
@settings(max_examples=200)
def test_nothing_that_is_cut_parses(value: dict[str, Any], frame: str, data: st.DataObject) -> None:
    """Wherever the answer ends too early: inside a string, after a comma, before the last bracket."""
    text = json.dumps(value, ensure_ascii=False)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    before, _, after = frame.rpartition("{}")
    for rest in ("", after):
        with pytest.raises(ReplyTextError):
            read_object(before + cut + rest)


@given(objects, st.sampled_from(["NaN", "Infinity", "-Infinity", "1e999", "-1e400"]))
@settings(max_examples=60)
def test_no_number_that_is_none_gets_through(value: dict[str, Any], number: str) -> None:
    text = json.dumps({**value, "score": [{"a": "@@"}]}).replace('"@@"', number)
    for frame in ("{}", "```json\n{}\n```", "Here: {}"):
        with pytest.raises(ReplyTextError, match=r"is not a number|is out of range"):
            read_object(frame.replace("{}", text))


@given(st.integers(1, len(FINAL) - 1))
@settings(max_examples=60)
def test_no_cut_answer_is_ever_closed(length: int) -> None:
    with pytest.raises(ReplyTextError):
        read_object(FINAL[:length])
