from summary_week import PULL, SIGNALS

from prhub_digest.chunk import chunk_pull_request
from prhub_digest.summarize import SummaryTask, fallback
from prhub_digest.tokens import tokenizer_for


def test_a_fallback_speaks_by_the_whole_title_although_a_chunk_clips_it():
    pull = PULL.updated(title="Prefetch " * 5_000)
    chunks, _ = chunk_pull_request(pull, budget=800, max_chunks=2, tokenizer=tokenizer_for("gpt-4o"))
    summary = fallback(SummaryTask(pull, chunks, SIGNALS, (), "i"), "no reply")
    assert summary.headline == pull.title.strip()
    assert (summary.status, summary.reason) == ("fallback", "no reply")
    assert [thread.thread for thread in summary.unsettled_threads] == ["RT_1"]
