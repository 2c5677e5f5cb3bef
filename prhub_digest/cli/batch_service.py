"""`batch submit`, `batch status`, `batch cancel`: a run's rounds through the Batch API of a server."""

import math
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prhub_digest.cli.batch_report import in_words, say_next, say_report
from prhub_digest.cli.batching import through_run
from prhub_digest.cli.options import Config
from prhub_digest.cli.stages import stored_manifest
from prhub_digest.console import Console
from prhub_digest.errors import FatalServiceError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prhub_digest.cli.batching import Through
    from prhub_digest.llm.abilities import Abilities
    from prhub_digest.llm.batch_api import BatchApi

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder made with --llm batch.")]
MostRequests = Annotated[
    int | None,
    typer.Option("--most-requests", min=1, metavar="N", help="Requests in a file at most. Default: 50000; kept."),
]
MostMegabytes = Annotated[
    int | None, typer.Option("--most-mb", min=1, metavar="MB", help="Size of a file at most. Default: 200; kept.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Look again and again until the batches have ended.")]
MaxWait = Annotated[
    float,
    typer.Option(
        "--max-wait", min=0, metavar="SECONDS", help="With --wait: give up after that, exit 4; nothing is lost."
    ),
]
Poll = Annotated[
    float,
    typer.Option("--poll", min=0, metavar="SECONDS", help="With --wait: the first pause; each is twice the last."),
]
_TWO_DAYS = 172_800.0
_FIRST_PAUSE, _LONGEST_PAUSE = 10.0, 300.0


def add(app: typer.Typer) -> None:
    app.command("submit")(submit)
    app.command("status")(status)
    app.command("cancel")(cancel)


def as_bytes(megabytes: int | None) -> int | None:
    return megabytes * 1_000_000 if megabytes else None


def submit(
    run: RunPath,
    wait: Wait = False,
    max_wait: MaxWait = _TWO_DAYS,
    poll: Poll = _FIRST_PAUSE,
    most_requests: MostRequests = None,
    most_mb: MostMegabytes = None,
    again: Annotated[
        bool, typer.Option("--again", help="Forget what is under way, and submit all that waits anew.")
    ] = False,
    config: Config = None,
) -> None:
    """Upload the requests that wait, and make batches of them, once.

    The endpoint is that of OPENAI_BASE_URL, else that of the run. With --wait, go on round after round until every
    reply is there. The same command continues after an interruption.
    """
    with _at_work(run, config, max_wait if wait else None) as work:
        while work.submit(again=again, most_requests=most_requests, most_bytes=as_bytes(most_mb)) and wait:
            again = False
            work.look(poll)
            if work.finished or not work.progressed:
                break
        if not wait and work.has_jobs:
            work.console.message(f"look at them with: prhub-digest batch status {run}")
        work.conclude(bad=wait and not work.finished)


def status(
    run: RunPath,
    wait: Wait = False,
    max_wait: MaxWait = _TWO_DAYS,
    poll: Poll = _FIRST_PAUSE,
    config: Config = None,
) -> None:
    """Look at the batches of a run; import the replies of those that have ended."""
    with _at_work(run, config, max_wait if wait else None) as work:
        if work.nothing_to_see():
            return
        work.look(poll)
        work.conclude()


def cancel(run: RunPath, config: Config = None) -> None:
    """Ask the server to end the batches of a run; `batch status` imports what they had answered by then."""
    with _at_work(run, config) as work:
        if not work.nothing_to_see():
            work.cancel()


@contextmanager
def _at_work(run: Path, config: Path | None, max_wait: float | None = None) -> Iterator["_Work"]:
    """With `max_wait` seconds for all of it, if the batches are to be waited for."""
    from prhub_digest.llm.batch_api import BatchApi
    from prhub_digest.settings import load_settings

    settings = load_settings(config, {}, os.environ)
    _, stored = stored_manifest(run)
    base_url = settings.base_url or stored["base_url"]
    key = settings.api_key.get_secret_value() if settings.api_key else None
    until = math.inf if max_wait is None else time.monotonic() + max_wait
    with closing(BatchApi(base_url, key, settings.timeout_seconds, sleep=_pause, until=until)) as api:
        yield _Work(run, config, base_url, api, Console(), patient=max_wait is not None)


def _pause(seconds: float) -> None:
    time.sleep(seconds)


