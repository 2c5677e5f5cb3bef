"""A run's files through a Batch API, on the disk before and after each step, so that a kill loses an upload at most."""

import re
from collections.abc import Callable
from pathlib import Path

from prhub_digest.errors import ServiceError, UsageError
from prhub_digest.llm.abilities import Abilities
from prhub_digest.llm.batch_api import ENDED, BatchApi, BatchState, NoBatchApiError, RejectedError, made_for
from prhub_digest.llm.batch_downloads import download
from prhub_digest.llm.batch_files import Exported, file_hash
from prhub_digest.llm.batch_jobs import Job, Jobs
from prhub_digest.run_folder import RunFolder

_AGAIN = "prhub-digest batch submit --again forgets what is under way and submits it anew, to be paid again"


class BrokenDownloadError(ServiceError):
    """What was downloaded is not all that there is: cut, empty, gone, or no file of replies, such as a proxy's page."""


class Service:
    """The jobs of one run at one Batch API. `say` is told each step; `failed`: a batch ended without all its work."""

    def __init__(self, api: BatchApi, folder: RunFolder, jobs: Jobs, say: Callable[[str], None]) -> None:
        self._api = api
        self._folder = folder
        self._say = say
        self._jobs = jobs
        self._listed: tuple[BatchState, ...] | None = ()
        self._pieces: dict[Path, Abilities | None] = {}
        self.failed = False

    def settle(self, *, again: bool) -> None:
        """Finds out what became of an interrupted submission; with `again` everything under way is forgotten.

        Raises:
            ServiceError: the server does not list its batches, and one may have been made.
        """
        if again:
            self._jobs.remove(self._jobs.begun)
            for job in self._jobs.under_way:
                self._jobs.change(job, problem="forgotten with --again", done=True)
        self._refuse_another_place()
        self._listed = self._list()
        for job in self._jobs.begun:
            if self._listed is None and job.input_file is not None:
                raise ServiceError(
                    f"whether a batch was made of {job.file} before the interruption is not known:"
                    f" {self._api.place} does not list its batches; look there, or: {_AGAIN}"
                )
            self._adopt(job)

    def submit(self, exported: Exported) -> None:
        """A batch for each file, unless there is one already. Raises ServiceError; what was reached stays known."""
        left = list(self._jobs.begun)
        for path, ids, sent in zip(exported.files, exported.ids, exported.sent, strict=True):
            sha256 = file_hash(path)
            job = next((job for job in left if job.sha256 == sha256), None)
            if job is not None:
                left.remove(job)
            else:
                job = Job(
                    file=path.name, sha256=sha256, round=exported.number, ids=ids, place=self._api.place, sent=sent
                )
                self._jobs.add(job)
            if not self._adopt(job):
                self._create(job, path)
        for job in left:
            if job.input_file is not None:
                self._say(f"{job.input_file} was uploaded before an interruption and is of no use any more")
        self._jobs.remove(left)

    def look(self) -> None:
        """One look at each batch that is under way; the files of those that have ended are fetched.

        Raises:
            ServiceError: a batch cannot be looked at, or not all of its replies came; what was found out about the
                others stays known.
        """
        self._refuse_another_place()
        broken: BrokenDownloadError | None = None
        for job in self._jobs.under_way:
            if job.downloaded:
                continue  # a kill came before the import
            state = self._look(job)
            found = self._jobs.change(job, **_found(state))
            self._say(found.words)
            if not state.ended:
                continue
            try:
                self._fetch(found, state)
            except BrokenDownloadError as error:
                broken = broken or error  # the files of others may be whole
            else:
                self.failed = self.failed or state.status != "completed"
        if broken is not None:
            raise broken

    def cancel(self) -> None:
        """Ask for the end of everything that is under way. Raises ServiceError."""
        self._refuse_another_place()
        for job in self._jobs.under_way:
            if job.status in ENDED:
                continue  # only its replies are not here yet
            state = self._api.cancel(job.batch or "")
            self._say(self._jobs.change(job, **_found(state)).words)

    @property
    def fetched(self) -> dict[Path, Abilities | None]:
        """The files of batches that have ended, as long as they are not imported, with how their requests were sent."""
        return {self._folder.file(name): job.sent for job in self._jobs.under_way for name in job.downloaded}

    @property
    def pieces(self) -> dict[Path, Abilities | None]:
        """Likewise, what came by broken downloads of the last look; their batches stay under way."""
        return self._pieces

    def imported(self) -> None:
        """What was fetched has been imported; of broken downloads, the rest is fetched later."""
        for job in self._jobs.under_way:
            if job.downloaded:
                self._jobs.change(job, done=True)

    def _list(self) -> tuple[BatchState, ...] | None:
        """What the server lists; None where it lists nothing."""
        try:
            return tuple(self._api.batches())
        except NoBatchApiError:
            return None

    def _adopt(self, job: Job) -> bool:
        """Whether the server has a batch of just these requests, which nobody here knew of."""
        state = made_for(job.sha256, self._listed or (), self._jobs.batches)
        if state is None:
            return False
        found = self._jobs.change(job, batch=state.id, **_found(state))
        self._say(f"{job.file} was submitted before: {found.words}")
        return True

    def _create(self, job: Job, path: Path) -> None:
        if job.input_file is None:
            try:
                job = self._jobs.change(job, input_file=self._api.upload(path))
            except NoBatchApiError as error:
                self._jobs.remove([job])
                raise NoBatchApiError(
                    f"{self._api.place} has no Batch API ({error}): have {path} answered in another way,"
                    " such as vllm run-batch (docs/batch.md), and import the answers"
                ) from error
        try:
            state = self._api.create(
                job.input_file or "", job.sha256, {"round": str(job.round), "file": job.file}, self._jobs.batches
            )
        except (RejectedError, NoBatchApiError):
            self._jobs.remove([job])  # the next try begins with another upload
            raise
        self._say(f"submitted {path}: {self._jobs.change(job, batch=state.id, **_found(state)).words}")

    def _look(self, job: Job) -> BatchState:
        try:
            return self._api.look(job.batch or "")
        except NoBatchApiError as error:
            raise ServiceError(
                f"{error}; is it the key with which {job.batch} was submitted? If the batch is gone: {_AGAIN}"
            ) from error

    def _fetch(self, job: Job, state: BatchState) -> None:
        """Raises BrokenDownloadError; its requests were paid for, and are not submitted again by themselves."""
        stem = f"batch/downloaded-{re.sub(r'[^A-Za-z0-9_-]', '-', state.id)}"
        got = download(self._api, self._folder, job, state, stem)
        if got.broken:
            self._pieces.update({self._folder.file(name): job.sent for name in got.names})
            self._jobs.change(job, problem=got.broken)
            raise BrokenDownloadError(
                f"{state.id} has ended, and {got.broken} from {self._api.place}: the download broke. What came is"
                f" imported, nothing is submitted again, and the rest is fetched by: prhub-digest batch status"
                f" {self._folder.path}. If it stays so: {_AGAIN}"
            )
        if not got.names:
            self.failed = True
            self._say(f"{job.batch} brought no answer; its requests wait again")
        self._jobs.change(job, downloaded=got.names, done=not got.names)

    def _refuse_another_place(self) -> None:
        for job in (*self._jobs.under_way, *self._jobs.begun):
            if job.place != self._api.place:
                what = job.batch or job.file
                raise UsageError(
                    f"{what} was submitted to {job.place}, not to {self._api.place}; set OPENAI_BASE_URL to that,"
                    f" or: {_AGAIN}"
                )


def _found(state: BatchState) -> dict[str, object]:
    return {
        "status": state.status,
        "completed": state.completed,
        "failed": state.failed,
        "problem": state.problem,
    }
