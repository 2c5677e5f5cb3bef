"""The page as a whole: golden files, and what must hold for each section."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_reader import read, table_rows
from render_week import (
    FACTS,
    TITLES,
    WEB_URL,
    collection,
    digest,
    empty_week,
    facts_week,
    flag_names,
    plan,
    quote,
    summary,
    thread,
    verification,
    week,
)

from prhub_digest.errors import PrhubError
from prhub_digest.models.digest import Language, Sentence
from prhub_digest.models.period import Period
from prhub_digest.models.plan import Fact
from prhub_digest.models.pull_request import Completeness
from prhub_digest.models.signals import Signals
from prhub_digest.models.stats import Count
from prhub_digest.models.verification import Finding
from prhub_digest.render.json import render_json
from prhub_digest.render.markdown import render_markdown
from prhub_digest.render.phrases import say
from prhub_digest.render.text import render_text
from prhub_digest.render.view import RenderInput, View, build_view

GOLDEN = Path(__file__).parent / "golden"
WEEKS: dict[str, Callable[[Language], RenderInput]] = {"week": week, "facts": facts_week, "empty": empty_week}
FORMATS: dict[str, Callable[[View], str]] = {"md": render_markdown, "txt": render_text, "json": render_json}
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def section_text(markdown: str, heading: str) -> str:
    return markdown.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", WEEKS)
@pytest.mark.parametrize("kind", FORMATS)
def test_golden(language: Language, name: str, kind: str) -> None:
    """Whole outputs; after a wanted change, write the new ones from the same calls and read the difference."""
    rendered = FORMATS[kind](build_view(WEEKS[name](language)))
    assert rendered == (GOLDEN / f"{name}.{language}.{kind}").read_bytes().decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pull_request_is_reachable_and_every_link_leads_into_the_repository(language: Language) -> None:
    found = read(render_markdown(build_view(week(language))))
    assert {text for text, _ in found.links if text.startswith("#")} == {f"#{number}" for number in TITLES}
    for text, address in found.links:
        expected = f"{WEB_URL}/pull/{text[1:]}" if text.startswith("#") else f"{WEB_URL}/pull/9#discussion_t"
        assert address.startswith(expected)
    for title in TITLES.values():
        assert title.replace("`", "").replace("\x1b", "\\x1b") in found.text


def test_a_missing_summary_is_named() -> None:
    """H-18: 102 has no summary; the counts come from data."""
    found = read(render_markdown(build_view(week("en")))).text
    assert "2 of 4 PRs not summarised: #102 (the reply was not JSON); #103 (cut at its limit)." in found
    assert "#102 Split cfg | merge (by a bot; not summarised: the reply was not JSON)" in found


@pytest.mark.parametrize(
    ("cited", "message"),
    [
        ({"claims": ("p9.c9",)}, "unknown fact 'p9.c9'"),
        ({"stats": ("flags.none",)}, "unknown statistic 'flags.none'"),
        ({"claims": ("p5.c1",)}, "cites #1030, which is not of this period"),
    ],
)
def test_an_unknown_id_is_an_error(cited: dict[str, tuple[str, ...]], message: str) -> None:
    """H-18: the slot for 1030 is an error, never a blank."""
    wrong = digest("en").executive[0].updated(**cited)
    stranger = Fact(id="p5.c1", kind="claim", pull=1030, text="not of this week")
    given = week("en", digest=digest("en").updated(executive=(wrong,)), plan=plan().updated(facts=(*FACTS, stranger)))
    with pytest.raises(PrhubError, match=message):
        build_view(given)


def test_citations_stand_before_the_stop_in_both_languages() -> None:
    chinese = read(render_markdown(build_view(week("zh")))).text
    assert "预取让首 token 更快（平均 TTFT 412 → 251 ms，page size 64）。" in chinese
    english = read(render_markdown(build_view(week("en")))).text
    cited = "area core 3 / 4 PRs, of which 2 belong to a change and its revert"
    assert f"Most changes touched the core ({cited})." in english
    assert "may stay held (code without tests 1 / 4 PRs) (#9)!" in english
    assert "Release the lock in every branch (#9) (answers risk 1)." in english


def test_each_pull_request_once_a_sentence() -> None:
    summary = section_text(render_markdown(build_view(week("en"))), "Executive summary")
    assert summary.count("pull/101") == summary.count("pull/9)") == 1


def test_as_many_highlights_as_announced() -> None:
    for language in LANGUAGES:
        given = week(language)
        listed = section_text(render_markdown(build_view(given)), say(language, "section.highlights"))
        assert listed.count("\n- ") == given.digest.announced_highlights


def test_facts_only_has_no_section_of_prose() -> None:
    keys = [section.key for section in build_view(facts_week("en")).sections]
    assert keys == ["statistics", "risks", "highlights", "pulls", "closing"]
    rows = table_rows(render_markdown(build_view(facts_week("en"))))
    assert ["#101", "Fix a | b parsing of Task<bool>", "7.2", "core"] in rows


def test_empty_sections_say_so() -> None:
    nothing = digest("en").updated(executive=(), themes=(), risks=(), recommendations=())
    rendered = render_markdown(build_view(week("en", digest=nothing)))
    for heading in ("Executive summary", "Key changes", "Recommendations"):
        assert section_text(rendered, heading) == "\nNothing this week.\n"
    assert section_text(rendered, "Risks").startswith("\nNothing this week.\n\n### Risk flags")


def test_an_unknown_flag_is_not_zero() -> None:
    rows = table_rows(section_text("\n" + render_markdown(build_view(week("en"))), "Risks"))
    assert [row[:4] for row in rows if row[0] in ("code without tests", "large change", "no approval")] == [
        ["code without tests", "1 / 4", "", "#9"],
        ["no approval", "0 / 1", "3", ""],
    ]
    unknown = "Not known of any PR, since the source does not tell: "
    (told,) = (line for line in render_markdown(build_view(week("en"))).splitlines() if unknown in line)
    assert "large change" in told
    assert len(rows) + len(told.partition(unknown)[2].split(", ")) == 1 + len(flag_names())


def test_flags_that_are_all_known_have_no_column_for_what_is_not() -> None:
    given = week("en")
    known = (count for count in given.stats.counts if count.group != "flags" or count.denominator == 4)
    view = build_view(replace(given, stats=given.stats.updated(counts=tuple(known))))
    lines = render_markdown(view).splitlines()
    assert "| Flag | PRs | Which |" in lines
    assert any(line.startswith("| code without tests | 1 / 4 | [#9]") for line in lines)


def test_a_source_without_review_threads_says_so() -> None:
    given = week("en")
    blind = Signals(areas=(), pulls=tuple(item.updated(threads=None) for item in given.signals.pulls))
    assert "The source knows no review threads." in render_text(build_view(replace(given, signals=blind)))


@pytest.mark.parametrize(
    ("language", "unread", "none_read"),
    [
        (
            "en",
            "The review threads could not be read.",
            "Of the review threads that could be read, none was left open.",
        ),
        ("zh", "未能读取评审讨论。", "已读取的评审讨论中，没有遗留未关闭的。"),
    ],
)
def test_threads_that_could_not_be_read_are_not_threads_that_the_source_does_not_know(
    language: Language, unread: str, none_read: str
) -> None:
    given = week(language)
    cut = {
        number: replace(head, completeness=Completeness(conversation="partial", notes=("not given",)))
        for number, head in given.pulls.items()
    }
    none, quiet = (
        Signals(areas=(), pulls=tuple(item.updated(threads=threads) for item in given.signals.pulls))
        for threads in (None, ())
    )
    rendered = render_text(build_view(replace(given, pulls=cut, signals=none)))
    assert (unread in rendered, say(language, "threads.unknown") in rendered) == (True, False)
    rendered = render_text(build_view(replace(given, pulls=cut, signals=quiet)))
    assert (none_read in rendered, say(language, "threads.none") in rendered) == (True, False)
    assert say(language, "threads.absent") in render_text(build_view(replace(given, signals=quiet)))


@pytest.mark.parametrize(
    ("language", "reasons"),
    [
        ("en", ("not resolved after 1 reply", "not resolved after 2 replies")),
        ("zh", ("1 条回复后仍未解决", "2 条回复后仍未解决")),
    ],
)
def test_reasons_of_open_threads_are_told_in_the_language(language: Language, reasons: tuple[str, str]) -> None:
    given = week(language)
    threads = tuple(
        thread(f"t{n}", "open", f"not resolved after {n} {'reply' if n == 1 else 'replies'}", "low", "src/a.py", n)
        for n in (1, 2)
    )
    signals = Signals(areas=(), pulls=tuple(item.updated(threads=threads) for item in given.signals.pulls))
    rendered = render_text(build_view(replace(given, signals=signals)))
    for reason in reasons:
        assert f"{say(language, 'mark.open')}{reason}{say(language, 'mark.close')}" in rendered


def test_a_number_of_threads_left_open_says_what_it_counts() -> None:
    for language in LANGUAGES:
        meaning = say(language, "threads.open_means")
        given = facts_week(language)
        assert meaning in render_text(build_view(given))
        others = tuple(count for count in given.stats.counts if count.group != "threads")
        assert meaning not in render_text(build_view(replace(given, stats=given.stats.updated(counts=others))))


def test_a_long_title_is_cut_wherever_it_stands() -> None:
    """Also as the sentence of a template, which is the title when no model told more."""
    title = "T" * 5000
    full = digest("en")
    told = tuple(h.updated(sentence=h.sentence.updated(text=title + ".", origin="template")) for h in full.highlights)
    for given in (week("en", digest=full.updated(highlights=told)), facts_week("en")):
        heads = {number: replace(head, title=title) for number, head in given.pulls.items()}
        for kind in FORMATS.values():
            rendered = kind(build_view(replace(given, pulls=heads)))
            assert "T" * 400 + "…" in rendered
            assert "T" * 401 not in rendered
    rendered = render_text(build_view(week("en", digest=full.updated(highlights=told))))
    assert "T" * 400 + " (mean TTFT 412 → 251 ms, page size 64)…" in rendered


@pytest.mark.parametrize(
    "address", [None, "javascript:alert(1)", "https://x.test/a b", "https://x.test/a)", "https://u:p@h/o/r"]
)
def test_without_a_usable_address_there_are_no_links(address: str | None) -> None:
    found = read(render_markdown(build_view(week("en", collection=collection(web_url=address)))))
    assert found.links == ()
    assert "#101 Fix a | b parsing" in found.text


def test_a_thread_that_leads_elsewhere_is_not_linked() -> None:
    given = week("en")
    moved = [
        item.updated(threads=tuple(t.updated(url="https://evil.test/pull/9") for t in item.threads or ()))
        for item in given.signals.pulls
    ]
    rendered = render_markdown(build_view(replace(given, signals=Signals(areas=(), pulls=tuple(moved)))))
    assert "evil.test" not in rendered


def test_text_shows_titles_as_typed_and_control_bytes_as_escapes() -> None:
    """H-23 in the text format."""
    rendered = render_text(build_view(week("en")))
    assert "#101 Fix `a | b` parsing of Task<bool> (reverted by #103)" in rendered
    assert "#103 Revert: [i18n] zh \\x1b[2J :smile: (reverts #101; not summarised: cut at its limit)" in rendered
    assert not {character for character in rendered if ord(character) < 32} - {"\n"}


def test_json_is_readable_by_a_script() -> None:
    text = render_json(build_view(week("zh")))
    assert "执行摘要" in text
    page = json.loads(text)
    highlights = next(section for section in page["sections"] if section["key"] == "highlights")
    first = highlights["blocks"][1]["lines"][0]
    assert first["data"] == {"pull": 101, "importance": 7.25, "area": "core"}
    assert first["sentence"] == "预取让首 token 更快。"
    assert [citation["ref"] for citation in first["citations"]] == ["p1.f1"]
    assert first["evidence"][0] == {
        "claim": "p1.h1",
        "pull": 101,
        "url": f"{WEB_URL}/pull/101",
        "quote": "faster parsing",
        "place": "src/cache.py:12",
    }


def test_json_escapes_what_a_terminal_would_obey() -> None:
    sly = FACTS[0].updated(evidence=quote("a\x9b31m \u202e b"))
    given = week("en", plan=plan().updated(facts=(sly, *FACTS[1:])))
    text = render_json(build_view(given))
    assert '"quote": "a\\u009b31m \\u202e b"' in text
    assert json.loads(text)["sections"][0]["blocks"][0]["lines"][0]["evidence"][0]["quote"] == "a\x9b31m \u202e b"


def test_failed_checks_are_told() -> None:
    found = (
        Finding(check="language", kind="no_end_mark", severity="warning", item="h2", message="m"),
        Finding(check="structure", kind="unlike_plan", severity="warning", item=None, message="m"),
        Finding(check="known_ids", kind="unplanned", severity="error", item="k9", message="m"),
        Finding(check="identifiers", kind="unknown_name", severity="error", item="k1", message="m", about="a of #9"),
        Finding(check="lines", kind="unlike_english", severity="error", item="101.headline", message="m"),
    )
    closing = section_text(
        render_markdown(build_view(week("en", verification=verification("en").updated(findings=found)))) + "\n## ",
        "About this digest",
    )
    assert (
        """
