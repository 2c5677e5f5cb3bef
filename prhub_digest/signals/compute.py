"""All signals of a week."""

from collections.abc import Sequence

from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signals import Area, PullRequestSignals, Signals
from prhub_digest.signals.areas import area_list, area_of
from prhub_digest.signals.change_types import change_type
from prhub_digest.signals.changes import lines_of, without_noise
from prhub_digest.signals.flags import risk_flags
from prhub_digest.signals.reverts import revert_links
from prhub_digest.signals.scores import rule_scores
from prhub_digest.signals.threads import thread_outcomes


def compute_signals(pulls: Sequence[PullRequest], configured: tuple[Area, ...] = ()) -> Signals:
    """What rules know about each pull request, by number, whatever the order of `pulls`.

    `configured` is the closed list of areas; without one it is learned from the paths of the week.
    """
    areas = area_list(pulls, configured)
    reverts = revert_links(pulls)
    reverted_by = {target: revert for revert, target in reverts.items()}
    return Signals(
        areas=areas,
        pulls=tuple(
            _signals(pull, areas, reverts.get(pull.number), reverted_by.get(pull.number))
            for pull in sorted(pulls, key=lambda pull: pull.number)
        ),
    )


def _signals(
    pull: PullRequest, areas: tuple[Area, ...], reverts: int | None, reverted_by: int | None
) -> PullRequestSignals:
    kind = change_type(pull)
    threads = thread_outcomes(pull)
    flags = risk_flags(pull, kind, threads)
    counted = without_noise(pull)
    return PullRequestSignals(
        pull=pull.number,
        area=area_of(pull, areas),
        change_type=kind,
        bot=is_bot(pull.author),
        changed_lines=lines_of(counted),
        changed_files=len(counted),
        flags=flags,
        threads=threads,
        reverts=reverts,
        reverted_by=reverted_by,
        scores=rule_scores(pull, kind, flags, threads),
    )
