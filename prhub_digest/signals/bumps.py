"""Version bumps and other routine traffic of bots."""

import re
from collections.abc import Iterable

from prhub_digest.models.accounts import account_name
from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.changes import file_diffs
from prhub_digest.signals.dependencies import dependency_files
from prhub_digest.signals.file_diffs import FileDiff

# Bots that do nothing but routine; others (`copilot-swe-agent`, merge bots) write changes of their own.
_ROUTINE = frozenset(
    {
        "dependabot",
        "dependabot-preview",
        "depfu",
        "github-actions",
        "greenkeeper",
        "imgbot",
        "pre-commit-ci",
        "pyup-bot",
        "renovate",
        "renovate-bot",
        "scala-steward",
        "snyk-bot",
    }
)
# Tags, a picture, a scope.
_TAGS = r"^\s*(?:[^\w\s\[(\"'`]+\s+)?(?:\[[^\]\n]{1,40}\]\s*)*(?:[\w./-]+(?:\([\w./, -]*\))?(?:\s[\w./-]+){0,2}!?:\s+)?"
_VERB = r"(?:bump|update|upgrade|pin|unpin|roll)s?"
_VERSION = r"v?\d+(?:\.\d+)+[\w.+-]*|v\d+\b"
# `Bump x from 1.2 to 1.3`, `Update x to v2`; not `Bump version to 1.3`, which is a release, nor `Update limit to 30`.
_TO_VERSION = re.compile(
    rf"{_TAGS}{_VERB}\s+(?!(?:the\s+)?(?:(?:package|project|crate)\s+)?version\b|to\b|v?\d)\S.*?\b(?:from\s+\S+\s+)?to\s+[`'\"]?(?:{_VERSION})",
    re.IGNORECASE,
)
# `Update the benchmark pins`, `Bump the submodule`, `Update dependencies`
_PINS = re.compile(
    rf"{_TAGS}{_VERB}\s+(?:\S+\s+){{0,5}}?(?:pin(?:ned)?s?|pinned\s+\w+|submodules?|lock\s?files?|commits?(?:\s+hash(?:es)?)?|revisions?"
    r"|deps|dependenc(?:y|ies)|pre-commit\s+hooks)\s*(?:\([^()]*\))?\s*$",
    re.IGNORECASE,
)
# `Upgrade the analyzer to the latest pins`, `Bump x to latest`; `Update the page to the latest` may be anything.
_TO_LATEST = re.compile(
    rf"{_TAGS}(?:{_VERB}\s+(?!(?:to|version)\b)\S.*?\s+to\s+(?:the\s+|their\s+|its\s+)?(?:(?:latest|newest|upstream)\s+)+"
    r"(?:pin|version|release|revision|commit|tag|hash|master|main)(?:e?s)?"
    r"|(?:bump|upgrade|roll)s?\s+(?!to\b)\S.*?\s+to\s+(?:the\s+)?(?:latest|newest))\s*(?:\([^()]*\))?\s*$",
    re.IGNORECASE,
)
# `Bump x from 1 to 2`: whole numbers, which a limit has, too.
_TO_NUMBER = re.compile(
    rf"{_TAGS}{_VERB}\s+(?!version\b)(?P<name>@?[\w./-]*[a-z][\w./-]*)(?:\[[\w,-]+\])?\s+(?:from\s+\S+\s+)?to\s+[`'\"]?v?\d",
    re.IGNORECASE,
)
_ZH = re.compile(
    rf"{_TAGS}(?:(?:升级|更新|提升)\s*\S+(?:\s+\S+)?\s*(?:版本)?\s*(?:到|至)\s*(?:{_VERSION})|(?:升级|更新)\S{{0,6}}依赖|依赖(?:升级|更新))",
    re.IGNORECASE,
)


def is_bump(pull: PullRequest) -> bool:
    """Whether it only moves versions: a bot that does nothing else, a title that says so, or a submodule's pointer.

    A bot's pull request also counts when its files are those of dependencies.
    """
    if is_routine(pull) or moves_versions(pull):
        return True
    if pull.files and all(file.patch_state == "submodule" for file in pull.files):
        return True
    return is_bot(pull.author) and bool(pull.files) and len(dependency_files(pull)) == len(pull.files)


def is_routine(pull: PullRequest) -> bool:
    """Whether a bot that does nothing but routine opened it."""
    return is_bot(pull.author) and account_name(pull.author.label).casefold() in _ROUTINE


def moves_versions(pull: PullRequest, read: Iterable[FileDiff] | None = None) -> bool:
    """Whether the title says so, whoever wrote it. `read` are its files, where they are at hand.

    Whole numbers (`from 1 to 2`) count for what a changed file of dependencies or a workflow names, and in a bot's
    title.
    """
    if any(pattern.match(pull.title) for pattern in (_TO_VERSION, _PINS, _TO_LATEST, _ZH)):
        return True
    number = _TO_NUMBER.match(pull.title)
    if number is None:
        return False
    if is_routine(pull):
        return True
    files = file_diffs(pull) if read is None else tuple(read)
    changed = set(dependency_files(pull, files))
    name = _spelling(number["name"])
    return any(
        (file.path in changed and (file.change.patch is None or name in _spelling(file.change.patch)))
        or (file.kind == "build" and f"uses: {name}@" in _spelling(file.change.patch or ""))
        for file in files
    )


def _spelling(text: str) -> str:
    """As indexes compare names: `Ruamel.yaml` is `ruamel-yaml`."""
    return text.casefold().replace("_", "-").replace(".", "-")
