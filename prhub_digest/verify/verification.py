"""All checks over one worded digest. Pure: no clock, no disk, no network."""

from prhub_digest.models.verification import Verification
from prhub_digest.verify import (
    figures,
    headings,
    identifiers,
    known_ids,
    language,
    lines,
    pulls_in_week,
    quotes,
    statistics,
    stray_digits,
    structure,
    support,
    trend_words,
)
from prhub_digest.verify.context import build_context
from prhub_digest.verify.inputs import VerifyInput

CHECKS = (
    known_ids.check,
    pulls_in_week.check,
    quotes.check,
    figures.check,
    statistics.check,
    stray_digits.check,
    identifiers.check,
    trend_words.check,
    support.check,
    language.check,
    headings.check,
    structure.check,
    lines.check,
)


def verify_digest(inputs: VerifyInput) -> Verification:
    """Every check's findings, in the order of docs/checks.md, and how much each looked at."""
    context = build_context(inputs)
    reports = [check(context) for check in CHECKS]
    return Verification(
        language=inputs.digest.language,
        checks=tuple(report.count for report in reports),
        findings=tuple(finding for report in reports for finding in report.findings),
    )
