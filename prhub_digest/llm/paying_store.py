"""The reply store of a run that pays: it sees to it that what is paid for can be kept, and is paid for once."""

import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from prhub_digest.errors import StoreError
from prhub_digest.llm.claims import Claims
from prhub_digest.llm.store import ReplyStore, entry_path, make_folder
from prhub_digest.models.llm import LogicalRequest, StoredReply

# More than a reply takes, which has about 17 kB.
_PROBE_BYTES = 65_536


class PayingStore(ReplyStore):
    """The store of a run that pays for its replies: none is asked for that could not be kept, or that another asks for.

    The first call is preceded by a write as large as several replies. A reply that cannot be kept all the same, such
    as when the disk fills up, is still the run's; after it no call begins. `origin` says where the folder was set.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None], origin: str) -> None:
        super().__init__(folder, warn)
        self._origin = origin
        self._probing = threading.Lock()
        self._probed = False
        self._fault = ""
        self._claims = Claims(
            folder / ".claims", lambda: warn("another run asks for the same replies; this one waits for them")
        )

    @contextmanager
    def turn(self, request: LogicalRequest, wait: Callable[[], None]) -> Iterator[None]:
        """Within it the reply to the request is asked for, if it is not there by now; see `Claims.turn`.

        Raises:
            StoreError: it could not be kept.
        """
        self._refuse_if_unusable(request)
        with self._claims.turn(request.request_hash, wait):
            yield

    def _refuse_if_unusable(self, request: LogicalRequest) -> None:
        with self._probing:
            if not self._probed:
                self._fault = self._fault or write_fault(self._folder)
                self._probed = True
            fault = self._fault or _place_fault(entry_path(self._folder, request.request_hash))
        if fault:
            raise StoreError(
                f"replies cannot be kept in {self._folder} ({self._origin}): {fault}. No further call was made, since"
                " its reply would be lost; mend that, or name another folder with PRHUB_CACHE_DIR. The same command"
                " continues"
            )

    def save(self, stored: StoredReply) -> None:
        """Keeps the entry; when that fails, warns once and lets no further call begin."""
        try:
            super().save(stored)
        except OSError as error:
            with self._probing:
                first, self._probed, self._fault = not self._fault, True, self._fault or _reason(error)
            if first:
                request = stored.request
                self._warn(
                    f"the reply to {request.prompt}/{request.subject} was paid for and cannot be kept in {self._folder}"
                    f" ({self._origin}): {_reason(error)}; no further call begins"
                )


def write_fault(folder: Path) -> str:
    """Why no entry can be written into a folder, which is made if it is not there; empty when one can.

    The probe is a file without a name, so that nothing stays of it.
    """
    try:
        make_folder(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return _in_the_way(folder) or _reason(error)
    return ""


def _place_fault(path: Path) -> str:
    """Why the entry at `path` cannot be written though its store can; empty when nothing is known."""
    if path.is_dir():
        return f"{path}, where the reply belongs, is a folder (`prhub-digest cache prune` removes it if it is empty)"
    shelf = path.parent
    if shelf.is_dir() and not os.access(shelf, os.W_OK | os.X_OK):
        return f"{shelf}: Permission denied"
    return _in_the_way(shelf)


def _in_the_way(folder: Path) -> str:
    """What stands where a folder, or one above it, should be; empty when nothing does."""
    for place in (folder, *folder.parents):
        try:
            mode = place.stat().st_mode  # asked once: another thread may make the folder at any moment
        except FileNotFoundError:
            if place.is_symlink():
                return f"{place} is a link to {place.readlink()}, which is not there"
        except NotADirectoryError:
            continue  # what stands in the way is further up
        except OSError as error:
            return _reason(error)
        else:
            return "" if stat.S_ISDIR(mode) else f"{place} is not a folder"
    return ""


def _reason(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
