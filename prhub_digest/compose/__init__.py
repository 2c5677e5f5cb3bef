"""Summaries, ranking and statistics -> a language-free plan -> its wording in one language."""

from prhub_digest.compose.assembly import PlanReplies, assembled_plan, plan_by_rules
from prhub_digest.compose.digest import DigestMaterial, Words, compose_digest
from prhub_digest.compose.facts import dangers_block, facts_block, facts_of, stats_block
from prhub_digest.compose.lines import LINES_A_CALL, LINES_PROMPT, LinesTask, line_repairs, line_tasks, shown_lines
from prhub_digest.compose.plan import FULL_PULLS, PlanMaterial, plan_fault, theme_fault
from prhub_digest.compose.themes import MOST_THEMES, Grouping, group_by_theme
from prhub_digest.compose.wording import (
    BODY,
    HEADINGS_PROMPT,
    ITEMS_A_CALL,
    SENTENCES_PROMPT,
    Wording,
    WordingMaterial,
    WordingTask,
    repair_task,
    word,
    worded_first,
    wording_tasks,
)

__all__ = [
    "BODY",
    "FULL_PULLS",
    "HEADINGS_PROMPT",
    "ITEMS_A_CALL",
    "LINES_A_CALL",
    "LINES_PROMPT",
    "MOST_THEMES",
    "SENTENCES_PROMPT",
    "DigestMaterial",
    "Grouping",
    "LinesTask",
    "PlanMaterial",
    "PlanReplies",
    "Wording",
    "WordingMaterial",
    "WordingTask",
    "Words",
    "assembled_plan",
    "compose_digest",
    "dangers_block",
    "facts_block",
    "facts_of",
    "group_by_theme",
    "line_repairs",
    "line_tasks",
    "plan_by_rules",
    "plan_fault",
    "repair_task",
    "shown_lines",
    "stats_block",
    "theme_fault",
    "word",
    "worded_first",
    "wording_tasks",
]
