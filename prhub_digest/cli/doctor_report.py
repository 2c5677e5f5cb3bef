"""The list of checks that `doctor` makes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from prhub_digest.errors import FatalServiceError, ReplyError, ServiceError, SettingsError, SourceError

T = TypeVar("T")
State = Literal["ok", "note", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """`note`: a run could start, but a person should know; `failed`: it could not."""

    name: str
    state: State
    says: str


@dataclass
class Report:
    """`broken`: the first service that failed, rather than refused; the command ends with it."""

    checks: list[Check] = field(default_factory=list)
    broken: ServiceError | None = None

    def add(self, name: str, says: str, state: State = "ok") -> None:
        self.checks.append(Check(name, state, says))

    def asked(self, name: str, ask: Callable[[], T]) -> T | None:
        """What `ask` returns; None when it is a failed check."""
        try:
            return ask()
        except (ServiceError, SourceError, SettingsError, ReplyError) as error:
            self.add(name, str(error), "failed")
            if isinstance(error, ServiceError) and not isinstance(error, FatalServiceError):
                self.broken = self.broken or error
        return None

    @property
    def ready(self) -> bool:
        return all(check.state != "failed" for check in self.checks)
