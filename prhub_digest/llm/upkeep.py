"""What a reply store holds, and what of it can go. Files of others in its folder are neither counted nor touched."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from prhub_digest.llm.store import Fault, read_entry
from prhub_digest.models.base import Record
from prhub_digest.models.llm import StoredReply

_SHELF = re.compile("[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{64}\.json")
_LEFTOVER = re.compile(r"\.[0-9a-f]{64}\.json\.[0-9a-f]{32}\.tmp")
# A running process writes a file in a moment; one that was stopped and continued may take a while.
_LEFTOVER_SECONDS = 3600
_DAY = 86_400


class Share(Record):
    """Some entries. The times of their first and last use are in UTC, to the day; None when there is no entry."""

    entries: int = 0
    bytes: int = 0
    oldest_use: str | None = None
    newest_use: str | None = None


class Unusable(Record):
    path: str
    reason: str


class StoreStatistics(Share):
    """The usable entries of a store, and what else of its own lies there: `leftovers` are files half written.

    `unreadable` entries may be of use to another user or version, `damaged` ones are of use to nobody.
    """

    folder: str
    by_prompt: dict[str, Share]
    by_model: dict[str, Share]
    damaged: tuple[Unusable, ...]
    unreadable: tuple[Unusable, ...]
    leftovers: int
    leftover_bytes: int


@dataclass(slots=True)
class Tally:
    """Files as they are counted."""

    files: int = 0
    bytes: int = 0
    oldest: float = float("inf")
    newest: float = float("-inf")

    def add(self, status: os.stat_result) -> None:
        self.files += 1
        self.bytes += status.st_size
        self.oldest = min(self.oldest, status.st_mtime)
        self.newest = max(self.newest, status.st_mtime)

    def share(self) -> Share:
        if not self.files:
            return Share()
        return Share(entries=self.files, bytes=self.bytes, oldest_use=_time(self.oldest), newest_use=_time(self.newest))


@dataclass(slots=True)
class Pruning:
    """What was removed (or would be), and why; what stays; what could not be removed, with the reason."""

    unused: Tally = field(default_factory=Tally)
    damaged: Tally = field(default_factory=Tally)
    leftovers: Tally = field(default_factory=Tally)
    kept: Tally = field(default_factory=Tally)
    young: Tally = field(default_factory=Tally)
    failed: list[tuple[Path, str]] = field(default_factory=list)


def statistics(folder: Path) -> StoreStatistics:
    """Reads every entry. Raises OSError when the folder cannot be listed; one that is not there is empty."""
    usable, leftovers = Tally(), Tally()
    by_prompt: dict[str, Tally] = {}
    by_model: dict[str, Tally] = {}
    unusable: dict[bool, list[Unusable]] = {True: [], False: []}
    for path, status in _files(folder):
        if _is_leftover(path):
            leftovers.add(status)
            continue
        found = read_entry(path)
        if isinstance(found, Fault):
            unusable[found.damaged].append(Unusable(path=_text(path), reason=found.reason))
        elif found is not None:
            prompt = by_prompt.setdefault(found.request.prompt, Tally())
            model = by_model.setdefault(found.request.model, Tally())
            for tally in (usable, prompt, model):
                tally.add(status)
    return StoreStatistics(
        **dict(usable.share()),
        folder=_text(folder),
        by_prompt={name: by_prompt[name].share() for name in sorted(by_prompt)},
        by_model={name: by_model[name].share() for name in sorted(by_model)},
        damaged=tuple(unusable[True]),
        unreadable=tuple(unusable[False]),
        leftovers=leftovers.files,
        leftover_bytes=leftovers.bytes,
    )


def usable_replies(folder: Path) -> Iterator[StoredReply]:
    """Every reply of the store, in the order of the hashes. Raises OSError as `statistics`."""
    for path, _ in _files(folder):
        if not _is_leftover(path):
            found = read_entry(path)
            if isinstance(found, StoredReply):
                yield found


def prune(folder: Path, *, unused_days: float | None, now: float, dry_run: bool = False) -> Pruning:
    """Remove entries not used for so many days (None: all), damaged entries, and leftovers older than an hour.

    Other processes may use the store meanwhile: a file that changed since it was looked at stays, and folders stay too,
    for a writer may have just made sure of its own. Raises OSError when the folder cannot be listed.
    """
    done = Pruning()
    for path, status in _files(folder):
        if _is_leftover(path):
            old = now - status.st_mtime > _LEFTOVER_SECONDS
            goes, stays = (done.leftovers if old else None), done.young
        else:
            goes, stays = _goes_as(path, status, unused_days, now, done), done.kept
        if goes is None:
            stays.add(status)
            continue
        try:
            removed = dry_run or _remove_unchanged(path, status)  # of a folder, only an empty one
        except FileNotFoundError:  # another process removed it
            continue
        except OSError as error:
            done.failed.append((path, error.strerror or "cannot be removed"))
            removed = False
        (goes if removed else stays).add(status)
    return done


def _goes_as(path: Path, status: os.stat_result, unused_days: float | None, now: float, done: Pruning) -> Tally | None:
    """Where an entry is counted when it goes; None when it stays."""
    if stat.S_ISDIR(status.st_mode):
        return done.damaged
    if unused_days is None or now - status.st_mtime > unused_days * _DAY:
        return done.unused
    found = read_entry(path)
    return done.damaged if isinstance(found, Fault) and found.damaged else None


def _remove_unchanged(path: Path, seen: os.stat_result) -> bool:
    """Whether the file was removed; not when it was replaced or used since."""
    status = path.lstat()
    if (status.st_ino, status.st_mtime_ns) != (seen.st_ino, seen.st_mtime_ns):
        return False
    if stat.S_ISDIR(status.st_mode):
        path.rmdir()
    else:
        path.unlink()
    return True


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The store's own files, entries and leftovers, by name, and folders in the place of an entry.

    No link is followed: what it leads to is another's.
    """
    for shelf in _listed(folder):
        if not _SHELF.fullmatch(shelf.name) or not shelf.is_dir(follow_symlinks=False):
            continue
        for found in _listed(Path(shelf.path)):
            path = Path(found.path)
            own = _ENTRY.fullmatch(path.name) or _is_leftover(path)
            if not own or not path.name.lstrip(".").startswith(shelf.name):
                continue
            try:
                status = path.lstat()
            except FileNotFoundError:  # another process removed it just now
                continue
            if stat.S_ISREG(status.st_mode) or (stat.S_ISDIR(status.st_mode) and not _is_leftover(path)):
                yield path, status


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []


def _is_leftover(path: Path) -> bool:
    return _LEFTOVER.fullmatch(path.name) is not None


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _text(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")
