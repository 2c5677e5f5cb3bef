"""Ids, quotes, figures, statistics and structure, and a table of corruptions that must each be caught."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from verify_world import FIGURE, PLAN, PULLS, RANKING, STATS, Found, evidence, found, inputs_of, with_digest, with_fact

from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.digest import Language
from prhub_digest.models.plan import HighlightPlan, PlanItem
from prhub_digest.models.pull_request import Comment, Person, PullRequest
from prhub_digest.models.stats import Stats
from prhub_digest.models.summary import Evidence
from prhub_digest.models.verification import Finding, Verification
from prhub_digest.source_lines import source_lines
from prhub_digest.verify import VerifyInput, verify_digest


def _executive(inputs: VerifyInput, **changes: Any) -> VerifyInput:
    return with_digest(inputs, executive=(inputs.digest.executive[0].updated(**changes),))


def _figure(**changes: Any) -> Found:
    return found(with_fact(inputs_of(), "p1.f1", figure=FIGURE.updated(**changes)))


def _with_unit(told: str, value: str, unit: str) -> Found:
    """What is found of a figure in a pull request that tells this, too."""
    pull = PULLS[101].updated(body=(PULLS[101].body or "") + told)
    line = next(line for line in source_lines(pull) if re.search(rf"(?<![\d.]){re.escape(value)}(?![\d.])", line.text))
    stands = Evidence(line=line.id, quote=line.text, place=line.place, found_by="line")
    figure = FIGURE.updated(value=value, unit=unit, baseline="", direction="none", evidence=stands)
    inputs = replace(with_fact(inputs_of(), "p1.f1", figure=figure), pulls=PULLS | {101: pull})
    return found(inputs)


def _heading(inputs: VerifyInput, text: str, **changes: Any) -> VerifyInput:
    first, *others = inputs.digest.themes
    assert first.heading is not None
    named = first.updated(heading=first.heading.updated(text=text, **changes))
    return with_digest(inputs, themes=(named, *others))


def _areas_moved(stats: Stats) -> Stats:
    """103, of the documentation, in another area than its theme's."""
    pulls = {"areas.index": (101,), "areas.scheduler": (102, 103)}
    return stats.updated(
        counts=tuple(
            count.updated(value=len(pulls[count.path]), pulls=pulls[count.path]) if count.path in pulls else count
            for count in stats.counts
        )
    )


