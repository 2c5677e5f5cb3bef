from dataclasses import replace
from typing import get_args

import pytest
from compose_week import CACHE, MATERIAL, item, plan_reply, theme_reply
from pydantic import ValidationError

from prhub_digest.compose.assembly import PlanReplies, assembled_plan, plan_by_rules
from prhub_digest.compose.plan import plan_fault, theme_fault
from prhub_digest.compose.themes import Grouping
from prhub_digest.models.plan import Plan, RecommendationReply, SectionName

THEME_FACTS = MATERIAL.facts_of_theme(CACHE)


def test_a_plan_rests_on_its_own_facts_alone():
    plan = plan_by_rules(MATERIAL, "no model")
    with pytest.raises(ValidationError, match="which is no fact of the plan"):
        Plan.model_validate(plan.model_dump() | {"facts": plan.facts[1:]})


def test_good_replies_have_no_fault_and_get_ids_by_section():
    theme, reply = theme_reply(("p1.h1", "p1.f1"), ("p1.c1",)), plan_reply()
    assert (theme_fault(theme, THEME_FACTS), plan_fault(reply, MATERIAL)) == (None, None)
    plan = assembled_plan(MATERIAL, PlanReplies((theme, None), reply))
    assert [(i.id, i.facts, i.stats) for i in plan.items("changes")] == [
        ("k1", ("p1.h1", "p1.f1"), ()),
        ("k2", ("p1.c1",), ()),
        ("k3", ("p2.h1",), ()),
    ]
    assert [(i.id, i.facts, i.point) for i in plan.items("headings")] == [("n1", ("p1.h1",), "Prefix pages")]
    (highlight,) = plan.items("highlights")
    assert (highlight.id, highlight.facts) == ("h1", ("p1.h1", "p1.w1", "p1.c1", "p1.f1", "p1.r1"))
    (recommendation,) = plan.recommendations
    assert (recommendation.risk, recommendation.item.id, recommendation.item.stats) == (
        "r2",
        "a1",
        ("flags.missing_tests",),
    )


def test_a_theme_shows_what_its_pull_requests_claim_and_the_other_sections_only_what_they_are():
    assert [fact.id for fact in THEME_FACTS] == ["p1.h1", "p1.w1", "p1.c1", "p1.f1"]
    assert [fact.id for fact in MATERIAL.facts_of_highlights()] == ["p1.h1", "p1.w1"]
    with_another = replace(MATERIAL, must_look=frozenset({9}))
    assert [fact.id for fact in with_another.facts_of_highlights()] == ["p1.h1", "p1.w1", "p2.h1"]


def test_what_no_theme_tells_is_told_in_full():
    """Nobody learnt from the page what was known of a reverted change."""
    taken_back = replace(MATERIAL, cancelled=frozenset({7}))
    assert [fact.id for fact in taken_back.facts_of_highlights()] == ["p1.h1", "p1.w1", "p1.c1"]
    reply = plan_reply(risks=(item(("p1.r1", "p1.c1")),), recommendations=(), executive=(item(("p1.c1",)),))
    assert plan_fault(reply, taken_back) is None
    assert plan_fault(reply, MATERIAL) == "risks 1: 'p1.c1' is told elsewhere; executive 1: 'p1.c1' is told elsewhere"


def test_what_begins_with_one_pull_request_stands_together():
    both = replace(MATERIAL, themes=(Grouping(("cache", "docs"), (7, 9)),))
    reply = theme_reply(("p1.h1",), ("p2.h1",), ("p1.c1", "p2.h1"), ("p1.f1",))
    plan = assembled_plan(both, PlanReplies((reply,), plan_reply()))
    assert [(i.id, i.facts) for i in plan.items("changes")] == [
        ("k1", ("p1.h1",)),
        ("k2", ("p1.c1", "p2.h1")),
        ("k3", ("p1.f1",)),
        ("k4", ("p2.h1",)),
    ]


def test_rules_name_as_the_first_what_lasts():
    def first(**changes):
        return plan_by_rules(replace(MATERIAL, **changes), "r").trends[0].stats

    assert first() == ("areas.cache", "areas.docs")
    assert first(cancelled=frozenset({7})) == ("areas.docs", "areas.cache")


