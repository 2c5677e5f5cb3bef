"""Accounts and times of the fake GitHub."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from github_store import Signature


@dataclass(frozen=True)
class Actor:
    """An account; the name of its class is GitHub's type of it."""

    login: str
    name: str | None = None

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def id(self) -> str:
        return f"{self.kind}_kw{self.login}"

    @property
    def rest_login(self) -> str:
        return f"{self.login}[bot]" if self.kind == "Bot" else self.login


class User(Actor):
    pass


class Bot(Actor):
    pass


class Mannequin(Actor):
    pass


Who: TypeAlias = str | Actor | None
When: TypeAlias = str | datetime


def actor(who: Who) -> Actor | None:
    """A login is a user whose name is the login in capitals: "ada-lin" is Ada Lin."""
    return User(who, who.replace("-", " ").title()) if isinstance(who, str) else who


def moment(when: When) -> datetime:
    return when if isinstance(when, datetime) else datetime.fromisoformat(when)


def signature(who: Who, when: datetime) -> Signature:
    """How git names the person."""
    known = actor(who)
    login = known.rest_login if known else "ghost"
    return Signature((known and known.name) or login, when, f"{login}@users.noreply.example.invalid")