Corruption = tuple[Callable[[VerifyInput], VerifyInput], tuple[str, str | None]]
CORRUPTIONS: dict[str, Corruption] = {
    "unknown id": (lambda inputs: _executive(inputs, claims=("p9.c1",)), ("known_ids", "e1")),
    "another pull request's claim": (lambda inputs: _executive(inputs, claims=("p2.c1",)), ("known_ids", "e1")),
    "a claim left out": (lambda inputs: _executive(inputs, claims=()), ("known_ids", "e1")),
    "a figure left out": (lambda inputs: _executive(inputs, figures=()), ("known_ids", "e1")),
    "nothing cited": (lambda inputs: _executive(inputs, claims=(), figures=()), ("known_ids", "e1")),
    "an unknown statistic": (
        lambda inputs: with_digest(
            inputs, trends=(inputs.digest.trends[0].updated(stats=("areas.idx", "types.docs")),)
        ),
        ("statistics", "t1"),
    ),
    "another statistic": (
        lambda inputs: with_digest(
            inputs, trends=(inputs.digest.trends[0].updated(stats=("areas.scheduler", "types.docs")),)
        ),
        ("known_ids", "t1"),
    ),
    "a fact moved to another pull request": (lambda inputs: with_fact(inputs, "p1.c1", pull=102), ("quotes", "k1")),
    "a headline moved": (lambda inputs: with_fact(inputs, "p1.h1", pull=103), ("pulls_in_week", "e1")),
    "a fact of another week": (lambda inputs: with_fact(inputs, "p1.c1", pull=1030), ("pulls_in_week", "k1")),
    "a figure's value": (
        lambda inputs: with_fact(inputs, "p1.f1", figure=FIGURE.updated(value="93.3")),
        ("figures", "e1"),
    ),
    "a quote": (
        lambda inputs: with_fact(
            inputs, "p1.c1", evidence=evidence(101, "off by default").updated(quote="on by default")
        ),
        ("quotes", "k1"),
    ),
    "a quote's place": (
        lambda inputs: with_fact(
            inputs, "p1.c1", evidence=evidence(101, "off by default").updated(place=evidence(101, "Splits").place)
        ),
        ("quotes", "k1"),
    ),
    "a headline that is not the title": (
        lambda inputs: with_fact(inputs, "p1.h1", text="Rewrites everything"),
        ("quotes", "e1"),
    ),
    "a thread that is not there": (lambda inputs: with_fact(inputs, "p1.t1", thread="RT_2"), ("quotes", "r2")),
    "a highlight left out": (
        lambda inputs: with_digest(inputs, highlights=inputs.digest.highlights[:1]),
        ("structure", None),
    ),
    "a highlight twice": (
        lambda inputs: with_digest(inputs, highlights=inputs.digest.highlights[:1] * 2),
        ("structure", "h1"),
    ),
    "another highlight": (
        lambda inputs: with_digest(
            inputs, highlights=(inputs.digest.highlights[0].updated(pull=103), inputs.digest.highlights[1])
        ),
        ("structure", "h1"),
    ),
    "another number announced": (lambda inputs: with_digest(inputs, announced_highlights=3), ("structure", None)),
    "an importance": (
        lambda inputs: with_digest(
            inputs, highlights=(inputs.digest.highlights[0].updated(importance=9.4), inputs.digest.highlights[1])
        ),
        ("statistics", "h1"),
    ),
    "a section left out": (lambda inputs: with_digest(inputs, risks=()), ("structure", None)),
    "a sentence left out": (lambda inputs: with_digest(inputs, trends=()), ("known_ids", "t1")),
    "an item that the plan lacks": (lambda inputs: _executive(inputs, item="e7"), ("known_ids", "e7")),
    "a theme's area": (
        lambda inputs: with_digest(
            inputs, themes=(inputs.digest.themes[0].updated(areas=("scheduler",)), inputs.digest.themes[1])
        ),
        ("structure", None),
    ),
    "a pull request under another theme": (
        lambda inputs: replace(inputs, stats=_areas_moved(inputs.stats)),
        ("structure", "k2"),
    ),
    "a claim outside the key changes": (
        lambda inputs: with_digest(
            inputs, risks=(inputs.digest.risks[0].updated(claims=("p2.c1",)), *inputs.digest.risks[1:])
        ),
        ("structure", None),
    ),
    "a heading with a count": (lambda inputs: _heading(inputs, "PagedIndex 索引 in 3 steps"), ("headings", "n1")),
    "a heading with a quantity in words": (lambda inputs: _heading(inputs, "两倍速度 twice"), ("headings", "n1")),
    "a heading that is a sentence": (lambda inputs: _heading(inputs, "The paged index 索引。"), ("headings", "n1")),
    "a long heading": (lambda inputs: _heading(inputs, "index " * 9 + "索引"), ("headings", "n1")),
    "a heading with a link": (lambda inputs: _heading(inputs, "[索引](x)"), ("headings", "n1")),
    "a heading that names unknown code": (lambda inputs: _heading(inputs, "索引 OtherIndex"), ("headings", "n1")),
    "another item's heading": (lambda inputs: _heading(inputs, "索引 index", item="n7"), ("headings", "n7")),
    "a recommendation's risk": (
        lambda inputs: with_digest(inputs, recommendations=(inputs.digest.recommendations[0].updated(risk="r2"),)),
        ("structure", "a1"),
    ),
    "another repository": (lambda inputs: with_digest(inputs, repository="octo-demo/other"), ("statistics", None)),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_each_corruption_is_caught(name: str, language: Language) -> None:
    corrupt, expected = CORRUPTIONS[name]
    assert expected in found(corrupt(inputs_of(language))).errors


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("item", ["e1", "k1", "k3", "r1", "h1"])
def test_each_corruption_of_a_text_is_caught(item: str, language: Language) -> None:
    clean = next(sentence.text for sentence in inputs_of(language).digest.sentences if sentence.item == item)
    for added, check in (
        ("7 ", "stray_digits"),
        ("39.3% ", "stray_digits"),
        ("#101 ", "stray_digits"),
        ("三个 PR " if language == "zh" else "three PRs ", "stray_digits"),
        ("`PagdIndex` ", "identifiers"),
        ("再次" if language == "zh" else "once more ", "trend_words"),
    ):
        assert (check, item) in found(inputs_of(language, **{item: added + clean})).errors, added


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": "9.3"}, "the quote does not hold the value '9.3'"),
        ({"unit": "ms"}, "the quote says '%', not 'ms'"),
        ({"unit": "widgets/s"}, "the pull request does not hold the unit 'widgets/s'"),
        ({"baseline": "1300 ms"}, "the pull request does not hold the baseline '1300 ms'"),
        ({"condition": "batch 64 on H100"}, "the pull request does not hold '64' of the metric or condition"),
        ({"condition": "batch 32 on H200"}, "the pull request does not hold 'H200' of the metric or condition"),
        ({"metric": "P99 TTFT"}, "the pull request does not hold 'P99' of the metric or condition"),
        ({"measured_by": "reviewer"}, "a reviewer is said to have measured it, but its quote is the author's"),
    ],
)
def test_faults_of_a_figure(changes: dict[str, str], message: str) -> None:
    assert _figure(**changes).of("figures") == [("error", "e1", f"figure p1.f1 of #101: {message}")]


