"""What may and may not stand in a sentence: tables with the near misses that must not fire."""

from dataclasses import replace

import pytest
from verify_world import PULLS, found, inputs_of, with_fact

from prhub_digest.models.digest import Language
from prhub_digest.models.glossary import Term
from prhub_digest.models.summary import DefaultState
from prhub_digest.verify.occurrences import Haystack
from prhub_digest.verify.quantity_words import quantity_words
from prhub_digest.verify.tokens import code_tokens, digit_tokens, is_quantity
from prhub_digest.verify.trend_words import trend_words


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_clean_digest_has_no_findings(language: Language) -> None:
    assert found(inputs_of(language)).findings == ()


def test_a_term_of_the_glossary_has_its_chinese_name() -> None:
    """In what a sentence tells first, or where it stands in English; not in English pages."""
    named = (Term(en="prefetch step", zh="预取步骤"), Term(en="tenant", zh="租户"))
    assert found(replace(inputs_of("zh"), glossary=named)).findings == ()
    other = (Term(en="prefetch step", zh="预读步骤"),)
    assert found(replace(inputs_of("zh"), glossary=other)).of("language") == [
        ("warning", "k1", "the glossary says '预读步骤' for 'prefetch step'")
    ]
    left = replace(inputs_of("zh", k3="调度器按 tenant 限制队列。"), glossary=named)
    assert ("warning", "k3", "the glossary says '租户' for 'tenant'") in found(left).of("language")
    assert found(replace(inputs_of("en"), glossary=other)).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "twice as fast",
        "doubled the throughput",
        "cuts time by half",
        "about half of the pages",
        "half the memory",
        "three kernels",
        "a dozen backends",
        "hundreds of files",
        "tenfold gain",
        "two-thirds",
        "a third of the calls",
        "ten per cent",
        "三个 PR",
        "提升两倍",
        "提升一倍",
        "减少一半",
        "减少四成",
        "降低约一成",
        "吞吐翻倍",
        "成倍增长",
        "半数模块",
        "过半改动",
        "三分之一",
        "百分之八",
        "数十个文件",
        "十几个文件",
        "近百个文件",
        "涉及两个模块",
        "五 PR",
        "耗时三周",
        "几百次",
    ],
)
def test_quantities_in_words(text: str) -> None:
    assert [words for words, _ in quantity_words(text)] != []


@pytest.mark.parametrize(
    "text",
    [
        "one of the kernels",
        "a single kernel",
        "both kernels",
        "two-phase commit",
        "double buffering and double-free",
        "half precision",
        "half-open interval",
        "the `two kernels` flag",
        "often, tend, eighteenth-century, tenant",
        "zero-copy",
        "percentage",
        "一个新的开关",
        "一系列重构",
        "其中一项",
        "一次性加载",
        "第三方依赖",
        "第一步",
        "统一成单个接口",
        "统一内核",
        "一成不变",
        "十分重要",
        "万一失败",
        "两者",
        "两端对齐",
        "双缓冲",
        "三层缓存",
        "三次握手",
        "二次开发",
        "一致性",
        "另一方面",
        "多个后端",
        "进一步优化",
        "半精度",
        "周三合入",
        "千万不要",
        "同一个队列",
        "大半径",
    ],
)
def test_no_quantities_in_words(text: str) -> None:
    assert list(quantity_words(text)) == []


@pytest.mark.parametrize(
    "token",
    [
        "7",
        "39.3%",
        "1.35x",
        "4x",
        "15us",
        "1-2us",
        "#123",
        "PR-123",
        "pr#7",
        "16GB",
        "-7",
        "10k",
        "2026-06-01",
        "3.11",
        "3rd",
    ],
)
def test_tokens_that_are_quantities(token: str) -> None:
    assert is_quantity(token)


