"""The signals of the demo week equal what a person read in its pull requests (`fixtures/demo/facts.json`)."""

from pathlib import Path

import pytest

from prhub_digest.collect.fixture import FixtureSource, read_manifest
from prhub_digest.models.facts import FigureFact, FixtureFacts, PullFacts
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signals import PullRequestSignals, Signals
from prhub_digest.signals import compute_signals

FIXTURE = Path(__file__).parents[2] / "fixtures" / "demo"
FACTS = FixtureFacts.model_validate_json((FIXTURE / "facts.json").read_bytes())
MANIFEST = read_manifest(FIXTURE)
PULLS = {pull.number: pull for pull in FixtureSource(FIXTURE).pull_requests(MANIFEST.collection, frozenset())}
EACH = pytest.mark.parametrize("facts", FACTS.pulls, ids=lambda facts: str(facts.number))


@pytest.fixture(scope="module")
def signals() -> Signals:
    return compute_signals(tuple(PULLS.values()), MANIFEST.areas, settings=MANIFEST.signals)


def test_the_facts_are_of_the_whole_week() -> None:
    assert FACTS.to_json() == (FIXTURE / "facts.json").read_bytes().decode()
    assert tuple(facts.number for facts in FACTS.pulls) == MANIFEST.collection.numbers
    assert sorted(number for unit in FACTS.units for number in unit.pulls) == sorted(PULLS)


@EACH
def test_flags(facts: PullFacts, signals: Signals) -> None:
    found = {flag.name: flag.raised for flag in signals.of(facts.number).flags}
    assert found == {name: fact.raised for name, fact in facts.flags.items()}


@EACH
def test_threads(facts: PullFacts, signals: Signals) -> None:
    outcomes = signals.of(facts.number).threads
    assert outcomes is not None
    assert [(item.thread, item.outcome, item.severity, item.self_review) for item in outcomes] == [
        (fact.thread, fact.outcome, fact.severity, fact.self_review) for fact in facts.threads
    ]


@EACH
def test_area_and_platforms(facts: PullFacts, signals: Signals) -> None:
    def placed(own: PullRequestSignals) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        return own.area, own.area_candidates, own.tags.platforms

    candidates = facts.area.candidates or (facts.area.key,)
    assert placed(signals.of(facts.number)) == (facts.area.key, candidates, facts.platforms.keys)


def test_units(signals: Signals) -> None:
    assert [(unit.kind, unit.pulls, unit.standing, unit.announced, unit.before) for unit in signals.units] == [
        (fact.kind, fact.pulls, fact.standing, fact.announced, fact.before) for fact in FACTS.units
    ]


@EACH
def test_figures_stand_where_the_facts_say(facts: PullFacts) -> None:
    texts = texts_of(PULLS[facts.number])
    for figure in facts.figures:
        assert any(figure.words in text for text in texts[figure.place]), figure
        assert states(figure, figure.value), figure
        assert states(figure, figure.baseline), figure


def states(figure: FigureFact, value: str) -> bool:
    """Whether the words, or the note about where the baseline stands, hold a value."""
    return value in figure.words or value in figure.note


def texts_of(pull: PullRequest) -> dict[str, list[str]]:
    return {
        "title": [pull.title],
        "description": [pull.body or ""],
        "comment": [comment.body for comment in pull.comments or ()],
        "thread": [comment.body for thread in pull.threads or () for comment in thread.comments],
        "review": [review.body for review in pull.reviews or ()],
    }
