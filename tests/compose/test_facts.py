from compose_week import MATERIAL, SUMMARIES

from prhub_digest.compose.facts import dangers_block, facts_block, stats_block
from prhub_digest.models.stats import Count

FULL = """p1 area cache, performance, off by default
p1.h1 Prefix pages are prefetched on decode
p1.w1 page size 64
p1.c1 The queue does not block.
p1.f1 mean TTFT: 251 ms, from 412 ms, down, page size 64, measured by author
p1.r1 (high) Pages are lost when the queue is full.
p1.t1 (medium) What if it is full?
p2 area docs, docs
p2.h1 Fix the quick start"""


def test_ids_follow_the_rank_order_and_every_statement_has_one():
    assert [(fact.id, fact.kind, fact.pull) for fact in MATERIAL.facts] == [
        ("p1.h1", "headline", 7),
        ("p1.w1", "condition", 7),
        ("p1.c1", "claim", 7),
        ("p1.f1", "figure", 7),
        ("p1.r1", "risk", 7),
        ("p1.t1", "thread", 7),
        ("p2.h1", "headline", 9),
    ]


def test_the_block_shows_all_facts_when_they_fit():
    assert facts_block(MATERIAL.facts, SUMMARIES, budget=10_000, count=len) == (FULL, ())


def test_headlines_alone_come_when_a_block_does_not_fit_and_what_is_left_out_is_named():
    text, left_out = facts_block(MATERIAL.facts, SUMMARIES, budget=60, count=len)
    assert text == "p1.h1 Prefix pages are prefetched on decode"
    assert left_out == (9,)


def test_only_the_first_are_told_in_full():
    text, left_out = facts_block(MATERIAL.facts, SUMMARIES, budget=10_000, count=len, full=1)
    assert text == "\n".join((*FULL.split("\n")[:-2], "p2.h1 Fix the quick start"))
    assert left_out == ()


def test_dangers_come_by_severity_as_many_as_fit():
    lines = ["p1.r1 (high) Pages are lost when the queue is full.", "p1.t1 (medium) What if it is full?"]
    assert dangers_block(MATERIAL.facts, budget=1_000, count=len) == "\n".join(lines)
    assert dangers_block(MATERIAL.facts, budget=60, count=len) == lines[0]


def test_a_time_is_no_part_of_a_whole():
    hours = Count(path="hours_to_merge.p90", value=583.8, unit="hours", denominator=15)
    assert stats_block(MATERIAL.stats.updated(counts=(hours,))) == "hours_to_merge.p90 583.8 hours"


def test_what_was_taken_back_is_told_beside_the_count_of_work_only():
    """7 was reverted: an area has none that lasts; how many were merged stands for itself."""
    assert stats_block(MATERIAL.stats, frozenset({7})) == (
        "pulls.merged 2 pulls\nareas.cache 1 pulls (0 net of reverts)\nareas.docs 1 pulls\n"
        "flags.missing_tests 1 of 1 pulls"
    )


def test_statistics_are_one_line_each():
    assert stats_block(MATERIAL.stats) == (
        "pulls.merged 2 pulls\nareas.cache 1 pulls\nareas.docs 1 pulls\nflags.missing_tests 1 of 1 pulls"
    )
