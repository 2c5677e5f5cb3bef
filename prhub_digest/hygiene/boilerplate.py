"""What bots and templates write under every pull request: the shapes by which it is known.

Each shape is something that only a bot or a template says; a person who writes about coverage, deployments or
checklists is not meant. Lines are those of cleaned prose, of which only the first 400 characters are looked at.
"""

import re
from dataclasses import dataclass


def shapes(*spelled: str) -> re.Pattern[str]:
    """One of the shapes, whatever emoji and marks stand before it."""
    return re.compile(rf"[\W_]*(?:{'|'.join(spelled)})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WholeComment:
    """A comment that is boilerplate as a whole: one of its first lines begins so, and some line says `also`."""

    name: str
    begins: re.Pattern[str]
    also: re.Pattern[str] | None = None


WHOLE = (
    WholeComment(
        "coverage report",
        shapes(r"codecov\b.{0,60}\breport\b", r"coverage (?:report|summary)\W*$", r"pull request test coverage report"),
    ),
    WholeComment(
        "contributor agreement",
        shapes(
            r".{0,80}\bcla assistant\b",
            r"all committers have signed the cla",
            r"thank you for your submission.{0,200}\bcontributor license agreement",
            r".{0,200}\bneed to sign (?:a|our|the) (?:\w+ )?contributor license agreement",
            r"easycla\b",
        ),
    ),
    WholeComment(
        "deployment report",
        shapes(
            r"the latest updates on your projects\. learn more about",
            r"deploy preview for\b.{0,80}\b(?:ready|failed|canceled)",
            r"deploying .{0,80}\bcloudflare pages",
            r"visit the preview url for this pr",
        ),
    ),
    WholeComment("changeset notice", shapes(r"changeset detected", r"no changeset found")),
    WholeComment("greeting of contributors", shapes(r"hi! thank you for contributing to the\b")),
    WholeComment("links of the CI", shapes(r"helpful links\W*$", r"link: helpful links\W*$")),
    WholeComment(
        "notice of conflicts",
        shapes(r"this pull request has merge conflicts that must be resolved before it can be merged"),
    ),
    WholeComment(
        "note of a review bot",
        shapes(r".{0,60}\bi'm gemini code assist\b", r"thanks for using coderabbit\b", r"review skipped\W*$"),
    ),
    WholeComment("overview by a review bot", shapes(r"walkthrough\W*$"), shapes(r".{0,200}\bcoderabbit")),
    WholeComment(
        "overview by a review bot",
        shapes(r"pull request overview\W*$"),
        shapes(r".{0,60}\bcopilot reviewed \d+ out of \d+ changed files"),
    ),
    WholeComment(
        "overview by a review bot", shapes(r"reviewer'?s guide by sourcery", r"greptile (?:overview|summary)")
    ),
)

# A heading whose section is a bot's words about the change.
SECTION = shapes(r"summary by (?:coderabbit|sourcery|cubic|greptile|copilot)\b", r"greptile (?:summary|overview)\b")
# Renovate's list of its own settings: the heading, and a line below it.
SETTINGS_SECTION = shapes(r"configuration\W*$")
SETTINGS_LINE = shapes(r"schedule\W.{0,200}\b(?:branch creation|automerge)\b")

# Single lines that say nothing about the change.
LINE = shapes(
    r"(?:this (?:pr|pull request) (?:was|has been) )?(?:automatically |auto-?)?(?:generated|created|opened) "
    r"(?:by|with|using) (?:an? )?\W*(?:claude|copilot|github copilot|codex|cursor|devin|renovate|mend|dependabot|gemini"
    r"|jules|aider|openhands|github actions?|pre-commit\.ci)\b.{0,120}$",
    r"co-authored-by: .{0,80}(?:\[bot\]|copilot|noreply@anthropic\.com|cursoragent@).{0,80}$",
    r"dependabot will resolve any conflicts with this pr as long as you don't alter it yourself\.",
    r"if you want to rebase/retry this pr, check this box\W*$",
    r"this change is.{0,40}\breviewable\b\W*$",
    r"useful\? react with\W*$",
    r"copilot uses ai\. check for mistakes\.",
    r"you are interacting with an ai system\.$",
    r"(?:fix in (?:cursor|web)\W*){1,2}$",
)

# What a template asks for, left standing where the answer should be.
INSTRUCTION = shapes(
    r"please (?:include|provide|add|write|give) (?:a |an )?(?:(?:short|brief|clear|concise|detailed) (?:and )?)*"
    r"(?:summary|description|overview) of\b.{0,200}$",
    r"please (?:also )?include (?:any )?(?:the )?relevant motivation and context\W*$",
    r"please describe the tests that you ran\b.{0,100}$",
    r"please (?:delete|remove) (?:options|items|lines|sections) that (?:are|do) not\b.{0,60}$",
    r"(?:please )?(?:check|tick|select|mark|put an `?x`? in(?:to)?) (?:all |any )?(?:of )?(?:the |one )?"
    r"(?:box|option|type)(?:es|s)?(?![a-z]).{0,80}$",
    r"please read (?:the |our )?\W*contribut.{0,200}$",
    r"what (?:kind|types?) of changes? does (?:this pr|your code) introduce\b.{0,80}$",
    r"(?:please )?fill in (?:the |your )?(?:pr |pull request )?description\b.{0,120}$",
    r"(?:describe|explain|summarize) (?:the |your )(?:changes?|purpose|motivation)"
    r"(?: (?:here|in detail|in this pr|of this pr))?\W*$",
    r"(?:fix|fixes|close|closes|resolves?|issue|related issue)\W{0,4}#\W*(?:x+|issue|_+)?\W*(?:\(.{0,120}\)\W*)?$",
    r"no response_?$",
    r"before submitting, please read\b.{0,200}$",
    r"thank(?:s| you) for (?:contributing|your contribution)\b.{0,200}$",
    r"list any dependencies that are required for this change\W*$",
    r"provide instructions so we can reproduce\W*$",
    r"(?:please )?also list any relevant details for your test configuration\W*$",
)
EMPTY_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,2}[.)])\s*")

