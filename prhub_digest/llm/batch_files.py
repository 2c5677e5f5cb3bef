"""The files of one round: the questions that wait, split where the Batch API wants it, whole or absent."""

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import Field

from prhub_digest.errors import BudgetError, UsageError
from prhub_digest.llm.abilities import Abilities
from prhub_digest.llm.batch import TRIES, PendingClient, Question
from prhub_digest.llm.batch_budget import Limits, RoundBudget
from prhub_digest.llm.batch_kinds import kinds_of
from prhub_digest.llm.openai_api import adapted_body
from prhub_digest.models.base import Record
from prhub_digest.run_folder import RunFolder

ROUNDS = "batch/rounds.json"
ROUND_FILES = ("batch/round-[0-9][0-9][0-9].jsonl", "batch/round-[0-9][0-9][0-9].part-[0-9][0-9][0-9].jsonl")
# The limits of OpenAI's Batch API; others take the same or more requests, and half to all of the bytes.
MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
_MOST_PARTS = 999
_serial = itertools.count()


class Round(Record):
    """`rounds.json`: the round that was exported last. `ids` are all of its questions, also those answered since.

    `asked` are those of all rounds so far. The limits, of a file and of costs, stay those that were asked for last.
    `sent` are, by model, the ways in which requests were written, the last one last.
    """

    number: int = 0
    ids: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    sent: dict[str, tuple[Abilities, ...]] = Field(default_factory=dict)
    limits: Limits = Limits()
    most_requests: int = MOST_REQUESTS
    most_bytes: int = MOST_BYTES


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of a round with the ids of their questions, which are of these `kinds`, and how each file asks.

    No file, when all that waits is under way.
    """

    number: int
    kinds: tuple[str, ...]
    files: tuple[Path, ...]
    ids: tuple[tuple[str, ...], ...]
    sent: tuple[Abilities, ...]

    @property
    def count(self) -> int:
        return sum(map(len, self.ids))

    @property
    def words(self) -> str:
        """`round 2 (headlines): 3 requests in FILE`."""
        requests = "1 request" if self.count == 1 else f"{self.count:,} requests"
        return f"round {self.number} ({', '.join(self.kinds)}): {requests} in {', '.join(map(str, self.files))}"


def current_round(folder: RunFolder) -> Round:
    return folder.read_valid(ROUNDS, Round) or Round()


def export_round(
    folder: RunFolder,
    client: PendingClient,
    *,
    leave_out: frozenset[str] = frozenset(),
    most_requests: int | None = None,
    most_bytes: int | None = None,
    budget: RoundBudget | None = None,
    limits: Limits | None = None,
) -> Exported:
    """Writes what waits, but for the ids to leave out; nothing is written where the files are there already.

    It is the next round as soon as something waits that did not stand in the last one. Files of earlier rounds go,
    after those of this one are there. `budget` holds what waits against `limits`, or else against those of before.

    Raises:
        UsageError: the folder cannot be written, or a question is larger than a file may be.
        BudgetError: the round would cost too much; no file is left.
    """
    waiting = client.waiting
    ids = tuple(question.id for question in waiting)
    before = within_budget(folder, client, budget, limits)
    now = before.updated(
        most_requests=most_requests or before.most_requests, most_bytes=most_bytes or before.most_bytes
    )
    if not {*ids} <= {*before.ids}:
        asked = tuple(sorted({*before.asked, *ids}))
        now = now.updated(number=before.number + 1, ids=ids, asked=asked)
    questions = [question for question in waiting if question.id not in leave_out]
    parts = _parts(questions, client, now)
    files = tuple(folder.file(name) for name in _names(now.number, len(parts)))
    for path, part in zip(files, parts, strict=True):
        _write_lines(path, part, client)
    now = _noted(now, questions, client)
    if now != before:
        folder.write_record(ROUNDS, now)
    discard_rounds(folder, keep=files)
    ids_of_files = tuple(tuple(question.id for question in part) for part in parts)
    sent = tuple(client.abilities(part[0].request.model) for part in parts)
    return Exported(now.number, kinds_of(questions), files, ids_of_files, sent)


def within_budget(
    folder: RunFolder, client: PendingClient, budget: RoundBudget | None, limits: Limits | None = None
) -> Round:
    """The round that was exported last, with the limits that hold now, which are kept.

    Raises:
        BudgetError: what waits would cost too much; no file of a round is left.
    """
    before = current_round(folder)
    now = before.updated(limits=limits) if limits else before
    if now != before:
        folder.write_record(ROUNDS, now)
    if budget is not None:
        try:
            budget.refuse_over(now.limits, client.waiting, now.asked, client.tries)
        except BudgetError:
            discard_rounds(folder)
            raise
    return now


def export_to(path: Path, folder: RunFolder, client: PendingClient, leave_out: frozenset[str] = frozenset()) -> int:
    """Writes what waits, but for the ids to leave out, into one file of the user's; returns how many questions."""
    questions = [question for question in client.waiting if question.id not in leave_out]
    _write_lines(path, questions, client)
    before = current_round(folder)
    now = _noted(before, questions, client)
    if now != before:
        folder.write_record(ROUNDS, now)
    return len(questions)


