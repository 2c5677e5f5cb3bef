"""What a translated line says in words: counts, negations, directions and terms of the field.

A false alarm costs a call and may leave a line in English, so the fair translations are as varied as engineers write.
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prhub_digest.models.glossary import Term
from prhub_digest.verify.line_counts import count_faults
from prhub_digest.verify.line_pairs import Translation
from prhub_digest.verify.lines import line_faults

RECORDED = Path(__file__).parents[2] / "fixtures" / "demo" / "replies" / "compose_lines"
FAIR = (
    ("Both workers now share two queues", "两个 worker 现在共用两个队列"),
    ("Pairs of requests are merged before they enter the queue", "请求两个一组合并后再进入队列"),
    ("The wait is doubled after each timeout", "每次超时后等待时间翻倍"),
    ("Half of the pages are never read", "有一半的页从不会被读取"),
    ("three-way merge of two branches", "两个分支的三方合并"),
    ("The router, the scheduler and the cache restart together", "路由器、调度器和缓存三个组件一起重启"),
    ("It drops the flag and adds an option", "移除该开关，新增一个选项"),
    ("The server keeps accepting requests after a client disconnects", "客户端断开后，服务器仍继续接受请求"),
    ("No more than one retry", "最多重试一次"),
    ("Nothing is cached by default", "默认不缓存任何内容"),
    ("Tests cannot run without a GPU", "测试必须有 GPU 才能运行"),
    ("Decode is faster by a factor of two", "解码快了一倍"),
    ("once per second", "每秒一次"),
    ("within ten minutes of a restart", "重启后十分钟内"),
    ("a window of twelve hours", "十二小时的窗口"),
    ("about a dozen tests", "约十几个测试"),
    ("hundreds of pages", "数百页"),
    ("every other request", "每两个请求中的一个"),
    ("either path may be taken", "两条路径中的任一条都可走"),
    ("Eviction is delayed until the lock is free", "驱逐会推迟到锁空闲时"),
    ("weights are loaded lazily", "权重会延迟加载"),
    ("out of memory at start", "启动时 OOM"),
    ("mean time to first token", "平均首 token 时间"),
    ("This does not mean that the model is loaded", "这并不意味着模型已加载"),
    ("a prompt fix for the crash at startup", "及时修复启动时的崩溃"),
    ("Reverts to the default when the file is missing", "文件缺失时恢复为默认值"),
    ("The thread is still open", "该讨论尚未解决"),
    ("users can pass `--no-cache` to the server", "用户可以给服务器传 `--no-cache`"),
    ("The `cache_dir` is read first", "先读取缓存目录 `cache_dir`"),
    ("user-defined adapters load on request", "自定义适配器按需加载"),
    ("The request waits when the preset is None", "预设为 None 时请求会等待"),
    ("raises a ValueError for fewer than two workers", "worker 少于两个时抛出 ValueError"),
    ("The check runs before the merge", "检查完成之后才合并"),
    ("a limit of ten thousand tokens", "上限为一万个 token"),
    ("The pool frees each page twice", "池会重复释放每个页"),
    ("five-tuple of the connection", "连接的五元组"),
    ("A request that fails is refused unless the client retries", "请求失败后，除非客户端重试，否则会被拒绝"),
    ("neither the router nor the client retries", "路由器和客户端都不重试"),
    ("The option lowers memory use and raises throughput", "该选项降低内存占用并提高吞吐"),
    ("less memory, the same accuracy", "显存更少，准确率不变"),
    ("The value is too large to fit", "数值太大，无法放下"),
    ("Its docs page no longer lists the deprecated option", "其文档页不再列出已弃用的选项"),
    ("The scheduler stops admitting requests when memory is low", "内存不足时，调度器停止准入请求"),
    ("The default is off; set the option to enable it", "默认关闭；设置该选项即可启用"),
    ("Slow clients no longer block fast ones", "慢客户端不再阻塞快客户端"),
    ("It is not tested and has no documentation", "它未经测试，也没有文档"),
    ("Only the first of three shards is checked", "只检查三个分片中的第一个"),
    ("P99 latency under load; lower is better", "有负载时的 P99 延迟；越低越好"),
    ("Uploads that failed are tried again twice", "未能成功的上传会再试两次"),
    ("The second half of the prompt is cut", "提示词的后半部分被截断"),
    ("In March the team had two releases", "三月团队发了两版"),
    ("one or two workers", "一两个 worker"),
    ("The reviewer agreed to keep the old name for now", "评审者同意暂时保留旧名称"),
    ("peak GPU memory of the prefill worker", "预填充 worker 的显存峰值"),
    ("CI retries a flaky test at most three times", "CI 对不稳定的测试最多重试三次"),
    ("standard output is lost when the process is killed", "进程被杀死时 stdout 会丢失"),
    ("prefix cache hit rate of the second turn", "第二轮的前缀缓存命中率"),
)
UNFAIR = (
    ("four shards", "三个分片", "the count “four” is lost"),
    ("four shards", "三个分片", "it has the count 三个, which the English line has not"),
    ("on the production trace", "在生产 trace 上，快两倍", "it has the count 两倍, which the English line has not"),
    ("twelve hours", "二十小时", "the count “twelve” is lost"),
    ("half of the pages", "全部的页", "“half” is lost"),
    ("all pages", "一半的页", "it has 一半, which the English line has not"),
    ("hundreds of pages", "数千页", "“hundreds” is lost"),
    ("thirty-two workers", "三十个 worker", "the count “thirty-two” is lost"),
    ("A request without a limit is never admitted", "没有上限的请求会得到准入", "“never” is lost"),
    (
        "Long requests no longer crash a server without a limit",
        "没有上限时，长请求仍会使服务器崩溃",
        "“no longer” is lost",
    ),
    ("It is not tested and has no documentation", "它未经测试，附文档", "a negation is lost"),
    ("The pool is not cleared; the lock is kept", "池会清空；锁没有保留", "a negation is lost"),
    (
        "The pool is cleared; nothing is kept",
        "池没有清空；不保留任何内容",
        "it has 没有, which the English line has not",
    ),
    ("It drops old pages", "它保留旧的页", "“drops” is turned into 保留"),
    ("It keeps old pages", "它移除老页", "“keeps” is turned into 移除"),
    ("To shorten TTFT", "为延长 TTFT", "“shorten” is turned into 延长"),
    ("It raises the limit", "它降低上限", "“raises” is turned into 降低"),
    ("done before the release", "在发布之后完成", "“before” is turned into 之后"),
    ("The option is disabled", "该选项已启用", "“disabled” is turned into 启用"),
    ("Unknown names are rejected", "允许未知名称", "“rejected” is turned into 允许"),
    ("Uploads fail at night", "夜间上传会成功", "“fail” is turned into 成功"),
    ("output throughput", "输出延迟", "“throughput” is lost"),
    ("output throughput", "输出延迟", "it has 延迟, which the English line has not"),
    ("the scheduler of the server", "服务器的路由器", "“scheduler” is lost"),
    ("the scheduler of the server", "服务器的路由器", "it has 路由器, which the English line has not"),
    ("retractions", "输出吞吐", "“retractions” is lost"),
    ("prefill, input tokens", "解码，输入 token", "“prefill” is lost"),
)


@pytest.mark.parametrize(("english", "chinese"), FAIR)
def test_a_fair_translation_raises_no_alarm(english: str, chinese: str) -> None:
    assert line_faults(english, chinese, "zh") == []


@pytest.mark.parametrize(("english", "chinese", "fault"), UNFAIR)
def test_what_is_said_otherwise_is_found(english: str, chinese: str, fault: str) -> None:
    assert fault in line_faults(english, chinese, "zh")


def recorded_lines() -> list[tuple[str, str]]:
    """The demo's lines as a model translated them, with the English of the request."""
    lines = []
    for path in sorted(RECORDED.glob("*.json")):
        stored = json.loads(path.read_bytes())
        request = stored["request"]["messages"][1]["content"]
        asked = dict(re.findall(r"^item (\d+)\n[a-z ]+: (.*)$", request, re.MULTILINE))
        told = json.loads(stored["attempts"][-1]["content"])["items"]
        lines += [(asked[item["item"]], item["text"]) for item in told]
    return lines