@pytest.mark.parametrize(
    "token", ["FP4", "topk=1", "H100", "v2", "4bit", "8-bit", "3D", "1F1B", "2.1.0", "SM90/SM100", "0x1f"]
)
def test_tokens_that_are_names(token: str) -> None:
    assert not is_quantity(token)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("支持FP4量化，在H100上。", ["FP4", "H100"]),
        ("`topk=1` (v2), then SM90-SM100.", ["topk=1", "v2", "SM90-SM100"]),
        ("耗时１２ms与③个", ["12ms", "3"]),
        ("No digits here.", []),
    ],
)
def test_digit_tokens(text: str, expected: list[str]) -> None:
    assert [token.text for token in digit_tokens(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Uses `foo()` and snake_case.", ["foo()", "snake_case"]),
        ("Adds --max-len, src/a_b/c.py and os.path.", ["--max-len", "src/a_b/c.py", "os.path"]),
        ("PagedIndex 与 `x.y` 的FlashMLA", ["x.y", "PagedIndex", "FlashMLA"]),
        ("CACHE_SPILL_MODE is set", ["CACHE_SPILL_MODE"]),
        ("GPUs, PRs, APIs and CI/CD read/write on GitHub, e.g. here. Then more", []),
        ("A well-known step -- with a dash. Plain English", []),
    ],
)
def test_code_tokens(text: str, expected: list[str]) -> None:
    assert [token.text for token in code_tokens(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Latency drops again.",
        "Once more the scheduler",
        "for the third week",
        "the second consecutive week",
        "continues to grow",
        "keeps improving",
        "is increasingly used",
        "模块持续活跃",
        "性能再次提升",
        "又一次重构",
        "连续三周下降",
        "连续第二周",
        "第三周",
        "越来越快",
        "继续保持领先",
        "较上周增加",
    ],
)
def test_trend_words(text: str) -> None:
    assert trend_words(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "Guards against overflow",
        "Adds a keepalive and keeps the old flag",
        "keeps working on old drivers",
        "continuous integration",
        "the continue statement",
        "for the whole week",
        "increasing sequence",
        "sets `again`",
        "持续集成更快",
        "可持续的设计",
        "持续批处理",
        "连续内存分配",
        "连续批处理",
        "又一次性加载",
        "不再次要",
        "进一步丰富",
        "继续使用旧接口",
        "第三方依赖",
        "本周",
    ],
)
def test_no_trend_words(text: str) -> None:
    assert trend_words(text) == []


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The `PagedIndex` prefetch step uses `topk=1` on the H100.", set()),
        ("en", "The paged index prefetch step splits into two kernels.", {("stray_digits", "k1")}),
        ("en", "The `CACHE_SPILL_MODE` of the paged index gets a prefetch step.", set()),
        ("en", "The `CACHE_SPLIT_MODE` of the paged index gets a prefetch step.", {("identifiers", "k1")}),
        ("en", "The Paged_Index prefetch step is disabled by default.", {("identifiers", "k1")}),
        ("en", "The index prefetch step of octo-demo widgets is disabled by default.", set()),
        ("en", "The prefetch step of the paged index runs on H200.", {("stray_digits", "k1")}),
        ("en", "The prefetch step of the paged index lowers TTFT by 39.3 %.", {("stray_digits", "k1")}),
        ("en", "The prefetch step of the paged index comes from #101.", {("stray_digits", "k1")}),
        ("en", "The paged index prefetch step again runs on H100.", {("trend_words", "k1")}),
        ("en", "Rewrites billing invoices for enterprise customers worldwide.", {("support", "k1")}),
        ("en", "A main change.", {("support", "k1")}),
        ("en", "See the pull request itself.", {("support", "k1")}),
        ("en", "This week.", {("support", "k1")}),
        ("en", "The prefetch step of the 分页索引 is disabled by default.", {("language", "k1")}),
        ("en", "The [paged index](x) prefetch step.", {("language", "k1")}),
        ("en", "The prefetch step for Index<bool> in the `<page>` of the paged index.", {("identifiers", "k1")}),
        ("en", "The <b>paged</b> index prefetch step.", {("language", "k1")}),
        ("en", "The paged\u202e index prefetch step.", {("language", "k1")}),
        (
            "en",
            "The paged index prefetch step, see https://example.org.",
            {("identifiers", "k1"), ("language", "k1")},
        ),
        ("en", "Paged.", {("language", "k1")}),
        ("zh", "分页索引支持 `use_fp4`，在 H100 上预取。", set()),
        ("zh", "分页索引支持 FP4，在 H100 上预取。", set()),
        ("zh", "分页索引支持 FP8，在 H100 上预取。", {("stray_digits", "k1")}),
        ("zh", "分页索引涉及三个 PR。", {("stray_digits", "k1")}),
        ("zh", "分页索引新增预取，这将使访问更稳。", {("support", "k1")}),
        ("zh", "Adds a prefetch step，分页索引默认关闭。", {("language", "k1")}),
        ("zh", "分页索引报 free list corrupted 时预取停止。", set()),
        ("en", "The paged index adds a prefetch step; this will prefetch a paged index.", {("support", "k1")}),
        ("zh", "分页索引的吞吐翻倍。", {("stray_digits", "k1")}),
        ("en", "The paged index prefetch step needs `topk=1` on H100.", set()),
        ("en", "The paged index prefetch step needs `topk=2` on H100.", {("stray_digits", "k1")}),
        ("en", "The paged index prefetch step takes `1,200 ms` on H100.", {("stray_digits", "k1")}),
        ("en", "The paged index prefetch step needs `batch 32` on H100.", {("stray_digits", "k1")}),
        ("zh", "分页索引提升３倍。", {("stray_digits", "k1")}),
        ("zh", "分页索引持续优化。", {("trend_words", "k1")}),
        ("zh", "The paged index adds a prefetch step.", {("language", "k1")}),
        ("zh", "## 分页索引新增预取步骤。", {("language", "k1")}),
        ("zh", "分页索引新增\u200b预取步骤。", {("language", "k1")}),
        ("zh", "分页索引新增 👩\u200d💻 预取步骤。", set()),
    ],
)
def test_sentences(language: Language, text: str, expected: set[tuple[str, str]]) -> None:
    assert found(inputs_of(language, k1=text)).errors == expected


