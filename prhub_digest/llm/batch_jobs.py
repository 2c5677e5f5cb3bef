"""Which requests of a run are at a Batch API: `batch/jobs.json`."""

from collections.abc import Iterable

from prhub_digest.llm.abilities import Abilities
from prhub_digest.models.base import Record
from prhub_digest.run_folder import RunFolder

JOBS = "batch/jobs.json"


class Job(Record):
    """One file of requests on its way. `input_file` and `batch` are the server's ids, as soon as they are known.

    `sent`: in which way its requests are asked. `done`: nothing more will come of it; its requests have their replies,
    or wait for another batch.
    """

    file: str
    sha256: str
    round: int
    ids: tuple[str, ...]
    place: str
    sent: Abilities | None = None
    input_file: str | None = None
    batch: str | None = None
    status: str = "begun"
    completed: int = 0
    failed: int = 0
    problem: str = ""
    downloaded: tuple[str, ...] = ()
    done: bool = False

    @property
    def words(self) -> str:
        """`batch_abc (round 1, 62 requests): in_progress, 12 completed, 1 failed`."""
        requests = "1 request" if len(self.ids) == 1 else f"{len(self.ids):,} requests"
        counts = f", {self.completed:,} completed, {self.failed:,} failed" if self.completed or self.failed else ""
        why = f": {self.problem}" if self.problem else ""
        return f"{self.batch} (round {self.round}, {requests}): {self.status}{counts}{why}"


class JobList(Record):
    """`jobs.json`."""

    jobs: tuple[Job, ...] = ()


def ids_under_way(folder: RunFolder) -> frozenset[str]:
    """The ids of their questions, which must not be asked a second time."""
    return frozenset(name for job in jobs_under_way(folder) for name in job.ids)


def ids_awaited(folder: RunFolder) -> frozenset[str]:
    """The ids of those whose batch has not brought its files yet."""
    return frozenset(name for job in jobs_under_way(folder) if not job.downloaded for name in job.ids)


def jobs_under_way(folder: RunFolder) -> tuple[Job, ...]:
    """To be told of them; none where the file cannot be read."""
    stored = folder.read_valid(JOBS, JobList)
    return tuple(filter(_is_under_way, stored.jobs)) if stored else ()


class Jobs:
    """The jobs of a run folder, oldest first; every change is on the disk before the next step.

    Raises UsageError when what is there cannot be read: it may stand for something that has to be paid for.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        stored = folder.read_record(JOBS, JobList)
        self._jobs = list(stored.jobs) if stored else []

    @property
    def under_way(self) -> tuple[Job, ...]:
        return tuple(filter(_is_under_way, self._jobs))

    @property
    def begun(self) -> tuple[Job, ...]:
        """Files that were to be submitted, and of which no batch is known."""
        return tuple(job for job in self._jobs if job.batch is None)

    @property
    def batches(self) -> frozenset[str]:
        """The ids of all batches that were ever under way."""
        return frozenset(job.batch for job in self._jobs if job.batch is not None)

    def add(self, job: Job) -> Job:
        self._jobs.append(job)
        self._save()
        return job

    def change(self, job: Job, **changes: object) -> Job:
        new = job.updated(**changes)
        self._jobs[self._jobs.index(job)] = new
        if new != job:
            self._save()
        return new

    def remove(self, jobs: Iterable[Job]) -> None:
        gone = list(jobs)
        if gone:
            self._jobs = [job for job in self._jobs if job not in gone]
            self._save()

    def _save(self) -> None:
        self._folder.write_record(JOBS, JobList(jobs=tuple(self._jobs)))


def _is_under_way(job: Job) -> bool:
    return job.batch is not None and not job.done
