import re

import pytest
from compose_week import COLLECTION, MATERIAL, RANKING, SUMMARIES, plan_reply, theme_reply

from prhub_digest.compose.assembly import PlanReplies, assembled_plan
from prhub_digest.compose.digest import DigestMaterial, Words, compose_digest
from prhub_digest.compose.wording import WordingMaterial, repair_task, wording_tasks
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.glossary import Term
from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import RecommendationReply
from prhub_digest.prompts import load_prompts
from prhub_digest.shipped import prompts_dir

BUILDER = RequestBuilder(load_prompts(prompts_dir()), {"large": "big", "small": "tiny"}, "local", len)
TOLD = theme_reply(("p1.h1", "p1.f1"), ("p1.c1",))
PLAN = assembled_plan(MATERIAL, PlanReplies((TOLD, theme_reply()), plan_reply()))


def tasks(language="en", sections=("changes", "risks"), plan=PLAN, kept=()):
    return wording_tasks(WordingMaterial(plan, SUMMARIES, language, BUILDER), sections, kept)


def test_a_call_shows_items_with_their_facts_and_no_value_of_a_figure():
    changes, risks = tasks()
    user = changes.request.messages[1].content
    assert (changes.subject, risks.subject) == ("en.changes", "en.risks")
    assert (
        "item k1\npoint: p\n"
        "pull request: Prefix pages are prefetched on decode\n"
        "it takes effect when: page size 64\nby default: off\n"
        "- headline: Prefix pages are prefetched on decode\n"
        "- figure: mean TTFT, down, page size 64 (code writes the value)\n"
    ) in user
    assert "251" not in user
    assert "- statistic flags.missing_tests: merged pull requests with this risk flag" in (
        risks.request.messages[1].content
    )


def test_the_language_changes_only_the_last_sentence_and_the_subject():
    english, chinese = tasks("en")[0].request, tasks("zh")[0].request
    assert chinese.messages[0] == english.messages[0]
    same = english.messages[1].content.replace("en.changes", "zh.changes").replace("English", "Chinese (简体中文)")
    assert chinese.messages[1].content == same


def test_what_limits_a_pull_request_is_told_once_in_a_row_of_its_items():
    """A repair shows a single item, and tells it again."""
    changes, _ = tasks()
    second = changes.request.messages[1].content.partition("item k2\n")[2]
    assert second.startswith(
        "point: p\npull request: that of item k1, which says when it holds\n- claim: The queue does not block.\n"
    )
    alone = repair_task(WordingMaterial(PLAN, SUMMARIES, "en", BUILDER), changes, {"k2": "the digit 3"})
    assert "it takes effect when: page size 64" in alone.request.messages[1].content


def test_a_recommendation_is_shown_the_danger_and_not_what_limits_the_pull_request():
    """The risk that it answers says so, right beside it."""
    reply = plan_reply(recommendations=(RecommendationReply(risk=1, point="add a bound"),))
    plan = assembled_plan(MATERIAL, PlanReplies((TOLD, theme_reply()), reply))
    (task,) = tasks(sections=("recommendations",), plan=plan)
    assert (
        "item a1\npoint: add a bound\npull request: Prefix pages are prefetched on decode\n"
        "- risk: Pages are lost when the queue is full.\n</data-"
    ) in task.request.messages[1].content


def test_headings_are_worded_by_the_names_of_the_plan():
    (task,) = tasks("zh", ("headings",))
    assert (task.subject, task.request.prompt) == ("zh.headings", "compose_headings")
    assert (
        "item n1\nname: Prefix pages\n- headline: Prefix pages are prefetched on decode\n"
        in task.request.messages[1].content
    )