def test_the_lines_of_the_demo_raise_no_alarm_and_fit_no_other_line() -> None:
    lines = recorded_lines()
    assert len(lines) > 40
    assert [faults for faults in (line_faults(*line, "zh") for line in lines) if faults] == []
    swapped = [
        line_faults(english, chinese, "zh")
        for english, own in lines
        for other, chinese in lines[::5]
        if own != chinese and english.casefold() != other.casefold()
    ]
    assert sum(map(bool, swapped)) > 0.99 * len(swapped)


def test_a_word_of_the_glossary_is_a_way_of_its_term() -> None:
    english, chinese = "The router keeps its queue", "网关保留其队列"
    assert line_faults(english, chinese, "zh") == ["“router” is lost"]
    assert line_faults(english, chinese, "zh", (Term(en="router", zh="网关"),)) == []


NUMERALS = {
    "two": "两",
    "three": "三",
    "seven": "七",
    "ten": "十",
    "eleven": "十一",
    "twelve": "十二",
    "twenty": "二十",
}
NUMERALS |= {"thirty-two": "三十二", "ninety nine": "九十九"}


@pytest.mark.parametrize("word", NUMERALS)
def test_a_count_is_the_same_in_both_languages(word: str) -> None:
    for other, numeral in NUMERALS.items():
        faults = list(count_faults(Translation(f"{word} shards", f"有{numeral}个分片")))
        assert (f"it has the count {numeral}个, which the English line has not" in faults) == (other != word)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_lines_can_be_compared(english: str, text: str) -> None:
    assert line_faults(english, text, "zh") == list(dict.fromkeys(line_faults(english, text, "zh")))
