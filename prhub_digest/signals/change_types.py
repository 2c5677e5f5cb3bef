"""The type of a change by rule: what its files are, then what its title and labels say."""

import re
from collections.abc import Sequence

from prhub_digest.file_kinds import FileKind
from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.summary import ChangeType
from prhub_digest.signals.bumps import moves_versions
from prhub_digest.signals.changes import file_diffs
from prhub_digest.signals.dependencies import dependency_files
from prhub_digest.signals.file_diffs import FileDiff
from prhub_digest.signals.reverts import is_revert

_WORDS: dict[ChangeType, frozenset[str]] = {
    "fix": frozenset(
        {"fix", "fixes", "fixed", "bug", "bugs", "bugfix", "hotfix", "avoid", "prevent", "correct", "handle", "respect"}
        | {"修复", "缺陷"}
    ),
    "performance": frozenset(
        {"perf", "performance", "optimize", "optimise", "optimization", "speedup", "speed", "faster", "优化", "性能"}
    ),
    "feature": frozenset(
        {"feat", "feature", "features", "enhancement", "add", "adds", "added", "support", "supports", "implement"}
        | {"introduce", "allow", "enable", "新增", "支持", "添加"}
    ),
    "refactor": frozenset(
        {"refactor", "refactoring", "cleanup", "simplify", "rename", "move", "split", "extract", "unify", "style"}
        | {"remove", "removes", "removed", "drop", "deprecate", "separate", "consolidate", "deduplicate", "replace"}
        | {"重构", "清理"}
    ),
    "test": frozenset({"test", "tests", "testing", "测试"}),
    "docs": frozenset({"doc", "docs", "documentation", "document", "readme", "文档"}),
    "build": frozenset({"build", "ci", "release", "chore", "infra", "packaging", "bump", "构建"}),
    "dependency": frozenset({"deps", "dependencies", "dependency", "依赖"}),
}
_TITLE_WORDS = 4
# `Manage the docs build`: the first word only says what is built.
_OF_SOMETHING = frozenset({"docs", "doc", "documentation", "test", "tests"})
# `fix(scheduler)!: ...`
_CONVENTIONAL = re.compile(r"^(?P<word>[A-Za-z]+)(?:\((?P<scope>[^()\n]{0,60})\))?!?:\s")
_BRACKETS = re.compile(r"^\s*((?:\[[^\]\n]{1,40}\]\s*)+)")
_LABEL_PREFIX = re.compile(r"^(?:[^:/]*[:/]|[a-z]-)")
_PURE: dict[frozenset[FileKind], ChangeType] = {
    frozenset({"docs"}): "docs",
    frozenset({"test"}): "test",
    frozenset({"test", "data"}): "test",
    frozenset({"build"}): "build",
    frozenset({"build", "config"}): "build",
}


def change_type(pull: PullRequest, read: Sequence[FileDiff] | None = None) -> ChangeType:
    """The type, the first of these that decides. `read` are its files, where they are at hand.

    A revert; a version bump; files all of one kind; a conventional prefix or a tag in brackets; the labels; the first
    words of the title.
    """
    files = file_diffs(pull) if read is None else read
    if is_revert(pull):
        return "revert"
    if moves_versions(pull, files) or (is_bot(pull.author) and dependency_files(pull, files)):
        return "dependency"
    return (
        _from_files(pull, files)
        or _from_prefix(pull.title)
        or _from_labels(pull.labels or ())
        or _from_words(pull.title, _TITLE_WORDS)
        or "other"
    )


def _from_files(pull: PullRequest, files: Sequence[FileDiff]) -> ChangeType | None:
    if not files:
        return None
    if set(dependency_files(pull, files)) == {file.path for file in files}:
        return "dependency"
    if all(file.support and "doc" in file.path.casefold() for file in files):
        return "docs"
    return _PURE.get(frozenset(file.kind for file in files))


def _from_prefix(title: str) -> ChangeType | None:
    conventional = _CONVENTIONAL.match(title)
    if conventional:
        scope = (conventional["scope"] or "").casefold()
        if scope in {"deps", "deps-dev", "dependencies"}:
            return "dependency"
        return _meaning(conventional["word"].casefold())
    brackets = _BRACKETS.match(title)
    return _from_words(brackets[1]) if brackets else None


def _from_labels(labels: tuple[str, ...]) -> ChangeType | None:
    """The type that a label means as a whole, after `type:`, `kind/` or `C-`; `run-ci` means none."""
    words = (_LABEL_PREFIX.sub("", label.casefold()).strip() for label in labels)
    found = {meaning for word in words if (meaning := _meaning(word)) is not None}
    return next((name for name in _WORDS if name in found), None)


def _from_words(text: str, most: int | None = None) -> ChangeType | None:
    """What the first word that means a type means, among the first `most` words after tags in brackets."""
    words = re.findall(r"[a-z]+|[\u4e00-\u9fff]+", (_BRACKETS.sub("", text) if most else text).casefold())
    means = [_meaning(word) for word in words]
    if most:
        pairs = zip(words, means, (*means[1:], None), strict=False)
        means = [None if word in _OF_SOMETHING and after == "build" else meaning for word, meaning, after in pairs]
    return next(filter(None, means[:most]), None)


def _meaning(word: str) -> ChangeType | None:
    """What one Latin word means, or what a run of Chinese text holds."""
    for name, words in _WORDS.items():
        if word in words or (not word.isascii() and any(term in word for term in words if not term.isascii())):
            return name
    return None