@pytest.mark.parametrize(
    ("name", "held"),
    [("Preset.apply", True), ("`Preset.apply`", True), ("`Preset::apply`", True), ("Preset.aply", False)],
)
def test_a_member_is_held_by_the_lines_that_name_its_parts(name: str, held: bool) -> None:
    source = Haystack("class Preset:\n    def apply(self):")
    (token,) = code_tokens(f"It breaks {name} now.")
    assert any(all(map(source.holds, option)) for option in token.options) is held


@pytest.mark.parametrize(("word", "known"), [("True", True), ("None", True), ("Tru", False)])
def test_values_that_every_language_of_code_has_are_no_names(word: str, known: bool) -> None:
    sentence = f"PagedIndex now reads a value as `{word}`."
    assert (found(inputs_of("en", k1=sentence)).of("identifiers") == []) is known


def test_a_quantity_that_the_quote_has_itself_is_its_own() -> None:
    assert found(inputs_of("zh", k2="文档说明了三个后端的用法。")).errors == set()
    assert found(inputs_of("zh", k2="文档说明了四个后端的用法。")).errors == {("stray_digits", "k2")}
    assert found(inputs_of("zh", k2="文档由三个 PR 说明后端。")).errors == {("stray_digits", "k2")}


def test_a_chinese_sentence_names_something_of_what_it_cites() -> None:
    assert found(inputs_of("zh", h1="一个中文句子，没有说明任何内容。")).errors == {("support", "h1")}
    assert found(inputs_of("zh", h1="PagedIndex 的分页可以预取。")).errors == set()


