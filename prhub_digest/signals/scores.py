"""Default sub-scores by rule, used where the model gives none with evidence. Anchors: docs/ranking.md."""

import re
from collections.abc import Mapping, Sequence

from prhub_digest.models.pull_request import FileChange, PullRequest
from prhub_digest.models.signals import Flag, FlagName, RuleScore, ThreadOutcome
from prhub_digest.models.summary import SUB_SCORES, ChangeType, Score, SubScoreName
from prhub_digest.signals.changes import lines_of
from prhub_digest.signals.subject import Subject

_Files = tuple[FileChange, ...]

_SCALE: tuple[Score, ...] = (0, 1, 2, 3, 4, 5)
# Each further step of reach needs about twice the files.
_FILE_STEPS = (2, 4, 8, 16)
_SIZE_STEPS = (10, 50, 200, 800)
_BEHAVIOUR: Mapping[ChangeType, int] = {
    "feature": 3,
    "fix": 2,
    "performance": 2,
    "revert": 2,
    "refactor": 1,
    "other": 2,
}
_DURABILITY: Mapping[ChangeType, int] = {
    "feature": 3,
    "refactor": 3,
    "performance": 3,
    "fix": 2,
    "test": 2,
    "build": 1,
    "docs": 1,
    "other": 1,
}
# Folders and files that most programs run through, or that users see.
_CENTRAL = re.compile(
    r"(?:^|/)(?:api|cli|common|config|core|engine|kernels?|public|runtime|scheduler|schema|server|__init__\.py|lib\.rs)"
    r"(?:[/._]|$)",
    re.IGNORECASE,
)
_HOT = re.compile(r"\.cuh?$|(?:^|/)(?:kernels?|ops|csrc)/", re.IGNORECASE)
_COST_WORDS = re.compile(
    r"\b(?:perf|performance|latency|throughput|speed(?:s|up|ups)?|faster|slow(?:er|ness)?|memory|oom|cach(?:e|es|ed|ing)"
    r"|prefetch|fus(?:e|ed|ion)|kernels?|quantiz\w+|overhead|allocations?|ttft|exponential|quadratic|\w*optimi[sz]\w+)\b|性能|显存|内存|吞吐|延迟|缓存|加速",
    re.IGNORECASE,
)
# Changes that touch many files and change nothing else.
_MECHANICAL = re.compile(
    r"\b(?:rustfmt|gofmt|clang-format|reformat\w*|formatting|typos?|whitespace|licen[cs]e headers?|sort imports)\b",
    re.IGNORECASE,
)
_FLAG_RISK: Mapping[FlagName, int] = {
    "missing_tests": 1,
    "large_change": 1,
    "no_approval": 1,
    "default_changed": 1,
    "migration": 1,
    "security_path": 1,
    "revert": 1,
}


def rule_scores(subject: Subject, flags: Sequence[Flag]) -> tuple[RuleScore, ...]:
    """The five sub-scores, 0 to 5 each, in their fixed order; comparable from week to week."""
    pull, kind = subject.pull, subject.change_type
    source = tuple(file.change for file in subject.source)
    raw: dict[SubScoreName, int] = {
        "reach": _reach(pull, source),
        "behaviour": _behaviour(pull, source, kind),
        "cost": _cost(pull, source, kind),
        "risk": _risk(source, flags, subject.threads),
        "durability": _durability(pull, source, kind),
    }
    return tuple(RuleScore(name=name, value=_SCALE[min(5, max(0, raw[name]))]) for name in SUB_SCORES)


def _reach(pull: PullRequest, source: _Files) -> int:
    """Source files and the folders they stand in; one more for a central path."""
    if not source:
        return 0
    folders = {file.path.rpartition("/")[0] for file in source}
    central = any(_CENTRAL.search(file.path) for file in source)
    if _MECHANICAL.search(pull.title):
        return 1
    return 1 + _steps(max(len(source), 2 * len(folders) - 2), _FILE_STEPS) + central


def _behaviour(pull: PullRequest, source: _Files, change_type: ChangeType) -> int:
    """What the type promises, one less for a few lines of source, more for many; nothing without source."""
    lines = lines_of(source)
    if not lines or _MECHANICAL.search(pull.title):
        return 0
    return _BEHAVIOUR.get(change_type, 0) + _steps(lines, _SIZE_STEPS[2:]) - (lines < _SIZE_STEPS[0])


def _cost(pull: PullRequest, source: _Files, change_type: ChangeType) -> int:
    """Speed and memory: the type, words of the title and labels, and files of hot code."""
    if not source:
        return 0
    words = any(_COST_WORDS.search(text) for text in (pull.title, *(pull.labels or ())))
    hot = any(_HOT.search(file.path) for file in source)
    return 2 * (change_type == "performance") + words + hot + (change_type == "performance" and lines_of(source) >= 200)


def _risk(source: _Files, flags: Sequence[Flag], threads: tuple[ThreadOutcome, ...] | None) -> int:
    """The size of the source change, the raised flags, and open threads by severity."""
    lines = lines_of(source)
    raised = sum(_FLAG_RISK.get(flag.name, 0) for flag in flags if flag.raised)
    severities = {thread.severity for thread in threads or () if thread.outcome == "open"}
    open_points = 2 if "high" in severities else int(bool(severities))
    return (lines >= _SIZE_STEPS[1]) + (lines >= _SIZE_STEPS[2]) + raised + open_points


def _durability(pull: PullRequest, source: _Files, change_type: ChangeType) -> int:
    """How long it shapes the code: the type, more for large source changes, less for a few lines."""
    lines = lines_of(source)
    if _MECHANICAL.search(pull.title):
        return 1
    return _DURABILITY.get(change_type, 0) + _steps(lines, _SIZE_STEPS[2:]) - (0 < lines < _SIZE_STEPS[0])


def _steps(value: int, limits: Sequence[int]) -> int:
    return sum(value >= limit for limit in limits)