@pytest.mark.parametrize(
    "changes",
    [
        {"value": "-39.30 %", "unit": ""},
        {"unit": "percent"},
        {"baseline": "1200"},
        {"baseline": ""},
        {"condition": ""},
        {"condition": "h100, batch 32"},
        {"condition": "batch 32 on H100; dataset and sampling parameters not stated"},
        {"metric": "Change of mean TTFT"},
        {"direction": "none"},
    ],
)
def test_true_forms_of_a_figure(changes: dict[str, str]) -> None:
    assert _figure(**changes).of("figures") == []


SAID = """
Decode goes from 2914 -> 2987 output tok/s (+2.5 %), with 37 requests, ms by ms.
"""


@pytest.mark.parametrize(
    ("value", "unit", "says"),
    [("2987", "tok/s", None), ("2987", "ms", "tok/s"), ("2.5", "tok/s", "%"), ("37", "tok/s", None)],
)
def test_the_unit_may_stand_a_word_behind_its_value(value: str, unit: str, says: str | None) -> None:
    fault = f"figure p1.f1 of #101: the quote says {says!r}, not {unit!r}"
    assert _with_unit(SAID, value, unit).of("figures") == ([("error", "e1", fault)] if says else [])


TABLE = """
It takes 3 s to start; the H100 has 80 GB, of which 5 % are left, 2 x 3.

| metric | main | this PR | Δ% | speedup | time (s) | free |
| --- | ---: | ---: | :---: | --- | --- | --- |
| Mean ITL (ms) | 21.3 | 21.5 | 0.94 | 1.01 | 7.5 | 12 GB |
| output tok/s | 9 842 | 9 881 | 0.4 | 1.02 | 8.5 | 13 |
| Mean TTFT (min) | 17 | 18 | 19 | 1.03 | 9.5 | 14 |
| kernel(s) | 27 | 28 | 29 | 1.04 | 10.5 | 15 |

Mean TPOT (ms): 33 to 34, and 35 more
平均延迟（ms）：36
"""


