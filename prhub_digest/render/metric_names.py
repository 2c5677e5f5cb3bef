"""The names of common metrics in Chinese; one with a word that is not known stands as its author wrote it."""

from prhub_digest.models.digest import Language

_CHINESE = {
    "accuracy": "准确率",
    "average": "平均",
    "batch size": "批大小",
    "cache hit rate": "缓存命中率",
    "decode": "解码",
    "decode throughput": "解码吞吐",
    "end to end": "端到端",
    "end-to-end": "端到端",
    "end-to-end latency": "端到端延迟",
    "gpu memory": "显存",
    "hit rate": "命中率",
    "input throughput": "输入吞吐",
    "kernel time": "kernel 时间",
    "latency": "延迟",
    "mean": "平均",
    "mean latency": "平均延迟",
    "median": "中位",
    "memory": "内存",
    "memory usage": "内存占用",
    "memory use": "内存占用",
    "output throughput": "输出吞吐",
    "peak": "峰值",
    "prefill": "预填充",
    "prefill throughput": "预填充吞吐",
    "request throughput": "请求吞吐",
    "speedup": "加速比",
    "startup time": "启动时间",
    "throughput": "吞吐",
    "time": "时间",
    "token throughput": "token 吞吐",
    "total": "总",
    "total throughput": "总吞吐",
}
_LONGEST = max(len(name.split()) for name in _CHINESE)


def metric_name(metric: str, language: Language) -> str:
    """`Mean TTFT` is `平均 TTFT` in Chinese; names with capitals or digits stay, as does all of `gate time`."""
    if language != "zh":
        return metric
    words, parts = metric.split(), list[str]()
    while words:
        known = next((size for size in range(min(_LONGEST, len(words)), 0, -1) if _key(words[:size]) in _CHINESE), 0)
        if known:
            parts.append(_CHINESE[_key(words[:known])] + ("，" if words[known - 1].endswith(",") else ""))
        elif words[0] != words[0].lower() or any(map(str.isdigit, words[0])):
            known = 1
            parts.append(words[0])
        else:
            return metric
        words = words[known:]
    return _joined(parts)


def _key(words: list[str]) -> str:
    return " ".join(words).lower().removesuffix(",")


def _joined(parts: list[str]) -> str:
    """A blank stands between Chinese and Latin only."""
    text = ""
    for part in parts:
        close = not text or not (text[-1].isascii() or part[0].isascii()) or text.endswith("，")
        text += part if close else f" {part}"
    return text
