"""Terms of the field: one that the English line has stands in its translation, in one of the ways engineers say it.

And what surely is a term in Chinese needs it in English, or a word that it is a fair translation of. The ways are those
of prompts/_chinese.md, of the names of metrics, and what else is usual; a repository's own are its glossary's.
"""

import re
from collections.abc import Iterator, Sequence

from prhub_digest.models.glossary import Term
from prhub_digest.verify.line_pairs import Pair, Translation, words

# English words, ways in Chinese; the way that surely is it, and stems that it may stand for besides.
_TERMS: tuple[Pair, ...] = tuple(
    Pair(words(english), ways, sure, besides)
    for english, ways, sure, besides in (
        ("throughput", "吞吐", "吞吐", r"tok|qps|rps|tps|rate|per second|/s\b|bandwidth"),
        (
            "latency|latencies",
            "延迟|时延|延时|耗时|时间",
            "延迟|时延",
            "latenc|delay|lag|ttft|tpot|itl|time|slow|defer|postpon|laz[iy]|late|wait",
        ),
        ("memory", "内存|显存|存储|访存|记忆|OOM", "内存|显存", "memor|oom|ram|alloc|leak|footprint|heap|gb|gib|mib"),
        ("caches?|cached|caching", "缓存", "缓存", "cach|memo|radix|prefix|kv|stor|buffer"),
        ("schedulers?", "调度", "调度器", "schedul|dispatch"),
        ("routers?", "路由", "路由器", "rout|gateway|balanc"),
        ("servers?", "服务", "服务器", "serv|host|machine|backend|endpoint|remote"),
        ("clients?", "客户|调用方", "客户端", "client|sdk|caller|user|browser|consumer"),
        ("adapters?", "适配|LoRA", "适配器", "adapt|lora|plug|wrap|connect"),
        ("prefill(?:s|ed|ing)?", "预填", "预填充", "pre-?fill|pad"),
        ("decod(?:e|es|ed|ing)", "解码|译码", "解码", "decod|greedy|sampl|beam|specul|draft|generat"),
        ("prompts?", "提示|促使|及时", "提示词", "prompt|instruct"),
        (
            "evict(?:s|ed|ing|ions?)?",
            "驱逐|淘汰|逐出|清除|移除|剔除|换出|回收",
            "驱逐|逐出",
            "evict|expel|drop|remov|flush|purg|swap",
        ),
        ("admissions?", "准入|接纳|进入|许可", "准入", "admi|accept|allow|permit|gate|let|queue"),
        (
            "retract(?:s|ed|ing|ions?)?",
            "撤回|回撤|收回|撤销",
            "撤回|回撤",
            "retract|withdr|revert|recall|t[ao]k|pull|undo|undid|back",
        ),
        ("revert(?:s|ed|ing)?", "回退|回滚|撤|还原|恢复", "回滚", "revert|roll|back|restor|undo|undid|recover"),
        (
            "crash(?:es|ed|ing)?",
            "崩|宕|挂|中断|退出|失败",
            "崩溃",
            "crash|segfault|abort|panic|die|dying|dead|fail|kill|fault|exit|br[eo]|terminat",
        ),
        ("deadlock(?:s|ed)?", "死锁|锁死", "死锁", "deadlock|hang|hung|stuck|stall|lock"),
        ("threads?", "线程|讨论|会话|主题|话题|帖", "线程", "thread|concurren|pool|worker|async"),
        ("queue(?:s|d)?|queu?ing", "队", "队列", "queu|backlog|fifo|pending|list|line|wait"),
        ("accuracy", "准确|精度|正确|精确", "准确率", "accura|precis|correct|score|eval|right"),
        ("hit rates?", "命中", "命中率", "hit|match"),
        ("inputs?", "输入|入参|stdin", "输入", r"input|\bin\b|enter|typ|prompt|argument|given|pass|fe[ed]"),
        (
            "outputs?",
            "输出|产出|结果|产物|生成|打印|回复|stdout",
            "输出",
            r"output|\bout\b|print|emit|log|return|result|writ|wrote|gener|produc|repl|respon|display|show|stream|complet|dump|report|yield",
        ),
        ("mean|average", "平均|均值|意味|意思|指", "平均|均值", r"mean|averag|avg|typical|per\b|each|even"),
        ("median", "中位|中值", "中位", "median|p50|middle|p-?50"),
        ("end[- ]to[- ]end", "端到端|全程|整体|全链路", "端到端", "end|e2e"),
        ("minutes?", "分|min", "分钟", r"minute|\bmin|hour|moment|short"),
        ("hours?", "时", "", ""),
        ("seconds", "秒", "", ""),
        ("peak", "峰|最高|最大|顶", "峰值", "peak|max|top|high|spike"),
        ("authors?", "作者|提交者|自测", "作者", r"author|owner|contribut|writ|own|creat|commit|opener"),
        (
            "reviewers?",
            "评审|审阅|审查|审核|评论|检视",
            "评审者|审阅者",
            "review|approv|maintain|comment|asks?|question|find|found",
        ),
        ("requests?", "[请求需]|PR", "", ""),
        ("models?", "型|建模|模式", "", ""),
        ("tokens?", "词元|令牌|标记|记号|凭证|凭据|密钥", "", ""),
        ("batch(?:es|ed|ing)?", "批", "批大小|批处理", "batch|bulk|group|bucket"),
        ("pages?", "页|文档", "", ""),
        ("tables?", "表|目录", "", ""),
        ("prefix(?:es)?", "前缀|开头", "前缀", "prefix|head|start|lead|common"),
        ("layers?", "层", "", ""),
        ("kernels?", "核|算子", "", ""),
        ("lock(?:s|ed|ing)?", "锁", "", ""),
        ("timeouts?", "超时|时限", "超时", "time|expir|deadline|late|long"),
        ("errors?", "错|异常|误|故障|失败", "", ""),
        ("users?", "用户|使用|人", "", ""),
        ("tests?", "[测试验]|用例", "", ""),
        ("weights?", "权|重", "", ""),
        ("nodes?", "节点|结点|机", "", ""),
        ("presets?", "预设|预置", "", ""),
        ("shards?|sharding", "片|切分", "", ""),
        (
            "deprecat(?:e|es|ed|ing|ion)",
            "弃用|废弃|过时|淘汰|不推荐",
            "弃用|废弃",
            "deprecat|obsolet|drop|remov|legacy|abandon|discard",
        ),
    )
)


def term_faults(line: Translation, glossary: Sequence[Term] = ()) -> Iterator[str]:
    for term in glossary:
        if term.stands_in(line.english) and term.zh in line.text:
            own = r"[\s-]+".join(map(re.escape, term.en.split()))
            line = Translation(re.sub(own, " ", line.english, flags=re.IGNORECASE), line.text.replace(term.zh, " "))
    for pair in _TERMS:
        yield from pair.faults(line)


def has_term(english: str) -> bool:
    return any(pair.asked(english) for pair in _TERMS)