@pytest.mark.parametrize(
    ("value", "unit", "says"),
    [
        ("21.5", "ms", None),
        ("21.5", "milliseconds", None),
        ("21.5", "s", "ms"),
        ("21.5", "%", "ms"),
        ("21.5", "GB", "ms"),
        ("9 881", "tok/s", None),
        ("9 881", "s", "tok/s"),
        ("0.94", "%", None),
        ("0.94", "ms", "%"),
        ("1.01", "x", None),
        ("1.01", "s", "ms"),
        ("7.5", "s", None),
        ("7.5", "ms", "s"),
        ("12", "GB", None),
        ("13", "GB", "tok/s"),
        ("18", "min", None),
        ("18", "s", None),
        ("28", "GB", None),
        ("34", "ms", None),
        ("34", "s", "ms"),
        ("36", "s", "ms"),
        ("35", "s", None),
    ],
)
def test_the_label_of_a_value_gives_it_a_unit(value: str, unit: str, says: str | None) -> None:
    fault = f"figure p1.f1 of #101: the value's label says {says!r}, not {unit!r}"
    assert _with_unit(TABLE, value, unit).of("figures") == ([("error", "e1", fault)] if says else [])


def test_who_measured_is_told_by_who_wrote_the_quote() -> None:
    """The author answers in a thread of a reviewer."""
    asked = Comment(id="c2", author=Person(login="bo-demo", kind="human"), body="It drops by 39.3 % here.")
    (thread,) = PULLS[101].threads or ()
    answered = Comment(id="c3", author=PULLS[101].author, body="And by 39.3 % there.")
    pull = PULLS[101].updated(threads=(thread.updated(comments=(*thread.comments, asked, answered)),))
    for words, told in (
        ("% here", []),
        ("% there", ["a reviewer is said to have measured it, but its quote is the author's"]),
    ):
        line = next(line for line in source_lines(pull) if words in line.text)
        stands = Evidence(line=line.id, quote=line.text, place=line.place, found_by="line")
        figure = FIGURE.updated(measured_by="reviewer", evidence=stands)
        inputs = replace(with_fact(inputs_of(), "p1.f1", figure=figure), pulls=PULLS | {101: pull})
        expected = [("error", "e1", f"figure p1.f1 of #101: {fault}") for fault in told]
        assert found(inputs).of("figures") == expected


def test_a_trend_tells_of_all_that_it_counts_or_of_none() -> None:
    """It counts #101 and #103; one that was taken back is not missed."""
    inputs = inputs_of()
    (trend,) = inputs.digest.trends
    assert found(inputs).of("statistics") == []
    told = with_digest(inputs, trends=(trend.updated(claims=("p1.c1",)),))
    assert found(told).of("statistics") == [("warning", "t1", "it counts #103, too, and tells nothing of it")]
    assert found(replace(told, cancelled=frozenset({103}))).of("statistics") == []


def test_a_claim_about_what_was_taken_back_stands_wherever_the_plan_has_it() -> None:
    """No theme tells it."""
    inputs, claim = inputs_of(), "p2.c1"
    told = with_digest(inputs, risks=(inputs.digest.risks[0].updated(claims=(claim,)), *inputs.digest.risks[1:]))
    assert any("a claim" in message for _, _, message in found(told).of("structure"))
    number = next(fact.pull for fact in inputs.plan.facts if fact.id == claim)
    assert found(replace(told, cancelled=frozenset({number}))).of("structure") == []