- 7 sentences checked by code (13 checks); not all passed, see below.
- To be read with care: 5 places.
  - error · the whole digest: a planned sentence is missing, or one that was not planned stands here
  - error · `#101`: the translation differs from the English line
  - error · Key changes, Parsing and guards (core, docs), 1: a name that no cited PR has: a of `#9`
  - warning · the whole digest: order or parts differ from the plan
  - warning · Highlighted PRs, 2: no end mark
"""
        in closing
    )


def test_a_heading_is_set_like_a_sentence_and_its_areas_stand_beside_it() -> None:
    theme = week("zh").digest.themes[0]
    assert theme.heading is not None
    named = theme.updated(heading=theme.heading.updated(text="`KV`缓存与prefill"))
    headings = [
        build_view(week("zh", digest=week("zh").digest.updated(themes=(own,)))).sections[1].parts[0].heading
        for own in (named, theme.updated(heading=None))
    ]
    assert headings == ["KV 缓存与 prefill（core、docs）", "core、docs"]


def test_a_long_list_of_findings_is_cut() -> None:
    found = tuple(
        Finding(check="support", kind="foreign_words", severity="warning", item="k1", message="m", about=f"word{n}")
        for n in range(30)
    )
    given = week("zh", verification=verification("zh").updated(findings=found))
    rendered = render_text(build_view(given))
    place = "警告 · 本周重点变化，解析与保护（core、docs），第 1 句：所引内容中没有的词："
    assert rendered.count(f"\n  - {place}word") == 12
    assert "word11\n  - 另有 18 项\n" in rendered


@pytest.mark.parametrize(
    ("templates", "told"),
    [
        (("n1",), "1 of 7 sentences are templates"),
        ((), None),
        (("h1",), None),
        (("h1", "e1"), "2 of 7 sentences are templates"),
    ],
)
def test_templates_are_told_at_the_top_when_they_matter(templates: tuple[str, ...], told: str | None) -> None:
    """A whole section, or more than a quarter of all."""
    full = digest("en")

    def worded(sentence: Sentence) -> Sentence:
        return sentence.updated(origin="template" if sentence.item in templates else "model")

    changed = full.updated(
        executive=tuple(map(worded, full.executive)),
        highlights=tuple(h.updated(sentence=worded(h.sentence)) for h in full.highlights),
        recommendations=tuple(r.updated(sentence=worded(r.sentence)) for r in full.recommendations),
    )
    facts = build_view(week("en", digest=changed)).facts
    assert [fact for fact in facts if "templates" in fact] == ([told] if told else [])


def test_a_cut_list_says_how_many_more() -> None:
    given = week("en", digest=digest("en").updated(trends=(), risks=()))
    labels = tuple(Count(path=f"labels.l{n:02}", value=1, unit="pulls", pulls=(9,)) for n in range(11))

    def rendered(count: int) -> str:
        return render_text(build_view(replace(given, stats=given.stats.updated(counts=labels[:count]))))

    assert (
        "- Labels: l00 (1), l01 (1), l02 (1), l03 (1), l04 (1), l05 (1), l06 (1), l07 (1), and 3 more.\n"
        in rendered(11)
    )
    assert "l08 (1), l09 (1).\n" in rendered(10)


def test_headlines_stand_below_titles_only_when_they_are_grounded_and_differ() -> None:
    same, ungrounded = (
        summary(9, headline=TITLES[9] + ".", headline_evidence=quote("x")),
        summary(9, headline="It guards", headline_evidence=None),
    )
    for own in (same, ungrounded):
        assert "\n  - " not in section_text(
            render_markdown(build_view(week("en", summaries={9: own}))), "All merged PRs by area"
        )


def test_what_was_reverted_gets_no_headline() -> None:
    """It would tell the change as lasting; that it was reverted is said beside the title."""
    assert week("en").summaries[101].headline_evidence is not None
    rendered = render_text(build_view(week("en")))
    assert "Task<bool> (reverted by #103)\n- #" in rendered
    assert "parse faster" not in rendered
    assert "\n  - The guard of `Task<bool>` holds; cc @octocat\n" in rendered


@pytest.mark.parametrize(
    ("language", "title", "label"), [("en", "(no title)", "(empty)"), ("zh", "（无标题）", "（空）")]
)
@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_empty_titles_and_labels_are_named(language: Language, title: str, label: str, blank: str) -> None:
    labels = (Count(path=f"labels.{blank}", value=1, unit="pulls", pulls=(9,)),)
    for given in (week(language), facts_week(language)):
        pulls = {number: replace(head, title=blank) for number, head in given.pulls.items()}
        bare = replace(given, pulls=pulls, stats=given.stats.updated(counts=labels))
        if given.digest.mode == "model":
            bare = replace(bare, digest=given.digest.updated(trends=(), risks=(), recommendations=()))
        rendered = render_markdown(build_view(bare))
        for number in TITLES:
            assert f"[#{number}]({WEB_URL}/pull/{number}) {title}" in rendered
        assert label in rendered


def test_what_was_not_read_in_full_is_linked() -> None:
    given = week("en", partly_read=(9, 102))
    found = read(render_markdown(build_view(given)))
    assert "Read in full: 3 of 4 PRs; 1 in part or by name only: #9, #102." in found.text
    complete = replace(given, coverage=given.coverage.model_copy(update={"pulls_complete": 4}), partly_read=())
    assert "All 4 PRs were read in full." in render_text(build_view(complete))


def test_highlights_are_announced_with_their_rule() -> None:
    """103 reverts 101: the two are one change."""
    rendered = render_text(build_view(week("en")))
    assert "highlights: 2 of 3 changes" in rendered
    assert (
        "2 of 3 changes, by importance (0 to 10)."
        " A page shows 30 % of the changes at most, or one, and never more than 24. A revert" in rendered
    )
    without = render_text(build_view(week("zh", highlight_rule=None)))
    assert "从 3 项改动中按重要性（0 至 10）选出 2 项。回退与被它回退的 PR、同一系列的各部分" in without


def test_deferred_threads_have_a_list_of_their_own() -> None:
    risks = next(section for section in build_view(week("en")).sections if section.key == "risks")
    assert [part.key for part in risks.parts] == ["risks.flags", "risks.threads", "risks.deferred"]
    given = week("en")
    none = Signals(areas=(), pulls=tuple(item.updated(threads=()) for item in given.signals.pulls))
    risks = next(section for section in build_view(replace(given, signals=none)).sections if section.key == "risks")
    assert [part.key for part in risks.parts] == ["risks.flags", "risks.threads"]


def test_a_period_that_is_no_week() -> None:
    period = Period.from_dates("2026-06-01", "2026-06-04")
    view = build_view(week("en", digest=digest("en").updated(period=period)))
    assert view.title == "octo-demo/widgets: pull request digest"
    assert view.facts[0] == "2026-06-01 to 2026-06-03 (UTC)"
