"""What the stages before compose have made of a period."""

from dataclasses import dataclass, field

from prhub_digest.models.pull_request import Collection
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.signals import Signals
from prhub_digest.models.stats import Stats
from prhub_digest.pipeline.summarizing import Summaries


@dataclass(frozen=True)
class Week:
    """What a stage has not reached yet is empty."""

    collection: Collection
    signals: Signals
    summaries: Summaries = field(default_factory=dict)
    ranking: Ranking = field(default_factory=lambda: Ranking(entries=()))
    stats: Stats | None = None

    @property
    def statistics(self) -> Stats:
        if self.stats is None:
            raise AssertionError("the statistics are made by the rank stage")
        return self.stats
