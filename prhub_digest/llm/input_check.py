"""Holds the input that endpoints report against what was expected at most, on which budgets rest."""

import threading
from collections.abc import Callable

from prhub_digest.models.llm import LogicalRequest


class InputCheck:
    """`highest` is the most that was reported for a request, in parts of what was expected; None before the first.

    What is above 1 is warned of, once; nothing fails of it. May be used by many threads at once.
    """

    def __init__(self, warn: Callable[[str], None] = lambda _: None) -> None:
        self.highest: float | None = None
        self._warn = warn
        self._lock = threading.Lock()

    def hold(self, request: LogicalRequest, most: int, reported: int) -> None:
        """`reported` tokens for a request that was expected to take `most`."""
        ratio = reported / most
        with self._lock:
            before = self.highest or 0.0
            self.highest = max(before, ratio)
        if before <= 1.0 < ratio:
            self._warn(
                f"the endpoint counts {reported:,} tokens of input for {request.prompt}/{request.subject}, where"
                f" {most:,} were expected at most ({ratio:.2f} times as many): the vocabulary of {request.model!r} is"
                " another one, or the endpoint adds text. Budgets may be crossed by that factor, and a request may be"
                " too long for the model's context: set budgets and chunk_tokens that much lower; and if the name is an"
                " alias, give the model the name that its maker gives it"
            )