def _noted(now: Round, questions: Iterable[Question], client: PendingClient) -> Round:
    """With the ways in which these questions are asked."""
    sent = dict(now.sent)
    for model in {question.request.model for question in questions}:
        way = client.abilities(model)
        sent[model] = (*(own for own in sent.get(model, ()) if own != way), way)
    return now.updated(sent=sent)


def discard_rounds(folder: RunFolder, keep: Sequence[Path] = ()) -> None:
    """Remove the files of rounds that no longer wait."""
    for pattern in ROUND_FILES:
        for path in folder.path.glob(pattern):
            if path not in keep:
                path.unlink(missing_ok=True)


def forget_batches(folder: RunFolder) -> None:
    """Remove all that batch files left in a folder, when its replies are recorded elsewhere; jobs stay."""
    discard_rounds(folder)
    for name in (ROUNDS, TRIES):
        folder.discard(name)


def line_of(question: Question, client: PendingClient) -> bytes:
    """One line of a batch input file, as the endpoint is known to take it."""
    request = question.request
    body = adapted_body(request, question.messages, question.limit, client.abilities(request.model))
    line = {"custom_id": question.id, "method": "POST", "url": "/v1/chat/completions", "body": body}
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _parts(questions: Sequence[Question], client: PendingClient, limits: Round) -> list[list[Question]]:
    """The questions of each file: one model a file, as many as fit."""
    parts: list[list[Question]] = []
    for model in sorted({question.request.model for question in questions}):
        size = 0
        parts.append([])
        for question in questions:
            if question.request.model != model:
                continue
            length = len(line_of(question, client))
            if length > limits.most_bytes:
                raise UsageError(
                    f"{question.id} has {length:,} bytes, more than a file may have: {limits.most_bytes:,}"
                )
            if parts[-1] and (len(parts[-1]) >= limits.most_requests or size + length > limits.most_bytes):
                parts.append([])
                size = 0
            parts[-1].append(question)
            size += length
    if len(parts) > _MOST_PARTS:
        raise UsageError(f"{len(parts):,} files would be needed, more than {_MOST_PARTS}; allow more in each of them")
    return parts


def _names(number: int, parts: int) -> list[str]:
    if parts == 1:
        return [f"batch/round-{number:03}.jsonl"]
    return [f"batch/round-{number:03}.part-{part:03}.jsonl" for part in range(1, parts + 1)]


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that is there, with all that was written, only after the block has ended well.

    Raises:
        UsageError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{next(_serial)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; of a file that cannot be read, that of nothing."""
    digest = hashlib.sha256()
    with suppress(OSError), path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _write_lines(path: Path, questions: Sequence[Question], client: PendingClient) -> None:
    """A file that holds just these questions already is left as it is."""
    digest = hashlib.sha256()
    for question in questions:
        digest.update(line_of(question, client))
    if digest.hexdigest() == file_hash(path):
        return
    with whole_file(path) as file:
        file.writelines(line_of(question, client) for question in questions)
