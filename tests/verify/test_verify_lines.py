"""Translated lines: what is right passes, and each way of being wrong is found."""

from dataclasses import replace

import pytest
from verify_world import FIGURE, PLAN, found, inputs_of, with_digest, with_fact

from prhub_digest.models.digest import TranslatedLine
from prhub_digest.models.glossary import Term
from prhub_digest.models.llm import Usage
from prhub_digest.verify import verify_digest
from prhub_digest.verify.inputs import VerifyInput
from prhub_digest.verify.lines import line_faults

CLIENTS = (
    "Clients get their limit: chat completions honour `max_tokens`, and `--old-length` is deprecated, not removed."
)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (CLIENTS, "客户端能得到其长度限制：聊天补全遵循 `max_tokens`，`--old-length` 被弃用，但未移除。"),
        ("retractions", "撤回次数"),
        ("output throughput, change", "输出吞吐，变化幅度"),
        (
            "one node, 8x H200, Heron-14B TP8, page size 64, ShareGPT-like trace, host hit rate of 0.71, rate 24/s",
            "单节点，8 张 H200，Heron-14B TP8，page size 64，类 ShareGPT 流量，主机命中率 0.71，请求速率每秒 24",
        ),
        ("factor=4, head_dim=128, original length 32K, fp32", "factor=4，head_dim=128，原始长度 32K，fp32"),
        ("5-shot, greedy; baseline is the reference implementation", "5-shot，贪心解码；基线为参考实现"),
        ("4 runners instead of 1; the value is approximate", "4 个 runner 而非 1 个；数值为近似值"),
        (
            "Prefill hit illegal memory access with LoRAs loaded, so it is off by default again.",
            "加载 LoRA 时预填充会触发非法内存访问，因此重新默认关闭。",
        ),
        ("the old table stays; nothing uses the new one yet", "旧表保留；目前没有任何代码使用新表"),
        ("unsupported models fail at start", "启动时不支持的模型会失败，无法运行"),
        ("wall clock, 1,200 ms before", "总耗时，此前 1200 毫秒"),
        ("FP4/FP8 weights, 9 % smaller", "FP4 和 FP8 权重，小 9%"),
        ("no more than 8 workers", "最多 8 个 worker"),
        ("Petrel MoE 16x3B, TP1, ROCm 6.4", "Petrel MoE 16x3B，TP1，ROCm 6.4"),
    ],
)
def test_a_fair_translation_passes(english: str, chinese: str) -> None:
    assert line_faults(english, chinese, "zh") == []


@pytest.mark.parametrize(
    ("english", "chinese", "fault"),
    [
        ("at 8 workers", "在 6 个 worker 时", "its numbers differ from the English line's: lost 8; added 6"),
        ("four shards", "4 个分片", "its numbers differ from the English line's: lost none; added 4"),
        (
            "page size 64, then page size 64",
            "页大小 64",
            "its numbers differ from the English line's: lost 64; added none",
        ),
        ("reads `a_b` first", "先读取 a_b", "the code `a_b` is lost"),
        ("reads a file first", "先读取 `open` 文件", "the code `open` is added"),
        ("reads a file first", "先读取`文件", "a backtick is not closed"),
        ("on Tern-2 only", "仅限 Tern 2", "the name 'Tern-2' is lost"),
        ("the FlatPageTable is new", "页表是新的", "the name 'FlatPageTable' is lost"),
        ("the option --keep is new", "该选项是新的", "the name '--keep' is lost"),
        ("the table is new", "PageTable 是新的", "the name 'PageTable' is added"),
        ("the cache is not cleared", "缓存会清空", "a negation is lost"),
        ("the cache is cleared", "缓存不再清空", "it has 不再, which the English line has not"),
        ("only chat requests", "聊天请求", "“only” is lost"),
        ("the cache is on by default", "缓存开启", "“by default” is lost"),
        ("in a step of 9 ms", "在 9 秒的一步中", "the unit ms is lost"),
        ("a card of 80 GB", "80 的显卡", "the unit of bytes is lost"),
        ("a queue", "队列" * 20, "it has 40 characters, the English line 7"),
        (CLIENTS, "客户端有限制", "it has 6 characters, the English line 109"),
        ("a queue", "[队列](x)", "it holds markup or control characters that the English line has not: “[” “]”"),
        ("a queue", "**队列**", "it holds markup or control characters that the English line has not: “*”"),
        ("a queue", "队\u200b列", "it holds markup or control characters that the English line has not"),
        ("a queue", "队列 https://x.test", "it holds an address"),
        ("a queue", "@octocat 的队列", "it holds markup or control characters that the English line has not: “@”"),
        ("a queue of pages", "a queue of pages", "it is not in Chinese"),
        ("Mean TTFT", "Mean TTFT", "it is not in Chinese"),
        ("Retractions", "Retractions", "it is not in Chinese"),
        ("Petrel MoE 16x3B, TP1", "MoE 16x3B，TP1", "it is not in Chinese"),
        ("a queue that holds pages", "队列 a queue that holds pages", "'queue that holds pages' is left in English"),
    ],
)
def test_what_is_lost_or_added_is_named(english: str, chinese: str, fault: str) -> None:
    assert fault in line_faults(english, chinese, "zh")


