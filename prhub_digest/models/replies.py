"""The reply classes by name, as prompt files name them."""

from prhub_digest.models.base import Record
from prhub_digest.models.digest import WordingReply
from prhub_digest.models.plan import PlanReply, ThemeReply
from prhub_digest.models.ranking import CompareReply
from prhub_digest.models.summary import HeadlineReply, SummaryReply

REPLIES: dict[str, type[Record]] = {
    reply.__name__: reply for reply in (SummaryReply, HeadlineReply, CompareReply, ThemeReply, PlanReply, WordingReply)
}
