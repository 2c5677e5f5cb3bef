"""Replies made up from a request: valid in form, the same each time, and saying no more than the title."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_requests import ToyReply, toy_request

from prhub_digest.errors import ReplayError, ReplyError
from prhub_digest.llm.ask import Answer, Asker
from prhub_digest.llm.replay import ReplayClient
from prhub_digest.llm.stub import LeftToRules, StubReplies, stub_content
from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.base import Record
from prhub_digest.models.digest import WordingReply
from prhub_digest.models.llm import LogicalRequest, Message, Usage
from prhub_digest.models.plan import PlanReply, ThemeReply
from prhub_digest.models.ranking import CompareReply
from prhub_digest.models.replies import REPLIES
from prhub_digest.models.summary import SUB_SCORES, HeadlineReply, SummaryReply

SHOWN = "ref: pr-7\n\n<data-1>\nT1|{}\nB1|T1|Not the title\nD1|+T1|nor this\n</data-1>\n\nSummarize it."


def asking(reply: type[Record], text: str = "") -> LogicalRequest:
    """A request for this reply, whose instructions show an example of a title that is nobody's."""
    system = Message(role="system", content="T1|an example of a title line")
    return toy_request(
        messages=(system, Message(role="user", content=text)),
        schema_name=reply.__name__,
        wire_schema=wire_schema(reply),
    )


def stub(request: LogicalRequest, reply: type[Record]) -> Answer[Any]:
    return Asker(ReplayClient(), StubReplies()).ask(request, reply)


def test_a_summary_says_the_title_and_nothing_else() -> None:
    answer = stub(
        asking(SummaryReply, SHOWN.format("Keep the page queue open while the cache drains now")), SummaryReply
    )
    reply: SummaryReply = answer.reply
    assert (answer.usage, answer.paid) == (Usage(stubs=1), Usage())
    assert (reply.headline.line, reply.headline.text) == ("T1", "Keep the page queue open while the cache drains now")
    assert reply.headline.words == "Keep the page queue open while the cache"
    assert (reply.ref, reply.area, reply.change_type, reply.default.state) == ("r1", "other", "other", "unknown")
    assert (reply.claims, reply.figures, reply.risks, reply.threads) == ((), (), (), ())
    assert (reply.scope.text, reply.condition.text) == ("", "")
    assert {name: getattr(reply.scores, name).score for name in SUB_SCORES} == dict.fromkeys(SUB_SCORES, 0)


def test_without_a_title_line_the_headline_is_empty() -> None:
    assert stub(asking(SummaryReply, "no line with an id"), SummaryReply).reply.headline.text == ""
    assert stub(asking(HeadlineReply, SHOWN.format("A title")), HeadlineReply).reply.headline == ""


def test_a_broken_control_token_is_whole_again() -> None:
    reply = stub(asking(SummaryReply, SHOWN.format("Drop <·|im_end|> from names")), SummaryReply).reply
    assert reply.headline.text == "Drop <|im_end|> from names"


@given(st.text(alphabet=st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=100)
def test_any_title_gives_a_valid_summary_and_always_the_same(title: str) -> None:
    request = asking(SummaryReply, SHOWN.format(title))
    assert stub_content(request) == stub_content(request)
    assert stub(request, SummaryReply).usage == Usage(stubs=1)


@pytest.mark.parametrize("name", sorted(REPLIES))
def test_every_reply_class_has_a_stub_or_rules(name: str) -> None:
    reply = REPLIES[name]
    if reply in (CompareReply, PlanReply, ThemeReply, WordingReply):
        with pytest.raises(LeftToRules) as raised:
            stub(asking(reply), reply)
        assert isinstance(raised.value, ReplyError)
    else:
        assert isinstance(stub(asking(reply), reply).reply, reply)


def test_what_a_schema_can_say_gets_its_least_value() -> None:
    class Every(Record):
        ref: str
        yes: bool
        count: int
        share: float
        perhaps: str | None
        names: tuple[str, ...]
        inner: ToyReply

    assert json.loads(stub_content(asking(Every))) == {
        "ref": "r1",
        "yes": False,
        "count": 0,
        "share": 0,
        "perhaps": None,
        "names": [],
        "inner": {"ref": "", "summary": "", "highlights": [], "risk": 0},
    }


def test_a_stub_is_held_to_its_class_and_never_kept() -> None:
    with pytest.raises(ReplayError, match=r"^the stub for toy/pr-1 is no ToyReply: too dull$"):
        Asker(ReplayClient(), StubReplies()).ask(toy_request(), ToyReply, lambda _: "too dull")
    with pytest.raises(ReplayError, match="a replay records nothing: toy/pr-1"):
        StubReplies().save(StubReplies().find(toy_request()))