def lines_of(*lines: tuple[str, str | None]) -> VerifyInput:
    translated = tuple(TranslatedLine(id=name, text=text) for name, text in lines)
    return with_digest(inputs_of("zh"), lines=translated)


THREAD, METRIC, CONDITION = "101.thread.RT_1", "p1.f1.metric", "p1.f1.condition"


def test_every_line_of_the_digest_is_held_against_its_english_line() -> None:
    clean = lines_of((THREAD, "淘汰锁存在竞态"), (METRIC, None), (CONDITION, "H100 上 batch 32"))
    assert found(clean).of("lines") == []
    edited = lines_of((THREAD, "淘汰锁存在竞态"), (CONDITION, "H100 上 batch 64"))
    fault = "its numbers differ from the English line's: lost 32; added 64"
    assert found(edited).of("lines") == [("error", CONDITION, fault)]


def test_a_line_that_the_plan_does_not_have_or_that_stands_twice() -> None:
    given = lines_of(("101.headline", "分页"), (THREAD, "淘汰锁存在竞态"), (THREAD, "淘汰锁存在竞态"))
    assert found(given).of("lines") == [
        ("error", "101.headline", "the plan has no line '101.headline'"),
        ("error", THREAD, f"the line {THREAD!r} is translated more than once"),
    ]


def test_lines_that_stay_english_are_one_warning_whether_refused_missing_or_deleted() -> None:
    given = replace(lines_of((METRIC, None), (CONDITION, "H100 上 batch 32")), shown_lines=(METRIC, CONDITION, THREAD))
    verification = verify_digest(given)
    (left,) = (own for own in verification.findings if own.check == "lines")
    assert (left.severity, left.kind, left.item, left.about) == ("warning", "untranslated", None, "2")
    assert left.message == f"2 of 3 lines stay English: {METRIC}, {THREAD}"
    stubs = with_digest(given, usage=Usage(stubs=1))
    assert found(stubs).of("lines") == []
    told = with_digest(given, lines=tuple(TranslatedLine(id=own, text="淘汰锁") for own in given.shown_lines))
    assert "untranslated" not in {own.kind for own in verify_digest(told).findings}


def test_an_english_digest_has_no_lines() -> None:
    given = with_digest(inputs_of("en"), lines=(TranslatedLine(id=THREAD, text="The lock"),))
    assert found(given).of("lines") == [("error", THREAD, "an English digest has no translated lines")]


def test_another_word_than_the_glossarys_is_a_warning() -> None:
    given = lines_of((THREAD, "驱逐锁存在竞态"))
    termed = replace(given, glossary=(Term(en="eviction lock", zh="淘汰锁"),))
    assert found(termed).of("lines") == [("warning", THREAD, "the glossary says '淘汰锁' for 'eviction lock'")]


def test_the_lines_of_facts() -> None:
    """A title is no line; nor is an empty condition, a claim, a risk."""
    assert [line for fact in PLAN.facts for line in fact.lines] == [METRIC, CONDITION, THREAD]
    bare = with_fact(inputs_of(), "p1.f1", figure=FIGURE.updated(condition=" ")).plan
    assert [line for fact in bare.facts for line in fact.lines] == [METRIC, THREAD]
