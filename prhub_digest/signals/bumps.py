"""Version bumps and other routine traffic of bots."""

import re

from prhub_digest.models.accounts import account_name
from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.dependencies import dependency_files

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
_TAGS = r"^\s*(?:\[[^\]\n]{1,40}\]\s*)*(?:[\w./-]+(?:\([\w./, -]*\))?(?:\s[\w./-]+){0,2}!?:\s+)?"
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
_ZH = re.compile(
    rf"{_TAGS}(?:(?:升级|更新|提升)\s*\S+(?:\s+\S+)?\s*(?:版本)?\s*(?:到|至)\s*(?:{_VERSION})|(?:升级|更新)\S{{0,6}}依赖|依赖(?:升级|更新))",
    re.IGNORECASE,
)


def is_bump(pull: PullRequest) -> bool:
    """Whether it only moves versions: a bot that does nothing else, a title that says so, or a submodule's pointer.

    A title counts when it names the version, or when the files are those of dependencies.
    """
    if is_bot(pull.author) and account_name(pull.author.label).casefold() in _ROUTINE:
        return True
    if pull.files and all(file.patch_state == "submodule" for file in pull.files):
        return True
    if any(pattern.match(pull.title) for pattern in (_TO_VERSION, _PINS, _ZH)):
        return True
    return is_bot(pull.author) and bool(pull.files) and len(dependency_files(pull)) == len(pull.files)
