"""Checklists of templates become one line with counts; what people list to be done stays as it is."""

import re
from collections.abc import Sequence

from prhub_digest.hygiene.boilerplate import shapes

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+\[ ?(?P<tick>[ xX]) ?\]\s*(?P<text>.*)")

# Kinds of change to choose from: the ticked ones say something.
_CHOICE = shapes(
    r"(?:a )?bug ?-?fix",
    r"new feature",
    r"(?:non-)?breaking change",
    r"(?:feature|enhancement|refactor(?:ing)?|chore|performance|tests?|docs?|documentation|security|revert|hotfix|other)"
    r"(?: (?:improvements?|updates?|changes?|fix|update))?\W*(?:\(.{0,100}\)?)?\W*$",
    r"(?:code style|build|ci)(?: related)?(?: (?:update|changes?))?\W*(?:\(.{0,100}\)?)?\W*$",
    r"(?:dependenc(?:y|ies)|maintenance|cleanup|code quality)(?: (?:updates?|upgrade|improvements?))?"
    r"\W*(?:\(.{0,100}\)?)?\W*$",
    r"this change requires a documentation update",
)
# What everyone who opens a pull request is asked to have done.
_DUTY = shapes(
    r"i(?:'ve| have| am| agree| confirm| understand| ran| did| added| read| will)\b",
    r"my (?:code|changes?|pr|commits?)\b",
    r"(?:the|this) (?:pr|pull request|code|title|purpose|description|test plan|test results?|commits?|branch|change)\b",
    r"new and existing\b",
    r"any dependent changes\b",
    r"all (?:new|existing|tests|commits|checks)\b",
    r"(?:unit |new )?tests? (?:added|pass|have been|are|for the)\b",
    r"tests? cover\b",
    r"(?:code|pr|lint(?:ing)?|pre-commit|ci) (?:compiles|builds|passes|follows|has|is|title)\b",
    r"(?:add|added|update|updated|include|included|write|wrote) \(?(?:unit|relevant|necessary|appropriate|documentation"
    r"|docs?|docstrings?|tests?|(?:a |an )?(?:changelog|changeset|release note)s?)\b",
    r"(?:changelog|docs?|documentation) (?:entry )?(?:has been |is )?(?:added|updated)",
    r"format(?:ted)? (?:your|the) code\b",
    r"follow(?:s|ed)? (?:the|our)\b.{0,60}\b(?:guid|style|convention|contribut)",
    r"provide accuracy and speed benchmark results\b",
    r"read (?:and \w+ )?(?:to )?(?:the )?\W*contribut",
    r"(?:tests?|docs) (?:for the changes )?have been added\b",
    r"(?:lint(?:ing)?|ci)(?: and|,) (?:unit )?tests? pass\b",
    r"ran (?:the )?(?:tests|linters?|pre-commit|formatter)\b",
    r"linked (?:the |an )?(?:related |relevant )?issue",
    r"self-review",
    r"signed (?:the )?cla\b",
    r"\(?optional\b",
    r"commits? (?:are|is|follow)",
)
_ABOUT_TESTS = re.compile(r"\btest(?:s|ed|ing)?\b", re.IGNORECASE)
_LEAST = 2
_LOOKED_AT = 200  # characters of an item
_NAMED = 100  # characters of an item that is named


def fold_checklists(lines: Sequence[str]) -> list[str]:
    """The same number of lines; of a template's list the first says how much is ticked, the others are empty."""
    kept = list(lines)
    block: list[int] = []
    for number, line in enumerate([*lines, "end"]):
        if _ITEM.fullmatch(line):
            block.append(number)
        elif line.strip() and block:
            _fold(kept, block)
            block = []
    return kept


def _fold(lines: list[str], block: Sequence[int]) -> None:
    items = [found for number in block if (found := _ITEM.fullmatch(lines[number]))]
    texts = [item["text"][:_LOOKED_AT] for item in items]
    ticked = [item["tick"] != " " for item in items]
    if not _is_template(texts):
        return
    for number in block:
        lines[number] = ""
    lines[block[0]] = _counts(texts, ticked)


def _is_template(items: Sequence[str]) -> bool:
    """Two items or more, at least three in four of them duties, or kinds of change to choose from."""
    if len(items) < _LEAST:
        return False
    return any(4 * sum(1 for item in items if known.match(item)) >= 3 * len(items) for known in (_CHOICE, _DUTY))


def _counts(items: Sequence[str], ticked: Sequence[bool]) -> str:
    """What the list says in one line; nothing when it is one to choose from, and nobody chose."""
    said = f"{sum(ticked)} of {len(items)} ticked"
    if all(_CHOICE.match(item) for item in items):
        chosen = [item for item, tick in zip(items, ticked, strict=True) if tick]
        return f"[checklist: {said}: {_named(chosen)}]" if chosen else ""
    untested = [item for item, tick in zip(items, ticked, strict=True) if not tick and _ABOUT_TESTS.search(item)]
    if untested and any(ticked):
        said += f"; not ticked: {_named(untested)}"
    return f"[checklist: {said}]"


def _named(items: Sequence[str]) -> str:
    return "; ".join(item if len(item) <= _NAMED else item[:_NAMED].rstrip() + "…" for item in items)