@dataclass
class _Work:
    """A run at a Batch API.

    `patient`: its batches are waited for, as long as the API may be asked. `pieces` are the hashes of what broken
    downloads brought so far.
    `progressed`: since the last submission something came in that changes what waits. `finished`: nothing waits any
    more. `bad`: a batch or a line failed; of a finished run, that it lacks replies.
    """

    run: Path
    config: Path | None
    base_url: str | None
    api: "BatchApi"
    console: Console
    patient: bool = False
    pieces: set[str] = field(default_factory=set)
    bad: bool = False
    progressed: bool = False
    finished: bool = False

    @property
    def has_jobs(self) -> bool:
        from prhub_digest.llm.batch_jobs import Jobs
        from prhub_digest.run_folder import RunFolder

        return bool(Jobs(RunFolder(self.run)).under_way)

    def nothing_to_see(self) -> bool:
        """Whether nothing is under way, which is said."""
        from prhub_digest.llm.batch_jobs import Jobs
        from prhub_digest.run_folder import RunFolder

        submit = f"prhub-digest batch submit {self.run}"
        for job in Jobs(RunFolder(self.run)).begun:
            self.console.message(f"the submission of {job.file} was interrupted; go on with: {submit}")
        if self.has_jobs:
            return False
        self.console.message(f"nothing of {self.run} is under way; what waits is submitted by: {submit}")
        return True

    def submit(self, *, again: bool, most_requests: int | None, most_bytes: int | None) -> bool:
        """Whether something is under way now."""
        from prhub_digest.llm.batch_jobs import Jobs
        from prhub_digest.llm.batch_service import Service

        self.progressed = False
        with through_run(self.run, config=self.config, base_url=self.base_url) as gone:
            jobs = Jobs(gone.run.folder)
            service = Service(self.api, gone.run.folder, jobs, self.console.message)
            service.settle(again=again)
            exported = gone.export(most_requests=most_requests, most_bytes=most_bytes)
            if exported is None:
                self._finished(gone)
            elif exported.count:
                self.console.message(exported.words)
                service.submit(exported)
            else:
                for job in jobs.under_way:
                    self.console.message(f"all that waits is under way: {job.words}")
        return bool(jobs.under_way)

    def look(self, poll: float) -> None:
        """Looks; with patience, until nothing is under way any more. Raises ServiceError when that takes too long."""
        pause = poll
        self._look()
        while self.has_jobs:
            again = f"prhub-digest batch status {self.run} --wait"
            if not self.patient:
                self.console.message(f"still under way; look again with: {again}")
                return
            if time.monotonic() + pause >= self.api.until:
                raise ServiceError(
                    f"still under way, and --max-wait is over; nothing is lost, look again with: {again}"
                )
            _pause(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            self._look()

    def cancel(self) -> None:
        from prhub_digest.llm.batch_jobs import Jobs
        from prhub_digest.llm.batch_service import Service
        from prhub_digest.run_folder import RunFolder

        folder = RunFolder(self.run)
        with folder.lock():
            Service(self.api, folder, Jobs(folder), self.console.message).cancel()
        self.console.message(f"what they answer until they end comes with: prhub-digest batch status {self.run} --wait")

    def conclude(self, *, bad: bool = False) -> None:
        if self.bad or bad:
            raise typer.Exit(1)

    def _look(self) -> None:
        """One look; with patience, a server that fails is looked at again later."""
        from prhub_digest.llm.batch_files import file_hash
        from prhub_digest.llm.batch_jobs import Jobs
        from prhub_digest.llm.batch_service import Service
        from prhub_digest.run_folder import RunFolder

        folder = RunFolder(self.run)
        with folder.lock():
            jobs = Jobs(folder)
            service = Service(self.api, folder, jobs, self.console.message)
            fault: ServiceError | None = None
            try:
                service.look()
            except FatalServiceError:
                raise
            except ServiceError as error:
                fault = error
            self.bad = self.bad or service.failed
            new = {path: way for path, way in service.pieces.items() if file_hash(path) not in self.pieces}
            self.pieces.update(map(file_hash, new))
            fetched = {**service.fetched, **new}
        if fault is not None and self.patient:
            self.console.warning(str(fault))
        if fetched:
            self._import(fetched)
        if fault is not None and not self.patient:
            raise fault

    def _import(self, fetched: "Mapping[Path, Abilities | None]") -> None:
        from prhub_digest.llm.batch_jobs import Jobs
        from prhub_digest.llm.batch_lines import Lines
        from prhub_digest.llm.batch_service import Service

        recorded = f"Batch API, {datetime.now(UTC).isoformat(timespec='seconds')}"
        sent = {path: way for path, way in fetched.items() if way is not None}
        with through_run(
            self.run, Lines(fetched), recorded, config=self.config, base_url=self.base_url, sent=sent
        ) as gone:
            report = gone.report()
            say_report(self.console, report, in_words(fetched))
            Service(self.api, gone.run.folder, Jobs(gone.run.folder), self.console.message).imported()
            self.bad = self.bad or report.bad
            self.progressed = self.progressed or report.progressed
            exported = gone.export()
            if exported is None:
                self._finished(gone)
            elif exported.count:
                say_next(self.console, exported, gone.then, str(self.run))

    def _finished(self, gone: "Through") -> None:
        self.finished = True
        self.bad = any(failure.stage in ("summarize", "compose") for failure in gone.run.manifest.failures)
        say_next(self.console, None, gone.then, None)
