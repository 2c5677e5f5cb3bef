import pytest
from summary_week import LINES, OPEN, SIGNALS, line_id, reply

from prhub_digest.models.summary import (
    DefaultReply,
    FigureReply,
    RiskReply,
    ScoreReply,
    ScoresReply,
    StatementReply,
    ThreadReply,
)
from prhub_digest.summarize.grounding import ground


def grounded(**changes):
    return ground(reply(**changes), LINES, SIGNALS)


def dropped(result):
    return [(drop.kind, drop.reason) for drop in result.dropped]


def test_a_claim_keeps_the_quote_of_its_line():
    claim = StatementReply(
        text="The queue does not block.", line=line_id("queue.put"), words="queue.put(pages, block=False)"
    )
    result = grounded(claims=(claim,))
    (kept,) = result.claims
    assert kept.evidence.quote == "+queue.put(pages, block=False)"
    assert (kept.evidence.found_by, kept.evidence.place.path, kept.evidence.place.line) == (
        "line",
        "cache/prefetch.py",
        3,
    )
    assert result.dropped == []


def test_a_claim_with_the_wrong_line_is_found_elsewhere():
    claim = StatementReply(text="The queue does not block.", line="T1", words="queue.put(pages, block=False)")
    (kept,) = grounded(claims=(claim,)).claims
    assert (kept.evidence.line, kept.evidence.found_by) == (line_id("queue.put"), "elsewhere")


def test_a_claim_that_stands_nowhere_is_dropped_and_counted():
    claim = StatementReply(text="Adds a Kubernetes operator.", line="D3", words="kubernetes operator")
    result = grounded(claims=(claim,))
    assert result.claims == []
    assert dropped(result) == [("claim", "no evidence found in the lines shown")]


def test_a_claim_with_a_number_that_its_line_lacks_is_dropped():
    body = line_id("412 ms")
    words = "Mean TTFT falls from 412 ms"
    right = StatementReply(text="Mean TTFT falls from 412 ms to 251 ms.", line=body, words=words)
    wrong = StatementReply(text="Mean TTFT falls by 39 %.", line=body, words=words)
    result = grounded(claims=(right, wrong))
    assert [claim.text for claim in result.claims] == [right.text]
    assert dropped(result) == [("claim", "numbers that its evidence does not hold: 39")]


FIGURE = FigureReply(
    metric="mean TTFT",
    value="251",
    unit="ms",
    baseline="412 ms",
    baseline_is="before",
    direction="down",
    condition="page size 64",
    measured_by="author",
    line="B1",
    words="Mean TTFT falls from 412 ms",
)


def test_a_figure_keeps_its_value_only_if_its_line_holds_it():
    result = grounded(figures=(FIGURE, FIGURE.updated(value="215")))
    assert [(figure.value, figure.baseline, figure.condition) for figure in result.figures] == [
        ("251", "412 ms", "page size 64")
    ]
    assert dropped(result) == [("figure", "its evidence does not hold 215")]


@pytest.mark.parametrize(
    ("baseline", "said", "kept"),
    [
        ("412 ms", "before", "before"),
        ("412 ms", "other", "other"),
        ("412 ms", "none", "other"),
        ("", "before", "none"),
        (" ", "other", "none"),
    ],
)
def test_a_baseline_counts_as_the_state_before_only_where_the_reply_says_so(baseline, said, kept):
    figure = FIGURE.updated(baseline=baseline, baseline_is=said)
    assert [figure.baseline_is for figure in grounded(figures=(figure,)).figures] == [kept]


@pytest.mark.parametrize(
    "changes", [{"value": "Mean TTFT falls"}, {"unit": "ms in a run whose sizes and rates are told at great length"}]
)
def test_words_are_no_figure(changes):
    ((kind, reason),) = dropped(grounded(figures=(FIGURE.updated(**changes),)))
    assert (kind, reason) == ("figure", "its value is no number with a unit")


def test_a_figure_with_an_invented_condition_is_dropped():
    assert dropped(grounded(figures=(FIGURE.updated(condition="page size 16"),))) == [
        ("figure", "the pull request does not hold 16")
    ]


def test_a_risk_needs_the_diff_or_a_thread():
    words = "Everybody will love this dangerous change"
    from_body = RiskReply(text="A dangerous change.", severity="high", line=line_id("dangerous"), words=words)
    from_diff = RiskReply(
        text="Pages are lost when the queue is full.",
        severity="high",
        line=line_id("queue.put"),
        words="queue.put(pages, block=False)",
    )
    result = grounded(risks=(from_body, from_diff))
    assert [risk.text for risk in result.risks] == [from_diff.text]
    assert dropped(result) == [("risk", "stands only in the description")]


