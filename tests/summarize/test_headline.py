"""One headline for a pull request of several parts: held against the statements that it unites."""

import pytest

from prhub_digest.models.chunk import Place
from prhub_digest.models.summary import Evidence, Statement
from prhub_digest.summarize.summarize import united


def said(text: str, line: str) -> Statement:
    quote = f"the words of {line}"
    return Statement(text=text, evidence=Evidence(line=line, quote=quote, place=Place(kind="title"), found_by="line"))


TITLE = "Serve Tern-2"
FIRST = said("Users can serve the Tern-2 model with its own loader.", "B2")
SECOND = said("FP8 checkpoints are refused at start-up.", "D7")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Users can serve the Tern-2 model, but FP8 checkpoints are refused.", "B2"),
        ("FP8 checkpoints are refused at start-up by the loader.", "D7"),
        ("Users can serve the Tern-2 model with its own loader.", "B2"),
    ],
)
def test_a_headline_stands_where_the_statement_stands_that_it_is_nearest_to(text: str, line: str) -> None:
    headline = united(text, [FIRST, SECOND], TITLE)
    assert headline is not None
    assert (headline.text, headline.evidence.line) == (text, line)


@pytest.mark.parametrize(
    "text",
    [
        "Operators get faster decoding on every device with a new scheduler.",
        "Users can serve the Tern-2 model, but FP4 checkpoints are refused.",
        "",
    ],
    ids=["other words", "another number", "no words"],
)
def test_a_headline_that_says_what_no_part_does_is_none(text: str) -> None:
    assert united(text, [FIRST, SECOND], TITLE) is None


def test_parts_without_a_statement_have_no_headline() -> None:
    assert united(TITLE, [], TITLE) is None
