"""All signals of a week."""

from collections.abc import Callable, Sequence

from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Area, PullRequestSignals, Signals
from prhub_digest.signals.areas import area_candidates, area_list, areas_touched
from prhub_digest.signals.changes import BY_PATH, NOISE, lines_of
from prhub_digest.signals.core_paths import Touched, core_files, core_path, touched
from prhub_digest.signals.flags import in_order, risk_flags
from prhub_digest.signals.follow_ups import Week
from prhub_digest.signals.reverts import revert_links
from prhub_digest.signals.scores import rule_scores
from prhub_digest.signals.subject import DEFAULTS, Subject
from prhub_digest.signals.tags import tags_of
from prhub_digest.signals.units import unit_list


def compute_signals(
    pulls: Sequence[PullRequest],
    configured: tuple[Area, ...] = (),
    *,
    settings: SignalSettings = DEFAULTS,
    kinds: FileKinds = BY_PATH,
    whole: Callable[[PullRequest], PullRequest] = lambda pull: pull,
) -> Signals:
    """What rules know about each pull request, by number, whatever the order of `pulls`.

    `configured` is the closed list of areas; without one it is learned from the paths of the week. `pulls` may lack
    large patches, which would not all fit into memory: `whole` gives one pull request with all of them.
    """
    areas = area_list(pulls, configured, kinds)
    reverts, reverted_by = revert_links(pulls)
    follow_ups = Week.of(pulls)
    found: list[PullRequestSignals] = []
    week: list[Touched] = []
    # One at a time: what is read of a diff is much larger than the diff.
    for pull in sorted(pulls, key=lambda pull: pull.number):
        subject = Subject.read(whole(pull), settings, kinds, follow_ups)
        week.append(touched(subject))
        number = pull.number
        found.append(_signals(subject, areas, kinds, reverts.get(number), reverted_by.get(number)))
    core = core_files(week, settings)
    return Signals(
        areas=areas,
        pulls=tuple(
            own.model_copy(
                update={
                    "flags": in_order((*own.flags, core_path(of_it, core))),
                    "core_files": tuple(path for path in of_it.paths if path in (core or ())),
                }
            )
            for own, of_it in zip(found, week, strict=True)
        ),
        units=unit_list(pulls, settings),
    )


def _signals(
    subject: Subject, areas: tuple[Area, ...], kinds: FileKinds, reverts: int | None, reverted_by: int | None
) -> PullRequestSignals:
    """What is known of one pull request without the others; the flag `core_path` is added later."""
    pull = subject.pull
    flags = risk_flags(subject)
    counted = tuple(file.change for file in subject.files if file.kind not in NOISE)
    candidates = area_candidates(pull, areas, kinds)
    return PullRequestSignals(
        pull=pull.number,
        area=candidates[0],
        area_candidates=candidates,
        touched=areas_touched(pull, areas, kinds),
        tags=tags_of(pull, subject.settings),
        change_type=subject.change_type,
        bot=is_bot(pull.author),
        labels=pull.labels or (),
        changed_lines=lines_of(counted),
        changed_files=len(counted),
        flags=flags,
        threads=subject.threads,
        reverts=reverts,
        reverted_by=reverted_by,
        scores=rule_scores(subject, flags),
    )