def test_each_theme_by_itself_is_planned_by_rules_where_its_reply_failed():
    theme = theme_reply(("p1.h1",))
    half = assembled_plan(MATERIAL, PlanReplies((theme, None), plan_reply()))
    assert [(own.areas, own.origin, own.heading is None) for own in half.themes] == [
        (("cache",), "model", False),
        (("docs",), "rules", True),
    ]
    assert (half.origin, half.whole) == ("model", False)
    other = assembled_plan(MATERIAL, PlanReplies((theme, theme_reply()), reason="no reply"))
    assert (other.origin, other.reason, other.whole) == ("rules", "no reply", False)
    assert [i.id for i in other.risks] == ["r1", "r2", "r3"]


def test_a_theme_with_nothing_to_tell_is_left_out_and_nothing_this_week_is_a_plan():
    nothing = plan_reply(trends=(), risks=(), recommendations=(), executive=())
    assert plan_fault(nothing, MATERIAL) is None
    assert theme_fault(theme_reply(name=""), THEME_FACTS) is None
    plan = assembled_plan(MATERIAL, PlanReplies((theme_reply(), theme_reply()), nothing))
    assert (plan.themes, plan.risks, plan.recommendations, plan.whole) == ((), (), (), True)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"executive": (item(("p1.h9",)),)}, "executive 1: unknown fact 'p1.h9'"),
        ({"executive": (item(("p1.c1",)),)}, "executive 1: 'p1.c1' is told elsewhere"),
        ({"trends": (item(stats=("areas.gpu",)),)}, "trends 1: unknown statistic 'areas.gpu'"),
        ({"trends": (item(("p1.h1",)),)}, "trends 1: cites no statistic of areas, types"),
        ({"risks": (item(("p1.h1",)),), "recommendations": ()}, "risks 1: cites no risk, no review thread and no flag"),
        ({"executive": (item(),)}, "executive 1: cites nothing"),
        (
            {"recommendations": (RecommendationReply(risk=3, point="p"),)},
            "recommendations 1: there is no risk 3",
        ),
    ],
)
def test_each_fault_is_named(changes, fault):
    assert (plan_fault(plan_reply(**changes), MATERIAL) or "").startswith(fault)


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (theme_reply(("p2.h1",)), "items 1: unknown fact 'p2.h1'"),
        (theme_reply(("p1.r1",)), "items 1: unknown fact 'p1.r1'"),
        (theme_reply(("p1.h1",), ()), "items 2: cites nothing"),
        (theme_reply(*[("p1.h1",)] * 7), "items: 7 of them; at most 6"),
        (theme_reply(("p1.h1",), name=" "), "name: it has 0 words, not one to 6"),
        (theme_reply(("p1.h1",), name="The queue does not block any more"), "name: it has 7 words, not one to 6"),
        (theme_reply(("p1.h1",), name="Page size 64."), "name: no digits in a name; name: a name ends without a full"),
    ],
)
def test_each_fault_of_a_theme_is_named(reply, fault):
    assert (theme_fault(reply, THEME_FACTS) or "").startswith(fault)


def test_rules_plan_without_a_model_and_every_id_is_known():
    plan = plan_by_rules(MATERIAL, "no model was asked")
    assert (plan.origin, plan.reason) == ("rules", "no model was asked")
    assert [(theme.areas, [i.facts for i in theme.items]) for theme in plan.themes] == [
        (("cache",), [("p1.h1", "p1.f1")]),
        (("docs",), [("p2.h1",)]),
    ]
    assert [(i.id, i.facts, i.stats) for i in plan.risks] == [
        ("r1", ("p1.r1",), ()),
        ("r2", ("p1.t1",), ()),
        ("r3", (), ("flags.missing_tests",)),
    ]
    known = {fact.id for fact in plan.facts}
    items = [i for section in get_args(SectionName) for i in plan.items(section)]
    assert len({i.id for i in items}) == len(items)
    assert all(fact in known for i in items for fact in i.facts)
    assert all(MATERIAL.stats.has(path) for i in items for path in i.stats)
