"""Which replies are being asked for just now, told to other processes, so that two runs do not pay for the same one.

A claim is a lock on one byte of a file that stays empty: nothing to write or to clean up, and the system lifts it with
the process, however that ends.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# As many seconds as tries of one call may begin in; who claims a reply for longer was perhaps stopped with Ctrl-Z.
_LONGEST_WAIT = 600.0
# So many digits of a key name a byte that every file system can lock.
_DIGITS = 15


class Claims:
    """Those of this process; its threads may use it at once. `told` is called once, when somebody has to wait."""

    def __init__(self, path: Path, told: Callable[[], None]) -> None:
        self._path = path
        self._told = told
        self._lock = threading.Lock()
        self._handle: int | None = None
        self._taken: set[int] = set()
        self._has_waited = False

    @contextmanager
    def turn(self, key: str, wait: Callable[[], None]) -> Iterator[None]:
        """Within it no other process that claims, too, asks for the reply of this key.

        `wait` lets a moment pass, or raises when the run is over. After ten minutes, and where files cannot be locked,
        the turn comes all the same.
        """
        place, until = int(key[:_DIGITS], 16), time.monotonic() + _LONGEST_WAIT
        while self._taken_by_another(place) and time.monotonic() < until:
            self._say_so()
            wait()
        try:
            yield
        finally:
            self._give_back(place)

    def _taken_by_another(self, place: int) -> bool:
        """Takes it for this process if it is free. Closing the file would lift all its locks: it is open meanwhile."""
        with self._lock:
            try:
                if self._handle is None:
                    self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
                fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except BlockingIOError:
                self._close_if_idle()
                return True
            except OSError:  # locks are a saving, no condition
                self._close_if_idle()
                return False
            self._taken.add(place)
            return False

    def _give_back(self, place: int) -> None:
        with self._lock:
            if place in self._taken and self._handle is not None:
                self._taken.remove(place)
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, place)
                self._close_if_idle()

    def _close_if_idle(self) -> None:
        if self._handle is not None and not self._taken:
            os.close(self._handle)
            self._handle = None

    def _say_so(self) -> None:
        with self._lock:
            first, self._has_waited = not self._has_waited, True
        if first:
            self._told()
