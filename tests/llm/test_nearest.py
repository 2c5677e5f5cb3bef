"""Which stored reply is nearest to a request, and what is said about a request without one."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_requests import toy_content, toy_request

from prhub_digest.llm.client import UnusableReplyError
from prhub_digest.llm.difference import differences
from prhub_digest.llm.nearest import FixtureShelf, Onlooker, StoreShelf, explain, nearest_replies
from prhub_digest.llm.replay import write_reply
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import Attempt, LogicalRequest, Message, Parameters, StoredReply, Usage


def stored(request: LogicalRequest) -> StoredReply:
    attempt = Attempt(content=toy_content(), finish_reason="stop", usage=Usage(calls=1))
    return StoredReply(request=request, attempts=(attempt,), recorded="now")


def asking(text: str, **changes: Any) -> LogicalRequest:
    system = Message(role="system", content="Summarize.")
    return toy_request(messages=(system, Message(role="user", content=text)), **changes)


def nearest(request: LogicalRequest, *others: LogicalRequest) -> LogicalRequest | None:
    found = nearest_replies([request], map(stored, others)).get(request.request_hash)
    return found.request if found else None


def test_fewest_parts_go_before_most_text() -> None:
    request = asking("Pull request 1\none\ntwo\nthree")
    same_text = request.updated(model="a", provider="b")
    two_figures = request.updated(parameters=Parameters(temperature=0.5, max_output_tokens=7))
    other_text = asking("x")
    assert nearest(request, same_text, two_figures, other_text) == other_text
    assert nearest(request, same_text, other_text.updated(provider="b", model="a"), two_figures) == same_text


def test_of_equally_many_parts_the_most_text_wins() -> None:
    request = asking("Pull request 1\none\ntwo\nthree")
    begins, ends, both = asking("Pull request 1\none\n"), asking("two\nthree"), asking("Pull request 1\none\n2\nthree")
    assert nearest(request, begins, ends, both) == both
    assert nearest(request, ends, begins) == begins
    longer = request.updated(messages=(*request.messages, Message(role="user", content="and?")))
    assert nearest(request, asking("x"), longer) == longer


def test_only_the_same_prompt_and_subject_count() -> None:
    request = toy_request(1)
    assert nearest(request, toy_request(2), toy_request(1, prompt="another"), toy_request(11)) is None
    assert nearest_replies([request], []) == {}


texts = st.text(alphabet="ab\n", max_size=8)
requests = st.builds(
    lambda text, model, limit: asking(text, model=model, parameters=Parameters(max_output_tokens=limit)),
    texts,
    st.sampled_from("mn"),
    st.sampled_from([1, 2]),
)


@given(requests, st.lists(requests, min_size=1, max_size=6))
@settings(max_examples=100)
def test_none_is_nearer_than_the_nearest(request: LogicalRequest, others: list[LogicalRequest]) -> None:
    found = nearest(request, *others)
    assert found in others
    assert found is not None
    assert len(differences(found, request)) == min(len(differences(other, request)) for other in others)
    if request in others:
        assert found == request


def test_each_request_is_explained(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path, pytest.fail)
    one, other, half, stale, new = (toy_request(number) for number in range(1, 6))
    for request in (one, other.updated(model="older-model"), half, stale):
        store.save(stored(request))
    (path,) = tmp_path.rglob(f"{half.request_hash}.json")
    path.write_bytes(b"half")
    shelf = StoreShelf(tmp_path)
    onlooker = Onlooker(shelf, {})
    assert onlooker.find(one) == stored(one)
    assert [onlooker.find(request) for request in (other, half, new)] == [None] * 3
    onlooker.reject(stale, "highlights: Field required")
    misses = explain([other, half, stale, new], shelf, onlooker.unusable)
    assert [miss.lines for miss in misses] == [
        ("model: recorded 'older-model', now 'toy-model'",),
        ("its reply cannot be used: not a stored reply",),
        ("its reply cannot be used: highlights: Field required",),
        ("never asked",),
    ]
    assert [miss.nearest.request.model if miss.nearest else None for miss in misses] == [
        "older-model",
        None,
        None,
        None,
    ]


def test_an_onlooker_leaves_the_store_as_it_is(tmp_path: Path) -> None:
    ReplyStore(tmp_path, pytest.fail).save(stored(toy_request()))
    (path,) = tmp_path.rglob("*.json")
    os.utime(path, (0, 0))
    onlooker = Onlooker(StoreShelf(tmp_path), {})
    assert onlooker.find(toy_request()) is not None
    assert path.stat().st_mtime == 0
    with pytest.raises(AssertionError):
        onlooker.save(stored(toy_request(2)))
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_a_fixture_explains_its_stale_and_missing_replies(tmp_path: Path) -> None:
    good, stale, damaged, missing, failed = (toy_request(number) for number in range(1, 6))
    for request in (good, stale.updated(provider="another"), damaged):
        write_reply(tmp_path, stored(request))
    (tmp_path / "replies/toy/pr-3.json").write_bytes(b"{")
    shelf = FixtureShelf(tmp_path)
    onlooker = Onlooker(shelf, {"toy/pr-5": "the answer was cut"})
    assert onlooker.find(good) == stored(good)
    assert [onlooker.find(request) for request in (stale, damaged, missing)] == [None] * 3
    with pytest.raises(UnusableReplyError, match="the answer was cut"):
        onlooker.find(failed)
    misses = explain([stale, damaged, missing], shelf, onlooker.unusable)
    assert [miss.lines for miss in misses] == [
        ("provider: recorded 'another', now 'openai'",),
        ("its reply cannot be used: not a stored reply",),
        ("never asked",),
    ]
