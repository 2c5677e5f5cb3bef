from summary_week import LINES, SIGNALS, line_id, reply

from prhub_digest.models.summary import ScoreReply, ScoresReply, StatementReply, UnsettledThread
from prhub_digest.summarize.grounding import ground
from prhub_digest.summarize.merge import all_unsettled_threads, merge


def part(score, words="queue.put(pages, block=False)", claims=()):
    given = ScoreReply(score=score, line=line_id("queue.put"), words=words)
    scores = ScoresReply(reach=given, behaviour=given, cost=given, risk=given, durability=given)
    return ground(reply(scores=scores, claims=claims), LINES, SIGNALS)


def claim(text, words):
    return StatementReply(text=text, line=line_id(words), words=words)


def test_claims_are_united_and_scores_are_the_highest_with_evidence():
    first = part(2, claims=(claim("The queue does not block.", "queue.put(pages, block=False)"),))
    second = part(
        4,
        claims=(
            claim("the queue does not block.", "queue.put(pages, block=False)"),
            claim("Only the next pages are loaded.", "load(next_pages)"),
        ),
    )
    without_evidence = part(5, words="nothing like this")
    merged = merge([first, second, without_evidence])
    assert [claim.text for claim in merged.claims] == ["The queue does not block.", "Only the next pages are loaded."]
    assert {(score.value, score.source) for score in merged.scores} == {(4, "model")}


def test_a_rule_speaks_only_when_no_part_has_evidence():
    merged = merge([part(5, words="nothing like this"), part(4, words="nothing like this")])
    assert {(score.value, score.source) for score in merged.scores} == {(1, "rule")}


def test_every_open_thread_is_kept_whether_worded_or_not():
    (unworded,) = all_unsettled_threads((), SIGNALS)
    assert (unworded.text, unworded.severity, unworded.worded_by) == (
        "What if the queue of 8 is full?",
        "medium",
        "comment",
    )
    worded = UnsettledThread(thread="RT_1", text="A full queue?", severity="high", worded_by="model")
    assert all_unsettled_threads((worded,), SIGNALS) == (worded,)
