"""What code can know about a week by rules alone; everything here is pure."""

from prhub_digest.signals.areas import area_candidates, area_list
from prhub_digest.signals.compute import compute_signals
from prhub_digest.signals.stats import compute_stats
from prhub_digest.signals.threads import thread_outcomes

__all__ = ["area_candidates", "area_list", "compute_signals", "compute_stats", "thread_outcomes"]
