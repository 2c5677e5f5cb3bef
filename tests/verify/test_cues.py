"""Cues beside the words that they belong to: what is said the other way round, and what says the same."""

from dataclasses import replace

import pytest
from verify_world import FIGURE, PULLS, found, inputs_of, with_digest, with_fact

from prhub_digest.models.digest import Language
from prhub_digest.models.plan import FactKind
from prhub_digest.models.summary import DefaultState
from prhub_digest.verify import VerifyInput
from prhub_digest.verify.clauses import clauses, focus, stem
from prhub_digest.verify.cue_words import CUES

NEGATION = CUES[0]
FREES = "The scheduler limits its queue per tenant and frees idle pages"
LIMITED = "It does not retry requests of other workers; only batch jobs may wait"


def cited(text: str, *, language: Language = "en", kind: FactKind = "claim", other: str = LIMITED) -> VerifyInput:
    """k3 says `text` of two facts of pull request 102: `FREES`, and `other` of a `kind`."""
    inputs = with_fact(
        with_fact(inputs_of(language, k3=text), "p2.c1", text=FREES), "p2.r1", text=other, kind=kind, evidence=None
    )
    *first, theme = inputs.digest.themes
    sentences = tuple(own.updated(claims=("p2.c1", "p2.r1")) for own in theme.sentences)
    return with_digest(inputs, themes=(*first, theme.updated(sentences=sentences)))


def kinds(inputs: VerifyInput) -> list[tuple[str, str]]:
    """What the check of support finds in k3."""
    return [(own.severity, own.kind) for own in found(inputs).findings if own.item == "k3" and own.check == "support"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The scheduler does not limit its queue per tenant; it does not retry requests of workers.", "added_negation"),
        ("The scheduler limits its queue per tenant, and does not free idle pages.", "added_negation"),
        ("The scheduler limits its queue per tenant, and retries requests of other workers.", "lost_negation"),
        ("The scheduler limits only its queue per tenant and frees idle pages.", "added_limit"),
        ("The scheduler frees all idle pages.", "added_universal"),
        ("The scheduler still limits its queue per tenant and frees idle pages.", "added_lasting"),
        ("The scheduler limits its queue per tenant and frees idle pages because of slow cards.", "added_cause"),
    ],
)
def test_a_cue_at_other_words_than_in_the_fact(text: str, kind: str) -> None:
    assert kinds(cited(text)) == [("warning", kind)]


@pytest.mark.parametrize(
    "text",
    [
        "The scheduler limits its queue per tenant and frees idle pages; it does not retry requests of other workers.",
        "The scheduler limits its queue per tenant, and doesn't retry requests of other workers.",
        "The scheduler no longer keeps idle pages, and limits its queue per tenant.",
        "Only batch jobs may wait: the scheduler limits its queue per tenant.",
        "The scheduler limits its queue per tenant because it frees idle pages.",
    ],
)
def test_a_cue_at_the_same_words(text: str) -> None:
    assert kinds(cited(text)) == []


def test_of_chinese_negations_are_counted() -> None:
    """Whatever may be told by one counts: `only` and `unquantized`, too."""
    one = "调度器 scheduler 按租户限制队列，不重试其他 worker 的请求。"
    other = "It does not retry requests of other workers"
    two = one.replace("按租户", "不按租户")
    assert kinds(cited(one, language="zh", other=other)) == []
    assert kinds(cited(two, language="zh", other=other)) == [("warning", "added_negation")]
    assert kinds(cited(one.replace("重试", "再重试"), language="zh", other=other)) == []
    assert kinds(cited(two, language="zh", other=f"{other}; only batch jobs wait")) == []


def test_a_chinese_sentence_tells_the_scope_that_it_cites() -> None:
    """As a limit, or as a condition."""
    for text, lost in (
        ("仅 batch 作业由 scheduler 处理。", False),
        ("提交 batch 作业时由 scheduler 处理。", False),
        ("batch 作业由 scheduler 处理。", True),
    ):
        inputs = cited(text, language="zh", kind="scope", other="Only the queue of batch jobs")
        assert kinds(inputs) == ([("warning", "lost_limit")] if lost else [])


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "A large batch may starve the scheduler queue.", []),
        ("en", "A large batch starves the scheduler queue.", [("warning", "lost_hedge")]),
        ("zh", "大的 batch 可能饿死 scheduler 队列。", []),
        ("zh", "大的 batch 饿死 scheduler 队列。", [("warning", "lost_hedge")]),
    ],
)
def test_the_doubt_of_a_risk_is_kept(language: Language, text: str, expected: list[tuple[str, str]]) -> None:
    fact = "A large batch may starve the scheduler queue"
    assert kinds(cited(text, language=language, kind="risk", other=fact)) == expected
    assert kinds(cited(text, language=language, kind="claim", other=fact)) == []


