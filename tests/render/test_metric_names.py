import pytest

from prhub_digest.render.metric_names import metric_name


@pytest.mark.parametrize(
    ("metric", "chinese"),
    [
        ("cache hit rate", "缓存命中率"),
        ("Mean TTFT", "平均 TTFT"),
        ("mean latency", "平均延迟"),
        ("P99 TTFT", "P99 TTFT"),
        ("Output throughput, end to end", "输出吞吐，端到端"),
        ("GSM8K (5-shot) accuracy", "GSM8K (5-shot) 准确率"),
        ("MoE gate kernel time", "MoE gate kernel time"),
        ("retractions", "retractions"),
        ("", ""),
    ],
)
def test_known_metrics_have_chinese_names_and_others_stand_as_they_are(metric: str, chinese: str) -> None:
    assert metric_name(metric, "zh") == chinese
    assert metric_name(metric, "en") == metric