# Titles of collapsible sections that bots add.
DETAILS = shapes(
    r"(?:commits|dependabot commands and options|maintainer changes|tips|share|poem|getting help)\W*$",
    r"most recent ignore conditions applied\b",
    r"(?:finishing touches|pre-merge checks|walkthrough|(?:recent )?review (?:details|info)|configuration used)\b",
    r"files (?:selected for processing|skipped from review|with missing lines)\b",
    r"(?:using gemini code assist|interacting with sourcery|customizing your experience)\b",
    r"thank you for using coderabbit\b",
    r"(?:additional details and impacted files|show a summary per file|code coverage|impacted files)\b",
    r"comments suppressed due to low confidence\b",
    r"about (?:codex|copilot|coderabbit)\b",
    r"(?:analysis chain|committable suggestion|tools\W*$|(?:all )?(?:scripts|script) executed|learnings used)\b",
    r"(?:.{0,40}\b)?prompt for (?:all .{0,60})?ai agents?\b",
)
# A picture whose words grade a remark is no badge, wherever it comes from.
GRADE = re.compile(
    r"(?:!\[|\balt\s?=\s?[\"'])[^\]\"'\n]{0,40}?\b(?:P[0-4]|priority|severity|critical|major|minor|high|medium|low)\b",
    re.IGNORECASE,
)
# Addresses of pictures that say "passing", "12 % covered" or "newest version", and nothing else.
BADGE = re.compile(
    r"img\.shields\.io|/badges?[/.?-]|badge\.(?:svg|fury\.io)|badges\.(?:renovateapi|gitter)\.|dependabot-badges"
    r"|codecov\.io/.{0,200}graphs?/|developer\.mend\.io/api/mc/badges|coveralls\.io/builds|/review_button\.|/buttons?/",
    re.IGNORECASE,
)