LIMITED = "The step takes at most 256 pages of topk 32, and leaves in 0.9 (39.3 % less, by 3 authors)"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The prefetch step takes at most `256 pages` and leaves in `0.9`.", set()),
        ("en", "The prefetch step takes at most `256 pages of topk 32`.", set()),
        ("en", "The prefetch step takes at most 256 pages.", {("stray_digits", "k1")}),
        ("en", "The prefetch step takes at most `255 pages`.", {("stray_digits", "k1"), ("identifiers", "k1")}),
        ("en", "The prefetch step takes at most `56 pages`.", {("stray_digits", "k1"), ("identifiers", "k1")}),
        ("en", "The prefetch step takes `39.3 %` less.", {("stray_digits", "k1")}),
        ("en", "The prefetch step comes by `3 authors`.", {("stray_digits", "k1"), ("identifiers", "k1")}),
        ("en", "The prefetch step comes by `3` authors.", {("stray_digits", "k1")}),
        ("zh", "预取步骤 step 最多 `256` 个 pages。", set()),
        ("zh", "预取步骤 step 最多 `256 pages`，`0.9` 移除。", set()),
        ("zh", "预取步骤 step 最多 256 个 pages。", {("stray_digits", "k1")}),
        ("zh", "预取步骤 step 由 `3` 位作者完成。", {("stray_digits", "k1")}),
        ("zh", "预取步骤 step 快 `39.3 %`。", {("stray_digits", "k1")}),
    ],
)
def test_a_version_or_a_limit_is_copied_in_backticks(language: Language, text: str, expected: set[object]) -> None:
    """32 is of the figure's condition only; 39.3 is its value."""
    inputs = with_fact(inputs_of(language, k1=text), "p1.c1", text=LIMITED)
    assert found(inputs).errors == expected


def test_the_limits_of_the_pull_request_count_too_and_those_of_others_do_not() -> None:
    """p1.h1 is the headline of the pull request of k1; k3 is about another one."""
    inputs = inputs_of(
        k1="The prefetch step takes at most `256 pages`.", k3="The scheduler limits its queue to `256 pages`."
    )
    errors = found(with_fact(inputs, "p1.h1", text=LIMITED)).errors
    assert {error for error in errors if error[1] in ("k1", "k3")} == {("stray_digits", "k3"), ("identifiers", "k3")}


@pytest.mark.parametrize("text", ["0.95", "10.9", "0.9.1", "v0.9", "0.9,5"])
def test_a_part_of_another_number_is_not_copied(text: str) -> None:
    inputs = with_fact(inputs_of(k1="The prefetch step leaves in `0.9`."), "p1.c1", text=f"The step leaves in {text}")
    assert ("stray_digits", "k1") in found(inputs).errors


def test_a_name_beside_a_copied_number_is_held_as_always() -> None:
    inputs = with_fact(inputs_of(k1="The prefetch step takes `64 FP8 pages`."), "p1.c1", text="Takes 64 FP8 pages")
    assert found(inputs).errors == {("stray_digits", "k1")}
    inputs = with_fact(inputs_of(k1="The prefetch step takes `64 PagdIndex`."), "p1.c1", text="Takes 64 PagdIndex")
    assert found(inputs).errors == {("identifiers", "k1")}


