"""Many things asked for in as few queries as GitHub can answer: what is too heavy is asked in smaller parts."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from prhub_digest.collect.github_api import Answer, TooHeavyError
from prhub_digest.errors import ServiceError
from prhub_digest.retry import RetriableError

T = TypeVar("T")

_GOOD_BEFORE_GROWTH = 4


class PartSize:
    """How many things one query may ask for: half after one that was too heavy, twice after several good ones."""

    def __init__(self, largest: int) -> None:
        self.now = self._largest = largest
        self._good = 0

    def too_heavy(self, asked: int) -> None:
        self.now, self._good = max(asked // 2, 1), 0

    def good(self) -> None:
        self._good += 1
        if self._good >= _GOOD_BEFORE_GROWTH:
            self.now, self._good = min(self.now * 2, self._largest), 0


def in_parts(
    things: Sequence[T],
    size: PartSize,
    ask: Callable[[Sequence[T], bool], Answer],
    check_service: Callable[[], object],
) -> Iterator[tuple[Sequence[T], Answer | ServiceError]]:
    """The things in their order, part by part, each part with its answer.

    Args:
        things: what to ask for.
        size: how many at once; kept by the caller, so that the next things profit from what was learnt.
        ask: the answer for a part. The flag says whether it may be asked in smaller parts.
        check_service: asks something light, and raises ServiceError when GitHub does not answer that either. When it
            does, the one thing that fails is passed over: it is given with its error.

    Raises:
        ServiceError: GitHub fails as a whole, or asks to wait for too long.
    """
    begin = 0
    while begin < len(things):
        part = things[begin : begin + size.now]
        alone = len(part) == 1
        answer: Answer | ServiceError
        try:
            answer = ask(part, not alone)
        except TooHeavyError:
            size.too_heavy(len(part))
            continue
        except ServiceError as error:
            # A cause that can be retried: attempts were made and failed. Everything else concerns the whole run.
            if not alone or not isinstance(error.__cause__, RetriableError):
                raise
            check_service()
            answer = error
        else:
            size.good()
        yield part, answer
        begin += len(part)
