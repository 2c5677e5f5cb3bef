"""What the checks found in one worded digest."""

from typing import Literal

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.digest import Language

CheckName = Literal[
    "known_ids",
    "pulls_in_week",
    "quotes",
    "figures",
    "statistics",
    "stray_digits",
    "identifiers",
    "trend_words",
    "support",
    "language",
    "headings",
    "structure",
    "lines",
]
# What is wrong, in words that a page has in every language: docs/checks.md says which check finds which.
FindingKind = Literal[
    "unknown_citation",
    "other_citation",
    "no_citation",
    "unplanned",
    "other_week",
    "misquoted",
    "figure_unlike_source",
    "figure_words",
    "figure_direction",
    "figure_two_values",
    "unlike_statistics",
    "part_of_count",
    "superlative",
    "stray_number",
    "stray_quantity",
    "unknown_name",
    "compares_weeks",
    "little_support",
    "says_nothing",
    "foreign_words",
    "names_nothing",
    "added_negation",
    "lost_negation",
    "added_limit",
    "lost_limit",
    "added_default",
    "lost_default",
    "added_universal",
    "added_lasting",
    "added_cause",
    "lost_hedge",
    "other_direction",
    "other_person",
    "consequence",
    "revert_untold",
    "unprintable",
    "off_glossary",
    "length",
    "markup",
    "no_end_mark",
    "other_language",
    "heading",
    "no_summary",
    "unlike_ranking",
    "unlike_plan",
    "repeated",
    "unlike_english",
    "untranslated",
]


class Finding(Record):
    """`item` names the sentence; None when the finding is about the whole digest. An `error` must be repaired.

    `kind` and `about`, the words at fault, are for the page: it has a phrase for each kind, and `about` is copied from
    the sentence or its source. `message` is the whole matter in English, for whoever repairs it.
    """

    check: CheckName
    kind: FindingKind
    severity: Literal["error", "warning"]
    item: str | None
    message: str
    about: str = Field("", exclude_if=lambda about: not about)


class CheckCount(Record):
    check: CheckName
    checked: int


class Verification(Record):
    """`inputs` is the hash of what was checked and of what was found, empty while it is not kept."""

    language: Language
    inputs: str = ""
    checks: tuple[CheckCount, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")