@pytest.mark.parametrize(
    ("name", "held"),
    [("Tern-2", True), ("Tern-2 MoE", True), ("FP4", True), ("MI300X", True), ("Tern-3", False), ("MI300", False)],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_name_keeps_its_digits(language: Language, name: str, held: bool) -> None:
    pull = PULLS[102].updated(title="Limit scheduler queue for Tern-2 MoE in FP4 on MI300X")
    text = f"The scheduler limits its queue for {name}." if language == "en" else f"调度器按租户限制 {name} 的队列。"
    inputs = with_fact(inputs_of(language, k3=text), "p2.h1", text=pull.title)
    errors = found(replace(inputs, pulls=PULLS | {102: pull})).errors
    assert (("stray_digits", "k3") not in errors) is held


@pytest.mark.parametrize(
    ("language", "changed", "warning"),
    [
        ("en", {"k1": "The paged index adds a prefetch step on H100."}, "lost_default"),
        ("en", {"r1": "The scheduler queue limit has tests."}, "lost_negation"),
        ("zh", {"k3": "调度器未按租户限制队列。"}, "added_negation"),
        ("en", {"k3": "The scheduler limits its queue only per tenant."}, "added_limit"),
        ("zh", {"k3": "调度器仅按租户限制队列。"}, "added_limit"),
        ("en", {"k3": "The scheduler limits its queue per tenant, off by default."}, "added_default"),
        ("zh", {"k3": "调度器默认按租户限制队列。"}, "added_default"),
        ("en", {"k1": "The paged index adds a prefetch step, by default."}, "lost_default"),
        ("zh", {"k3": "调度器按租户限制 billing 队列。"}, "foreign_words"),
    ],
)
def test_cues_and_states_warn(language: Language, changed: dict[str, str], warning: str) -> None:
    findings = found(inputs_of(language, **changed)).findings
    assert [(own.severity, own.item, own.kind) for own in findings] == [("warning", *changed, warning)]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The scheduler limits its queue only per tenant.", {"kind": "scope", "text": "The queue of a tenant"}),
        ("The scheduler limits its queue only per tenant.", {"text": "At most one queue per tenant"}),
        (
            "The scheduler does not limit its queue per tenant.",
            {"text": "Nothing limits the scheduler queue per tenant"},
        ),
        (
            "The scheduler limits its queue per tenant, off by default.",
            {"text": "Scheduler limits queue if --q is set"},
        ),
    ],
)
def test_what_the_wording_was_shown_backs_a_cue(text: str, fact: dict[str, str]) -> None:
    inputs = inputs_of(k3=text)
    assert found(inputs).of("support") != []
    told = inputs.plan.fact("p2.c1").updated(id="p2.x1", **{"kind": "condition", **fact})
    assert found(replace(inputs, plan=inputs.plan.updated(facts=(*inputs.plan.facts, told)))).of("support") == []


@pytest.mark.parametrize(
    ("text", "state", "warned"),
    [
        ("The scheduler limits its queue per tenant, off by default.", "off", False),
        ("The scheduler limits its queue per tenant, off by default.", "on", True),
        ("The scheduler by default limits its queue per tenant.", "on", False),
        ("The scheduler by default limits its queue per tenant.", "off", True),
        ("The scheduler by default limits its queue per tenant.", "unknown", True),
    ],
)
def test_a_default_is_that_of_the_summary(text: str, state: DefaultState, warned: bool) -> None:
    kinds = [own.kind for own in found(replace(inputs_of(k3=text), defaults={102: state})).findings]
    assert kinds == (["added_default"] if warned else [])


def test_not_only_is_no_negation() -> None:
    inputs = with_fact(
        inputs_of("zh", k3="调度器按租户限制队列，而不只看长度。"),
        "p2.c1",
        text="Limits per tenant, not only by length",
    )
    assert found(inputs).findings == ()


def test_a_sentence_about_counts_alone_speaks_as_a_digest_does() -> None:
    said = "Index is the most frequent area among the merged pull requests, and documentation follows."
    assert found(inputs_of(t1=said)).findings == ()
    other = "Engineers in index rewrote billing invoices for customers."
    assert found(inputs_of(t1=other)).errors == {("support", "t1")}


def test_marks_that_only_warn() -> None:
    text = "The **paged** index prefetch step, disabled by default"
    assert found(inputs_of(k1=text)).of("language") == [
        ("warning", "k1", "the text holds bold marks"),
        ("warning", "k1", "the sentence has no end mark"),
    ]
