"""One small pull request and a reply about it, as the grounding tests need them."""

from datetime import UTC, datetime

from prhub_digest.models.pull_request import Comment, FileChange, Person, PullRequest, ReviewThread
from prhub_digest.models.signals import PullRequestSignals, RuleScore, ThreadOutcome
from prhub_digest.models.summary import SUB_SCORES, DefaultReply, ScoreReply, ScoresReply, StatementReply, SummaryReply
from prhub_digest.source_lines import source_lines

PULL = PullRequest(
    number=7,
    title="Prefetch prefix pages on decode",
    body="Mean TTFT falls from 412 ms to 251 ms at page size 64.\nEverybody will love this dangerous change.",
    author=Person(login="lin-hao", kind="human"),
    merged_at=datetime(2026, 6, 2, tzinfo=UTC),
    files=(
        FileChange(
            path="cache/prefetch.py",
            status="modified",
            additions=2,
            deletions=1,
            patch="@@ -1,2 +1,3 @@\n import os\n-pages = load(all_pages)\n"
            "+pages = load(next_pages)\n+queue.put(pages, block=False)",
        ),
    ),
    threads=(
        ReviewThread(
            id="RT_1",
            path="cache/prefetch.py",
            line=3,
            resolved=False,
            comments=(
                Comment(id="c1", author=Person(login="maria", kind="human"), body="What if the queue of 8 is full?"),
            ),
        ),
    ),
)
LINES = source_lines(PULL)
IDS = {line.text: line.id for line in LINES}

OPEN = ThreadOutcome(
    thread="RT_1",
    path="cache/prefetch.py",
    line=3,
    url=None,
    outcome="open",
    reason="unresolved, no reply",
    severity="medium",
    author_kind="human",
    first_comment="What if the queue of 8 is full?",
)
SIGNALS = PullRequestSignals(
    pull=7,
    area="cache",
    area_candidates=("cache", "docs"),
    change_type="performance",
    bot=False,
    flags=(),
    threads=(OPEN,),
    scores=tuple(RuleScore(name=name, value=1) for name in SUB_SCORES),
)


def line_id(text: str) -> str:
    """The id of the one line that holds this text."""
    (found,) = [line.id for line in LINES if text in line.text]
    return found


def reply(**changes) -> SummaryReply:
    good = ScoreReply(score=3, line=line_id("queue.put"), words="queue.put(pages, block=False)")
    values = {
        "ref": "pr-7",
        "headline": StatementReply(
            text="Prefix pages are prefetched on decode.", line="T1", words="Prefetch prefix pages on decode"
        ),
        "change_type": "performance",
        "area": "cache",
        "scope": StatementReply(text="", line="", words=""),
        "condition": StatementReply(text="page size 64", line=line_id("412 ms"), words="at page size 64"),
        "default": DefaultReply(state="on", line=line_id("queue.put"), words="queue.put(pages, block=False)"),
        "claims": (),
        "figures": (),
        "risks": (),
        "threads": (),
        "scores": ScoresReply(reach=good, behaviour=good, cost=good, risk=good, durability=good),
    }
    return SummaryReply(**{**values, **changes})
