"""Work on many tasks at once, with a bound, and stop when told to."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from prhub_digest.errors import BudgetError, FatalServiceError, PrhubError, StoreError

Task = TypeVar("Task")
Result = TypeVar("Result")

# Seconds between the first calls of two threads. Begun together, they would stay together, and then all want the
# interpreter at the same moments; a burst is also what rate limits answer with 429.
_STAGGER = 0.003
_STOPPING = (FatalServiceError, BudgetError, StoreError)
# Seconds that calls in flight get to end, once it is known that the run will: they may have to be paid for.
_GRACE = 10.0


def run_bounded(
    tasks: Iterable[Task], work: Callable[[Task], Result], concurrency: int, *, grace: float = _GRACE
) -> Iterator[tuple[Task, Result | PrhubError]]:
    """Each task with the result of `work`, or with the error that `work` raised, as they end.

    At most `concurrency` are worked on at once; tasks are taken from the iterable as they start. A FatalServiceError,
    BudgetError or StoreError lets no further task start, and is raised once those in flight have ended, after `grace`
    seconds at the latest. An error that is not ours, or that comes from the iterable, is raised at once. When the
    consumer stops, by Ctrl-C or by closing the iterator, no further task starts and nobody waits for those in flight:
    the threads die with the process.
    """
    team = _Team(tasks, work, concurrency)
    fatal: PrhubError | None = None
    patience: float | None = None
    try:
        team.start()
        while team.working:
            try:
                ended = team.outbox.get(timeout=patience and max(patience - time.monotonic(), 0.0))
            except Empty:
                break
            if ended is None:
                team.working -= 1
            elif isinstance(ended, Exception):
                raise ended
            elif isinstance(ended[1], _STOPPING):
                fatal = fatal or ended[1]
                patience = patience or time.monotonic() + grace
            else:
                yield ended
    finally:
        team.stopped.set()
    if fatal is not None:
        raise fatal


class _Team(Generic[Task, Result]):
    """Daemon threads that share one iterator of tasks; each puts None into the outbox when it leaves."""

    def __init__(self, tasks: Iterable[Task], work: Callable[[Task], Result], concurrency: int) -> None:
        self.outbox: SimpleQueue[tuple[Task, Result | PrhubError] | Exception | None] = SimpleQueue()
        self.stopped = threading.Event()
        self.working = concurrency
        self._tasks = iter(tasks)
        self._lock = threading.Lock()
        self._work = work

    def start(self) -> None:
        for place in range(self.working):
            threading.Thread(target=self._run, args=(place * _STAGGER,), daemon=True).start()

    def _run(self, delay: float) -> None:
        self.stopped.wait(delay)
        try:
            while (taken := self._next()) is not None:
                self.outbox.put((taken[0], self._result(taken[0])))
        except Exception as error:  # noqa: BLE001 - carried to the consumer, which raises it
            self.outbox.put(error)
        except BaseException as error:  # noqa: BLE001 - likewise; SystemExit from a library must not end the program
            bug = RuntimeError(f"a thread ended with {error!r}")
            bug.__cause__ = error
            self.outbox.put(bug)
        else:
            self.outbox.put(None)

    def _result(self, task: Task) -> Result | PrhubError:
        try:
            return self._work(task)
        except PrhubError as error:
            if isinstance(error, _STOPPING):
                self.stopped.set()
            return error

    def _next(self) -> tuple[Task] | None:
        with self._lock:
            if self.stopped.is_set():
                return None
            for task in self._tasks:
                return (task,)
            return None