@pytest.mark.parametrize(
    ("language", "text", "state", "error"),
    [
        ("en", "The scheduler limits its queue per tenant, on by default.", "off", True),
        ("en", "The scheduler limits its queue per tenant, on by default.", "on", False),
        ("en", "The scheduler limits its queue per tenant, off by default.", "on", True),
        ("en", "The scheduler limits its queue per tenant before it is on by default.", "off", False),
        ("zh", "调度器 scheduler 默认启用，按租户限制队列。", "off", True),
        ("zh", "调度器 scheduler 默认启用前，按租户限制队列。", "off", False),
        ("zh", "调度器 scheduler 按租户限制队列，默认开启。", "off", True),
        ("zh", "调度器 scheduler 按租户限制队列，默认关闭。", "off", False),
    ],
)
def test_a_default_told_the_other_way_round_is_an_error(
    language: Language, text: str, state: DefaultState, error: bool
) -> None:
    inputs = replace(inputs_of(language, k3=text), defaults={102: state})
    assert (("error", "added_default") in kinds(inputs)) is error


@pytest.mark.parametrize(
    ("language", "text", "turned"),
    [
        ("en", "Prefetch of pages for the PagedIndex on H100 raises TTFT.", True),
        ("en", "Prefetch of pages for the PagedIndex on H100 cuts TTFT.", False),
        ("zh", "在 H100 上为 PagedIndex 预取分页，TTFT 上升。", True),
        ("zh", "在 H100 上为 PagedIndex 预取分页，缩短 TTFT。", False),
    ],
)
def test_a_direction_is_that_of_what_is_cited(language: Language, text: str, turned: bool) -> None:
    """h1 cites a figure of TTFT that goes down."""
    turns = [own.kind for own in found(inputs_of(language, h1=text)).findings if own.item == "h1"]
    assert turns == (["other_direction"] if turned else [])


def test_a_direction_belongs_to_its_metric() -> None:
    """Throughput rises in the same quote, and so may it in the sentence; TTFT may not."""
    both = with_fact(inputs_of(), "p1.h1", text="Prefetch pages: throughput rises, TTFT drops")
    figure = FIGURE.updated(metric="throughput", direction="up")
    fact = both.plan.fact("p1.f1").updated(id="p1.f2", figure=figure, text="throughput")
    plan = both.plan.updated(facts=(*both.plan.facts, fact))
    for text, turned in (("throughput rises, and TTFT drops", False), ("throughput rises, and TTFT rises", True)):
        inputs = replace(both, plan=plan, digest=inputs_of(h1=f"With the prefetch of pages, {text}.").digest)
        assert ("other_direction" in [own.kind for own in found(inputs).findings]) is turned


def test_a_person_of_another_pull_request() -> None:
    """lin-demo wrote them all; the reviewer looked at 101 alone."""
    threads = tuple(
        thread.updated(
            comments=tuple(own.updated(author=own.author.updated(login="mo-demo")) for own in thread.comments)
        )
        for thread in PULLS[101].threads or ()
    )
    pulls = PULLS | {101: PULLS[101].updated(threads=threads)}
    said = "The scheduler limits its queue per tenant, as {} asked."
    for login, error in (("lin-demo", False), ("Mo-Demo", True), ("per-tenant", False)):
        inputs = replace(inputs_of(k3=said.format(login)), pulls=pulls)
        assert (("support", "k3") in found(inputs).errors) is error


def test_clauses_and_the_words_near_a_cue() -> None:
    text = "It frees pages, but does not retry requests of other workers: `worker_lost` is not called."
    cues = NEGATION.plainly
    assert [sorted(clause.words) for clause in clauses(text, cues)] == [
        ["fr", "pag"],
        ["oth", "request", "retr", "worker"],
        ["cal", "lost", "work"],
    ]
    near = [sorted(focus(text, match, cues).words) for match in NEGATION.strict.finditer(text)]
    assert near == [["oth", "request", "retr"], ["cal", "lost", "work"]]
    assert [stem(word) for word in ("caching", "cached", "caches", "cache")] == ["cach"] * 4