@pytest.mark.parametrize(
    ("quote", "value", "baseline", "direction", "warned"),
    [
        ("retractions go from ~140/min to ~6/min, and throughput is up about 9 %", "~6", "~140", "down", False),
        ("retractions go from ~140/min to ~6/min, and throughput is up about 9 %", "~6", "~140", "up", True),
        ("retractions go from ~140/min to ~6/min, and throughput is up about 9 %", "about 9", "", "up", False),
        ("throughput drops by 9 %; TTFT is up", "9", "", "up", True),
        ("throughput drops, by 9 %", "9", "", "up", False),
        ("1,340 ms, up from 2,870 ms?", "1,340", "2,870", "down", False),
        ("9 % less than 30 860 tok/s", "9", "30 860 tok/s", "down", False),
    ],
)
def test_the_direction_of_a_figure(quote: str, value: str, baseline: str, direction: str, warned: bool) -> None:
    """By the numbers, else by the words of the clause that has the value."""
    figure = FIGURE.updated(
        value=value,
        unit="",
        baseline=baseline,
        direction=direction,
        evidence=FIGURE.evidence.updated(quote=quote),
    )
    kinds = [own.kind for own in found(with_fact(inputs_of(), "p1.f1", figure=figure)).findings if own.item == "e1"]
    assert ("figure_direction" in kinds) is warned


def test_doubts_about_a_figure_warn() -> None:
    assert _figure(direction="up").of("figures") == [
        ("warning", "e1", "figure p1.f1 of #101: the quote reads like the other direction than 'up'")
    ]
    assert _figure(condition="under sustained production load").of("figures") == [
        (
            "warning",
            "e1",
            (
                "figure p1.f1 of #101: most words of its condition 'under sustained production load' "
                "are not in the pull request"
            ),
        )
    ]


def test_one_metric_has_one_value() -> None:
    inputs = inputs_of()
    other = inputs.plan.fact("p1.f1").updated(id="p1.f2", figure=FIGURE.updated(value="32"))
    items = (
        inputs.plan.highlights[0].updated(item=PlanItem(id="h1", facts=("p1.h1", "p1.f2"))),
        inputs.plan.highlights[1],
    )
    plan = inputs.plan.updated(facts=(*PLAN.facts, other), highlights=items)
    first, second = inputs.digest.highlights
    highlights = (first.updated(sentence=first.sentence.updated(figures=("p1.f2",))), second)
    findings = found(replace(with_digest(inputs, highlights=highlights), plan=plan)).of("figures")
    assert ("error", "h1", "figure p1.f2 of #101: 'Mean TTFT' has another value elsewhere") in findings


def test_a_statistic_must_agree_with_its_list() -> None:
    counts = tuple(
        count.updated(value=7) if count.path in {"areas.index", "pulls.merged"} else count for count in STATS.counts
    )
    inputs = replace(inputs_of(), stats=STATS.updated(counts=counts))
    assert found(inputs).of("statistics") == [
        ("error", "t1", "statistic areas.index: the value is 7, but 2 pull requests stand behind it"),
        ("error", None, "pulls.merged is not the number of pull requests, 3"),
    ]


def test_a_pull_request_outside_the_period_is_found() -> None:
    late = PULLS[102].updated(merged_at="2026-06-08T00:00:00Z")
    findings = found(replace(inputs_of(), pulls=PULLS | {102: late}))
    assert ("pulls_in_week", "k3") in findings.errors


def test_reverted_within_the_week_warns() -> None:
    warned = found(replace(inputs_of(), reverted=frozenset({102}))).of("support")
    assert [(severity, item) for severity, item, _ in warned] == [
        ("warning", name) for name in ("k3", "r1", "h2", "a1")
    ]
    told = inputs_of(k3="The scheduler limits its queue per tenant, then reverted.")
    assert "k3" not in {item for _, item, _ in found(replace(told, reverted=frozenset({102}))).of("support")}


