"""Later pull requests that take up a review thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from prhub_digest.models.pull_request import FollowUp, PullRequest, ReviewThread
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.signals.references import names
from prhub_digest.signals.suggestions import symbols_of, touches_symbol

_FOLLOWING = ("follow-up", "follow up", "followup", "后续", "跟进")


@dataclass(frozen=True, slots=True)
class TakenUp:
    """`named`: they name the pull request and change the file of the thread, or say so in the title.

    `touched`: they change, in that file, a name that the remark advised.
    """

    named: tuple[int, ...] = ()
    touched: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(sorted({*self.named, *self.touched}))


def taken_up(thread: ReviewThread, pull: PullRequest, week: Sequence[PullRequest], settings: SignalSettings) -> TakenUp:
    """The follow-ups of one thread, among those of the week and those that the source knows to name this one."""
    within = timedelta(days=settings.follow_up_days)
    symbols = symbols_of(thread.comments[0].body) if thread.comments else ()
    later = [
        other
        for other in week
        if other.number != pull.number
        and timedelta(0) <= other.merged_at - pull.merged_at <= within
        and any(thread.path in {file.path, file.previous_path} for file in other.files)
    ]
    known = {other.number for other in week}
    referring = {item.number for item in pull.follow_ups or ()}
    named = [other.number for other in later if other.number in referring or _names(other, pull.number)]
    named += [
        item.number
        for item in pull.follow_ups or ()
        if item.number not in known and _in_time(item, pull, within) and _says_so(item, symbols)
    ]
    touched = [other.number for other in later if symbols and touches_symbol(other, thread.path, symbols)]
    return TakenUp(tuple(sorted(named)), tuple(sorted(touched)))


def _names(other: PullRequest, number: int) -> bool:
    texts = (other.title, other.body or "", *(commit.message for commit in other.commits))
    return any(names(text, number) for text in texts)


def _in_time(item: FollowUp, pull: PullRequest, within: timedelta) -> bool:
    """One that is not merged yet counts: it is under way."""
    return item.merged_at is None or timedelta(0) <= item.merged_at - pull.merged_at <= within


def _says_so(item: FollowUp, symbols: Sequence[str]) -> bool:
    """Only its title is known: it must call itself a follow-up, or hold the advised name."""
    title = item.title.casefold()
    return any(word in title for word in _FOLLOWING) or any(symbol in item.title for symbol in symbols)
