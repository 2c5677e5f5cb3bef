"""Chunking a week: how its time compares with one tiktoken encode of the same diffs, how it grows, what stalls it.

Seconds are of the processor, so that what else runs on the machine counts less. The encode and the chunking of a pull
request follow each other, since the machine's speed changes within a run.
"""

import base64
import gc
import random
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial

from bench import Measure
from bench._diffs import lines_of_repository, pull_request, week
from prhub_digest.chunk import chunk_pull_request
from prhub_digest.models.pull_request import Comment, FileChange, Person, PullRequest
from prhub_digest.tokens import tokenizer_for
from prhub_digest.tokens.vocabulary import encoding

_BUDGET, _MAX_CHUNKS = 6000, 4  # the defaults of the settings
_MB = 1_000_000
_TIMES = 3
_LONGEST_BODY = 65_536  # GitHub takes no more in a description


def measure() -> Iterator[Measure]:
    _seconds(_one_file("what is loaded at first use, 索引, is loaded before anything is timed"))
    yield Measure("chunk_week_to_encode", _to_encode(week(30 * _MB)), 1.2)
    yield Measure("chunk_week_all_shown_to_encode", _to_encode(week(30 * _MB, even=True), max_chunks=8), 2.5)
    source = lines_of_repository()
    small, large = (_seconds(pull_request(1, size, source), _MB, 1) for size in (_MB // 3, 10 * _MB // 3))
    yield Measure("chunk_ten_times_the_input", large / small, 11)
    worst = yield from _to_normal(pull_request(2, _MB, source), ((name, _one_file(text)) for name, text in _texts()))
    prose = "\n".join(random.Random(1).sample([line for line in source if line.isascii()], 20_000))
    talk = yield from _to_normal(_comments(prose), ((f"{name}_talk", _comments(text)) for name, text in _short_lines()))
    yield Measure("chunk_worst_mb_seconds", max(worst, talk), 2)


def _to_normal(normal: PullRequest, others: Iterable[tuple[str, PullRequest]]) -> Generator[Measure, None, float]:
    """Seconds a byte, compared with those of normal text; returns the most seconds a megabyte."""
    most = base = _seconds(normal) / _size(normal)
    for name, pull in others:
        pace = _seconds(pull) / _size(pull)
        yield Measure(f"chunk_{name}_to_normal", pace / base, 5)
        most = max(most, pace)
    return most * _MB


def _size(pull: PullRequest) -> int:
    """Bytes of what there is to show."""
    talk = [comment.body for comment in pull.comments or ()]
    return sum(len(text.encode()) for text in (pull.body or "", *talk, *(file.patch or "" for file in pull.files)))


def _to_encode(pulls: Iterable[PullRequest], max_chunks: int = _MAX_CHUNKS) -> float:
    """Seconds of chunking for each second of encoding, over all pull requests."""
    tokenizer, encode = tokenizer_for("gpt-4o"), encoding().encode_ordinary
    encoded = chunked = 0.0
    for pull in pulls:
        text = "\n".join(file.patch or "" for file in pull.files)
        encoded += _timed(partial(encode, text))
        chunked += _timed(partial(chunk_pull_request, pull, budget=_BUDGET, max_chunks=max_chunks, tokenizer=tokenizer))
    return chunked / encoded


def _seconds(pull: PullRequest, budget: int = _BUDGET, max_chunks: int = _MAX_CHUNKS) -> float:
    """The least of several times."""
    tokenizer = tokenizer_for("gpt-4o")
    return min(
        _timed(lambda: chunk_pull_request(pull, budget=budget, max_chunks=max_chunks, tokenizer=tokenizer))
        for _ in range(_TIMES)
    )


def _timed(work: Callable[[], object]) -> float:
    """As `timeit` does it, without garbage collection."""
    gc.collect()
    gc.disable()
    begin = time.process_time()
    work()
    seconds = time.process_time() - begin
    gc.enable()
    return seconds


def _one_file(text: str) -> PullRequest:
    added = "\n".join("+" + line for line in text.split("\n"))
    lines = text.count("\n") + 1
    file = FileChange(
        path="src/data.py", status="added", additions=lines, deletions=0, patch=f"@@ -0,0 +1,{lines} @@\n{added}"
    )
    return PullRequest(
        number=1,
        title="One file",
        body=text[:_LONGEST_BODY],
        author=Person(login="author", kind="human"),
        merged_at=datetime(2026, 6, 2, tzinfo=UTC),
        files=(file,),
    )


def _comments(text: str) -> PullRequest:
    """A megabyte of talk, in as many comments as it takes."""
    text = text[:_MB]
    author = Person(login="reviewer", kind="human")
    starts = range(0, len(text), _LONGEST_BODY)
    comments = [Comment(id=f"c{at}", author=author, body=text[at : at + _LONGEST_BODY]) for at in starts]
    return _one_file("x").updated(comments=tuple(comments))


def _texts() -> Iterator[tuple[str, str]]:
    yield from _long_lines()
    yield from _short_lines()


def _short_lines() -> Iterator[tuple[str, str]]:
    yield "empty_lines", "\n" * _MB
    yield "letter_lines", "a\n" * (_MB // 2)
    yield "header_lines", "@@ -1 +1 @@\n" * (_MB // 12)


def _long_lines() -> Iterator[tuple[str, str]]:
    """A megabyte of each, mostly in one line; it stands in the diff, and its beginning in the description."""
    noise = random.Random(1).randbytes(_MB * 3 // 4)
    minified = 'function a(b,c){return b?c[b]:{k:[1,2,"x"]}};'
    yield "one_letter", "a" * _MB
    yield "blanks", " " * (_MB - 1) + "x"
    yield "base64", base64.b64encode(noise).decode()
    yield "base64_lines", "\n".join(base64.b64encode(noise[at : at + 57]).decode() for at in range(0, len(noise), 57))
    yield "minified", minified * (_MB // len(minified))
    yield "chinese", "索引量化缓存调度前缀内存显存吞吐延迟并行" * (_MB // 60)
    yield "angles", "<" * _MB
    yield "bars", "<|a" * (_MB // 3)
    yield "combining_marks", "a" + "\u0301" * (_MB // 2)