def thread_line() -> str:
    return next(line.id for line in LINES if line.place.thread == "RT_1")


@pytest.mark.parametrize(("given", "kept"), [("low", "medium"), ("medium", "medium"), ("high", "high")])
def test_the_model_may_raise_a_thread_by_one_step_and_never_lower_it(given, kept):
    worded = ThreadReply(thread=thread_line(), text="What happens when the queue is full?", severity=given)
    (thread,) = grounded(threads=(worded,)).threads
    assert (thread.thread, thread.severity, thread.worded_by) == ("RT_1", kept, "model")


def test_a_low_thread_cannot_be_raised_to_high():
    low = SIGNALS.updated(threads=(OPEN.updated(severity="low"),))
    worded = ThreadReply(thread=thread_line(), text="A full queue?", severity="high")
    (thread,) = ground(reply(threads=(worded,)), LINES, low).threads
    assert thread.severity == "medium"


@pytest.mark.parametrize(
    ("outcome", "listed"),
    [("open", True), ("disputed", True), ("deferred", True), ("done", False), ("answered", False), ("unknown", False)],
)
def test_the_model_words_the_threads_that_something_is_still_to_be_done_about(outcome, listed):
    signals = SIGNALS.updated(threads=(OPEN.updated(outcome=outcome),))
    worded = ThreadReply(thread=thread_line(), text="The author will clamp it later.", severity="medium")
    kept = [thread.text for thread in ground(reply(threads=(worded,)), LINES, signals).threads]
    assert kept == (["The author will clamp it later."] if listed else [])


def test_an_invented_thread_is_dropped():
    result = grounded(threads=(ThreadReply(thread="R99", text="Please rename it.", severity="low"),))
    assert result.threads == []
    assert dropped(result) == [("thread", "R99 is no thread that the request lists")]


def test_a_thread_worded_with_a_foreign_number_speaks_by_its_comment():
    worded = ThreadReply(thread=thread_line(), text="The queue of 16 is full.", severity="medium")
    (thread,) = grounded(threads=(worded,)).threads
    assert (thread.text, thread.worded_by) == ("What if the queue of 8 is full?", "comment")


def test_a_score_without_evidence_falls_back_to_the_rule():
    good = ScoreReply(score=3, line=line_id("queue.put"), words="queue.put(pages, block=False)")
    bad = ScoreReply(score=5, line="D1", words="changes everything forever")
    result = grounded(scores=ScoresReply(reach=bad, behaviour=good, cost=good, risk=good, durability=good))
    assert [(score.name, score.value, score.source) for score in result.scores] == [
        ("reach", 1, "rule"),
        ("behaviour", 3, "model"),
        ("cost", 3, "model"),
        ("risk", 3, "model"),
        ("durability", 3, "model"),
    ]
    assert dropped(result) == [("score", "no evidence found in the lines shown")]


def test_the_model_chooses_only_among_the_areas_that_rules_leave_open():
    assert (grounded(area="docs").area, dropped(grounded(area="docs"))) == ("docs", [])
    result = grounded(area="everything")
    assert result.area is None
    assert dropped(result) == [("area", "not one of the areas to choose from")]


def test_who_answers_other_leaves_the_area_to_the_rules():
    result = grounded(area="other")
    assert (result.area, dropped(result)) == (None, [])


def test_a_headline_without_evidence_is_none():
    headline = StatementReply(text="Adds a Kubernetes operator.", line="T1", words="kubernetes operator")
    assert grounded(headline=headline).headline is None


def test_scope_condition_and_default_need_evidence_too():
    right = grounded()
    assert right.condition is not None
    assert (right.condition.text, right.condition.evidence.place.kind) == ("page size 64", "description")
    assert (right.scope, right.default_state) == (None, "on")
    invented = StatementReply(text="only on Kubernetes operators", line="T1", words="kubernetes operators")
    wrong = grounded(
        scope=invented, condition=invented, default=DefaultReply(state="off", line="D1", words="off by default")
    )
    assert (wrong.scope, wrong.condition, wrong.default_state) == (None, None, "unknown")
    assert [drop.kind for drop in wrong.dropped] == ["scope", "condition", "default"]
