"""Summaries, ranking and statistics -> a language-free plan -> its wording in one language."""

from prhub_digest.compose.digest import DigestMaterial, Words, compose_digest
from prhub_digest.compose.facts import facts_block, facts_of, stats_block
from prhub_digest.compose.plan import PlanMaterial, plan_fault, plan_from_reply
from prhub_digest.compose.rules_plan import rules_plan
from prhub_digest.compose.wording import (
    BODY,
    ITEMS_A_CALL,
    WordingMaterial,
    WordingTask,
    repair_task,
    word,
    wording_tasks,
)

__all__ = [
    "BODY",
    "ITEMS_A_CALL",
    "DigestMaterial",
    "PlanMaterial",
    "WordingMaterial",
    "WordingTask",
    "Words",
    "compose_digest",
    "facts_block",
    "facts_of",
    "plan_fault",
    "plan_from_reply",
    "repair_task",
    "rules_plan",
    "stats_block",
    "word",
    "wording_tasks",
]
