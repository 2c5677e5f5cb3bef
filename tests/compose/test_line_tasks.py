"""Which lines are translated, and what is asked for."""

from compose_week import CACHE, GUIDES, PREFETCH, RANKING, STATS, SUMMARIES, plan_reply, theme_reply

from prhub_digest.compose.assembly import PlanReplies, assembled_plan
from prhub_digest.compose.facts import facts_of
from prhub_digest.compose.lines import line_repairs, line_tasks, shown_lines
from prhub_digest.compose.plan import PlanMaterial
from prhub_digest.compose.wording import WordingMaterial
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.glossary import Term
from prhub_digest.models.summary import UnsettledThread
from prhub_digest.prompts import load_prompts
from prhub_digest.shipped import prompts_dir

BUILDER = RequestBuilder(load_prompts(prompts_dir()), {"large": "big", "small": "tiny"}, "local", len)
TTFT = PREFETCH.figures[0]
FIGURES = (
    TTFT,
    TTFT.updated(metric="P99 TTFT"),
    TTFT.updated(metric="cache hit rate", condition=""),
    TTFT.updated(metric="startup time", condition="no item cites it"),
)
THREADS = (
    *PREFETCH.unsettled_threads,
    UnsettledThread(thread="RT_2", text="Why?", severity="low", worded_by="comment"),
)
TOLD = theme_reply(("p1.h1", "p1.f1"), ("p1.f2", "p1.f3"))


def material(language="zh", reverted=frozenset(), figures=FIGURES, glossary=()):
    summaries = SUMMARIES | {7: PREFETCH.updated(figures=figures, unsettled_threads=THREADS)}
    facts = facts_of(RANKING, summaries)
    replies = PlanReplies((TOLD, theme_reply()), plan_reply())
    plan = assembled_plan(PlanMaterial(facts, STATS, RANKING, (CACHE, GUIDES), "inputs"), replies)
    return WordingMaterial(plan, summaries, language, BUILDER, glossary, reverted)


def shown(given):
    return shown_lines(given.plan, given.summaries, given.reverted, given.language)


def test_the_lines_of_a_page_are_headlines_worded_threads_and_the_cited_figures():
    """No title of #9, which has no summary; no name alone (`P99 TTFT`); no comment; no figure that nothing cites."""
    assert shown(material()) == {
        "7.headline": "Prefix pages are prefetched on decode",
        "p1.f1.metric": "mean TTFT",
        "p1.f1.condition": "page size 64",
        "p1.f2.condition": "page size 64",
        "p1.f3.metric": "cache hit rate",
        "7.thread.RT_1": "What if it is full?",
    }


def test_an_english_page_has_no_lines_and_a_reverted_pull_request_no_headline():
    assert shown(material("en")) == {}
    assert "7.headline" not in shown(material(reverted=frozenset({7})))


def test_a_call_shows_each_text_once_under_a_short_number():
    given = material(glossary=(Term(en="prefix page", zh="前缀页"), Term(en="router", zh="路由器")))
    (task,) = line_tasks(given, shown(given))
    user = task.request.messages[1].content
    assert (task.subject, task.request.prompt) == ("zh.lines", "compose_lines")
    listed = (
        "item 1\nheadline: Prefix pages are prefetched on decode\n\nitem 2\nmetric: mean TTFT\n\n"
        "item 3\ncondition: page size 64\n\nitem 4\nmetric: cache hit rate\n\n"
        "item 5\nreview thread: What if it is full?\n</data-"
    )
    assert listed in user
    assert user.endswith(
        "\n\nCall these terms so:\nprefix page: 前缀页\n\n"
        "Translate every line into Chinese (简体中文). Answer with the JSON object only; ref is zh.lines."
    )
    assert task.names["3"] == ("p1.f1.condition", "p1.f2.condition")


def test_forty_lines_a_call_and_all_refused_lines_together():
    many = {f"{number}.headline": f"the queue of {number}" for number in range(95)}
    tasks = line_tasks(material(), many)
    assert [(task.subject, len(task.lines)) for task in tasks] == [
        ("zh.lines.1", 40),
        ("zh.lines.2", 40),
        ("zh.lines.3", 15),
    ]
    (repair,) = line_repairs(material(), tasks, {"3.headline": "a number is lost", "94.headline": "too long"})
    assert (repair.subject, repair.names) == ("zh.lines.repair", {"1": ("3.headline",), "2": ("94.headline",)})
    user = repair.request.messages[1].content
    assert "item 1\nheadline: the queue of 3\n\nitem 2\nheadline: the queue of 94\n" in user
    assert "\n1: a number is lost\n2: too long\n" in user


def test_a_model_that_fails_at_all_lines_is_not_asked_for_all_again():
    many = {f"{number}.headline": f"the queue of {number}" for number in range(320)}
    tasks = line_tasks(material(), many)
    repairs = line_repairs(material(), tasks, dict.fromkeys(many, "it is not in Chinese"))
    assert [len(task.lines) for task in repairs] == [40, 40]
    assert line_repairs(material(), tasks, {}) == ()
