from typing import get_args

import pytest
from compose_week import MATERIAL, item, plan_reply

from prhub_digest.compose.plan import plan_fault, plan_from_reply
from prhub_digest.compose.rules_plan import rules_plan
from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import RecommendationReply, SectionName, ThemeReply


def test_a_good_plan_has_no_fault_and_gets_ids_by_section():
    reply = plan_reply()
    assert plan_fault(reply, MATERIAL) is None
    plan = plan_from_reply(reply, MATERIAL, Usage())
    assert [(i.id, i.facts, i.stats) for i in plan.items("changes")] == [
        ("k1", ("p1.h1", "p1.f1"), ()),
        ("k2", ("p1.c1",), ()),
    ]
    assert [(i.id, i.facts) for i in plan.items("highlights")] == [("h1", ("p1.h1", "p1.w1", "p1.c1", "p1.f1"))]
    (recommendation,) = plan.recommendations
    assert (recommendation.risk, recommendation.item.id, recommendation.item.stats) == (
        "r2",
        "a1",
        ("flags.missing_tests",),
    )


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"executive": (item(("p1.h9",)),)}, "executive 1: unknown fact 'p1.h9'"),
        ({"trends": (item(stats=("areas.gpu",)),)}, "trends 1: unknown statistic 'areas.gpu'"),
        ({"trends": (item(("p1.h1",)),)}, "trends 1: cites no statistic of areas, types"),
        ({"risks": (item(("p1.c1",)),), "recommendations": ()}, "risks 1: cites no risk, no open thread and no flag"),
        ({"executive": (item(),)}, "executive 1: cites nothing"),
        ({"themes": (ThemeReply(area="gpu", items=(item(("p1.h1",)),)),)}, "themes: 'gpu' is not in the list"),
        (
            {"recommendations": (RecommendationReply(risk=3, point="p"),)},
            "recommendations 1: there is no risk 3",
        ),
    ],
)
def test_each_fault_is_named(changes, fault):
    assert (plan_fault(plan_reply(**changes), MATERIAL) or "").startswith(fault)


def test_rules_plan_without_a_model_and_every_id_is_known():
    plan = rules_plan(MATERIAL, {7: "cache", 9: "docs"}, "no model was asked")
    assert plan.origin == "rules"
    assert [(theme.area, [i.facts for i in theme.items]) for theme in plan.themes] == [
        ("cache", [("p1.h1", "p1.f1")]),
        ("docs", [("p2.h1",)]),
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
