"""Risk flags: each true, false or unknown, with evidence. The table of predicates is docs/risk-flags.md."""

from collections.abc import Iterable
from typing import get_args

from prhub_digest.models.signals import Flag, FlagName
from prhub_digest.signals.flags_paths import dependency, migration, security_path
from prhub_digest.signals.flags_review import no_approval, open_threads, revert, self_merged
from prhub_digest.signals.flags_size import generated_without_source, large_change, missing_tests
from prhub_digest.signals.flags_surface import configuration, default_changed, public_api
from prhub_digest.signals.subject import Subject

_ORDER = get_args(FlagName)


def risk_flags(subject: Subject) -> tuple[Flag, ...]:
    """All flags but `core_path`, which needs the whole week, in the order of the vocabulary."""
    return (
        missing_tests(subject),
        large_change(subject),
        no_approval(subject),
        self_merged(subject),
        open_threads(subject),
        public_api(subject),
        configuration(subject),
        default_changed(subject),
        dependency(subject),
        migration(subject),
        security_path(subject),
        generated_without_source(subject),
        revert(subject),
    )


def in_order(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """The flags in the order of the vocabulary."""
    return tuple(sorted(flags, key=lambda flag: _ORDER.index(flag.name)))
