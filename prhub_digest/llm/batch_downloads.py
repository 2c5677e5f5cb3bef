"""The files of a batch that has ended, and whether they can be all of what it brought."""

import os
from dataclasses import dataclass
from functools import partial

from prhub_digest.llm.batch_api import BatchApi, BatchState, NoBatchApiError
from prhub_digest.llm.batch_files import whole_file
from prhub_digest.llm.batch_jobs import Job
from prhub_digest.llm.batch_lines import Lines
from prhub_digest.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class Download:
    """The names of the files to import; `broken` says why there must be more than came, and is empty else.

    Such as `12 of 24 replies came (file-3 ends inside a line)`.
    """

    names: tuple[str, ...]
    broken: str


def download(api: BatchApi, folder: RunFolder, job: Job, state: BatchState, stem: str) -> Download:
    """Fetches the output and the error file; what is left of a broken download are whole lines. Raises ServiceError."""
    contents: dict[str, Lines] = {}
    faults: list[str] = []
    for file_id, name in ((state.output_file, f"{stem}.jsonl"), (state.error_file, f"{stem}.errors.jsonl")):
        if file_id is None:
            continue
        try:
            api.download(file_id, partial(whole_file, folder.file(name)))
        except NoBatchApiError:
            faults.append(f"{file_id} is gone from the server")
            continue
        lines = contents[name] = Lines([folder.file(name)])
        if lines.broken and not lines.ids:
            faults.append(f"{file_id} holds not one line of a reply")
        elif lines.cut:
            faults.append(f"{file_id} ends inside a line")
    ids = {own for lines in contents.values() for own in lines.ids}
    if contents and not faults and not ids and state.status == "completed":
        faults.append("an empty file")
    broken = _broken(job, state, ids, faults)
    if broken:
        contents = {name: lines for name, lines in contents.items() if _keep_replies(folder, name, lines)}
    return Download(tuple(contents), broken)


def _keep_replies(folder: RunFolder, name: str, lines: Lines) -> bool:
    """Whether there are any; else the file goes."""
    if not lines.ids:
        folder.discard(name)
    for path, start in lines.cut if lines.ids else ():
        os.truncate(path, start)
    return bool(lines.ids)


def _broken(job: Job, state: BatchState, ids: set[str], faults: list[str]) -> str:
    """Empty, when every request has its line, or nothing tells that there are more than came.

    What a server counts in a batch without a single answer was not paid for, and some write no lines for it.
    """
    came = len(ids.intersection(job.ids))
    counted = min(state.completed + state.failed, len(job.ids)) if state.completed else 0
    if came == len(job.ids) or not (faults or came < counted):
        return ""
    why = f" ({'; '.join(faults)})" if faults else ""
    return f"{came:,} of {counted or len(job.ids):,} replies came{why}"