def test_answers_that_cite_an_unknown_pull_request_are_errors() -> None:
    """Three pull requests; the sentences cite 101, 103 and an unknown one; 102 is a highlight that is missing."""
    inputs = inputs_of()
    first, second = inputs.digest.highlights
    stranger = second.updated(pull=1030, sentence=second.sentence.updated(claims=("p30.h1",)))
    errors = found(with_digest(inputs, highlights=(first, stranger)))
    assert errors.of("structure") == [
        ("error", None, "the highlight #102 is listed 0 times"),
        ("error", "h2", "#1030 is no highlight of the ranking"),
        ("error", "h2", "the plan has #102 here, not #1030"),
    ]
    assert ("known_ids", "h2") in errors.errors
    assert ("pulls_in_week", "h2") in errors.errors


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sentences_by_code_are_held_to_their_facts_only(language: Language) -> None:
    inputs = inputs_of(language)
    first, second = inputs.digest.highlights
    text = "Prefetch pages for the PagedIndex on H100."

    def by_code(words: str) -> Found:
        sentence = first.sentence.updated(origin="template", text=words)
        return found(with_digest(inputs, highlights=(first.updated(sentence=sentence), second)))

    assert by_code(text).findings == ()
    assert by_code("Fix 7 pages of the PagedIndex on H100.").errors == {("stray_digits", "h1")}


def test_a_digest_without_a_model_has_highlights_only() -> None:
    inputs = inputs_of()
    facts = with_digest(
        inputs, mode="facts", model=None, executive=(), themes=(), trends=(), risks=(), recommendations=()
    )
    assert found(facts).findings == ()
    assert ("structure", None) in found(with_digest(facts, risks=inputs.digest.risks)).errors


def test_an_empty_executive_summary_of_summarized_pull_requests_warns() -> None:
    """Any other section may be empty; so may this one where no summary is a model's."""
    empty = with_digest(inputs_of(), executive=(), trends=())
    inputs = replace(empty, plan=PLAN.updated(executive=(), trends=()))
    told = "the executive summary is empty, although pull requests were summarized"
    assert verify_digest(inputs).findings == (
        Finding(check="structure", kind="no_summary", severity="warning", item=None, message=told),
    )
    titles = tuple(fact.updated(evidence=None) for fact in PLAN.facts if fact.kind == "headline")
    assert [
        own.kind
        for own in found(
            replace(
                inputs,
                plan=PLAN.updated(
                    facts=titles, executive=(), trends=(), themes=(), risks=(), recommendations=(), highlights=()
                ),
            )
        ).findings
        if own.kind == "no_summary"
    ] == []


def test_an_empty_week_is_clean() -> None:
    empty = dict.fromkeys(("executive", "themes", "trends", "risks", "recommendations", "highlights"), ())
    inputs = replace(
        with_digest(inputs_of(), announced_highlights=0, **empty),
        plan=PLAN.updated(facts=(), **empty),
        stats=STATS.updated(counts=(STATS.counts[0].updated(value=0, pulls=()),)),
        ranking=RANKING.updated(entries=()),
        pulls={},
    )
    assert verify_digest(inputs).findings == ()


def test_each_pull_request_is_read_once_and_checks_are_counted() -> None:
    inputs = inputs_of()
    read: list[int] = []

    def lines(pull: PullRequest) -> Sequence[SourceLine]:
        read.append(pull.number)
        return inputs.lines(pull)

    verification = verify_digest(replace(inputs, lines=lines))
    assert read == [101, 102, 103]
    assert Verification.model_validate_json(verification.to_json()) == verification
    assert [(count.check, count.checked) for count in verification.checks] == [
        ("known_ids", 14),
        ("pulls_in_week", 10),
        ("quotes", 8),
        ("figures", 1),
        ("statistics", 12),
        ("stray_digits", 10),
        ("identifiers", 2),
        ("trend_words", 10),
        ("support", 10),
        ("language", 10),
        ("headings", 2),
        ("structure", 21),
        ("lines", 0),
    ]


def test_a_highlight_must_cite_its_own_pull_request() -> None:
    inputs = inputs_of()
    first, second = inputs.digest.highlights
    sentence = second.sentence.updated(claims=("p1.h1",))
    plans = (PLAN.highlights[0], HighlightPlan(pull=102, item=PlanItem(id="h2", facts=("p1.h1",))))
    wrong = replace(
        with_digest(inputs, highlights=(first, second.updated(sentence=sentence))), plan=PLAN.updated(highlights=plans)
    )
    assert ("structure", "h2") in found(wrong).errors