def test_a_glossary_is_shown_where_its_terms_are_told_and_only_in_chinese():
    glossary = (Term(en="prefix page", zh="前缀页"), Term(en="radix cache", zh="基数缓存"))

    def asked(language, sections):
        material = WordingMaterial(PLAN, SUMMARIES, language, BUILDER, glossary)
        return [task.request.messages[1].content for task in wording_tasks(material, sections)]

    terms = "\n\nCall these terms so:\nprefix page: 前缀页\n\nWrite every "
    assert [terms in content for content in asked("zh", ("headings", "changes", "trends"))] == [True, True, False]
    assert not any("Call these terms" in content for content in asked("en", ("changes", "risks")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The radix cache is flat", True),
        ("Radix caches are flat", True),
        ("a radix-cache lookup", True),
        ("基数 radix\ncache。", True),
        ("it is radix cached", False),
        ("a subradix cache", False),
    ],
)
def test_a_term_stands_in_words_of_its_own(text, found):
    assert Term(en="radix cache", zh="基数缓存").stands_in(text) is found


def test_at_most_twelve_items_a_call():
    many = theme_reply(*[("p1.c1",)] * 25)
    plan = assembled_plan(MATERIAL, PlanReplies((many, theme_reply()), plan_reply()))
    assert [(task.subject, len(task.items)) for task in tasks(sections=("changes",), plan=plan)] == [
        ("en.changes.1", 12),
        ("en.changes.2", 12),
        ("en.changes.3", 1),
    ]


def test_a_repair_asks_for_the_refused_items_only_and_says_why():
    changes, _ = tasks()
    task = repair_task(WordingMaterial(PLAN, SUMMARIES, "en", BUILDER), changes, {"k2": "the digit 3"})
    assert [item.id for item in task.items] == ["k2"]
    assert task.subject == "en.changes.repair"
    assert "k2: the digit 3" in task.request.messages[1].content


def test_the_executive_summary_sees_kept_sentences():
    (task,) = tasks(sections=("executive",), kept=("Decode is faster.",))
    assert "Sentences already in the digest:\nDecode is faster." in task.request.messages[1].content


def digest(language, sentences, refused=None):
    material = DigestMaterial(COLLECTION, PLAN, RANKING, SUMMARIES, language, "big")
    return compose_digest(material, Words(sentences, refused or {}), Usage())


def test_every_plan_item_becomes_a_sentence_with_the_plans_ids():
    worded = digest("en", {"k1": "Decode prefetches prefix pages."}, {"k2": "the digit 3"})
    first, second = worded.themes[0].sentences
    assert (first.text, first.claims, first.figures, first.origin) == (
        "Decode prefetches prefix pages.",
        ("p1.h1",),
        ("p1.f1",),
        "model",
    )
    assert (second.text, second.origin, second.reason) == ("The queue does not block.", "template", "the digit 3")
    assert {sentence.item for sentence in worded.sentences} == {"e1", "k1", "k2", "t1", "r1", "r2", "a1", "h1"}


def test_a_theme_without_a_worded_name_has_its_areas_only():
    named = digest("zh", {"n1": "前缀页"}).themes[0]
    assert (named.areas, named.heading.text, named.heading.claims) == (("cache",), "前缀页", ("p1.h1",))
    assert digest("zh", {}, {"n1": "the digit 3"}).themes[0].heading is None


def test_both_languages_state_the_same_ids():
    def stated(worded):
        return [(s.item, s.claims, s.figures, s.stats) for s in worded.sentences]

    assert stated(digest("en", {"k1": "x"})) == stated(digest("zh", {"r1": "甲"}))


def test_templates_say_where_their_words_come_from():
    worded = digest("zh", {})
    assert worded.risks[0].text == "摘要原文：Pages are lost when the queue is full."
    assert worded.trends[0].text == "本周统计"
    assert re.match("待核查：", worded.recommendations[0].sentence.text)


def test_without_a_model_there_is_no_prose():
    material = DigestMaterial(COLLECTION, PLAN, RANKING, SUMMARIES, "en", None)
    facts = compose_digest(material, Words({}, {}), Usage())
    assert facts.mode == "facts"
    assert (facts.executive, facts.themes, facts.risks, facts.recommendations) == ((), (), (), ())
    assert [highlight.pull for highlight in facts.highlights] == [7] == list(RANKING.highlights)
    assert facts.announced_highlights == 1
