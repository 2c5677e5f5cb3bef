from summary_week import AREAS, PULL, SIGNALS

from prhub_digest.chunk import chunk_pull_request
from prhub_digest.source_lines import source_lines
from prhub_digest.summarize import SummaryTask, fallback


def test_a_fallback_speaks_by_the_whole_title_although_a_chunk_clips_it():
    pull = PULL.updated(title="Prefetch " * 5_000)
    chunks, _ = chunk_pull_request(pull, source_lines(pull), budget=800, max_chunks=2, count=len)
    summary = fallback(SummaryTask(pull, chunks, SIGNALS, AREAS, (), "i"), "no reply")
    assert summary.headline == pull.title.strip()
    assert (summary.status, summary.reason) == ("fallback", "no reply")
    assert [thread.thread for thread in summary.open_threads] == ["RT_1"]
