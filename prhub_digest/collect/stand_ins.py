"""Who is who in a week, and which number stands for whom (pure).

`user-7` is always a person of that account, so that stand-ins stand for themselves the second time.
"""

import re

from prhub_digest.models.accounts import DELETED, account_name
from prhub_digest.models.globs import matches_text
from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import Person

STAND_IN = re.compile(r"user-[1-9]\d*")
# Whoever pressed GitHub's button, and what stands for a name that is not there.
_NOBODY = frozenset({DELETED, "github", "web-flow", "unknown"})
_NO_MAILBOX = frozenset({"git", "noreply", "no-reply"})
_NO_REPLY = re.compile(r"(?:\d+\+)?([^@+]+)@users\.noreply\..+")
_CHINESE = re.compile("[\u4e00-\u9fff]{3,}")


class StandIns:
    """First everybody is learned; then each person gets the next number at the first use.

    A name without an account is the first account that has this name, an address is the name that a trailer puts
    before it. `owner` keeps its name unless it is somebody of the week, and so do bots and deleted accounts.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner.casefold()
        self._bots: set[str] = set()
        self._accounts: set[str] = set()
        self._account_of: dict[str, str] = {}
        self._full_names: set[str] = set()
        self._names_of: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def learn(self, person: Person) -> None:
        """Somebody whom a record names."""
        if is_bot(person):
            self._bots |= {name.casefold() for name in (person.login, person.name) if name}
        elif person.kind != "deleted":
            if person.login:
                self.learn_account(person.login)
            if person.name:
                self._learn_name(person.name, person.login)

    def learn_account(self, login: str) -> None:
        self._accounts.add(login.casefold())

    def learn_address(self, name: str, address: str) -> None:
        """An address with the name that stands before it; GitHub's own addresses hold the account."""
        if not name or self.stays(name):
            return
        account = _NO_REPLY.fullmatch(address.casefold())
        if account is None:
            self._names_of.setdefault(address.casefold(), name)
            self._learn_name(name, None)
        elif not self.stays(account[1]):
            login = account_name(account[1])
            self.learn_account(login)
            self._learn_name(name, login)

    def _learn_name(self, name: str, login: str | None) -> None:
        if login:
            self._account_of.setdefault(name.casefold(), login.casefold())
        if len(name.split()) > 1 or _CHINESE.fullmatch(name):
            self._full_names.add(name)

    @property
    def people(self) -> int:
        """How many got a number."""
        return len(self._numbers)

    @property
    def accounts(self) -> frozenset[str]:
        """In small letters; without those that stay."""
        return frozenset(login for login in self._accounts if not self.stays(login))

    @property
    def full_names(self) -> tuple[str, ...]:
        """Names that are clear in a text: of two words, or of three Chinese characters; the longest first."""
        return tuple(sorted(self._full_names, key=lambda name: (-len(name), name)))

    def stays(self, name: str) -> bool:
        folded = name.casefold()
        is_owner = folded == self._owner and folded not in self._accounts
        return is_owner or folded in _NOBODY or folded in self._bots or is_bot(Person(login=name))

    def knows(self, login: str) -> bool:
        """Whether it is an account for certain; a mere `@word` may be anything."""
        folded = login.casefold()
        return (folded in self._accounts or STAND_IN.fullmatch(folded) is not None) and not self.stays(login)

    def person(self, person: Person) -> Person:
        name = person.login or person.name
        if not name or person.kind == "deleted" or is_bot(person) or name.casefold() in _NOBODY:
            return person
        own = self.of_login(person.login) if person.login else self.of_name(name)
        return person.updated(login=person.login and own, name=person.name and own)

    def of_login(self, login: str) -> str:
        return self._numbered(f"login {login.casefold()}")

    def of_name(self, name: str) -> str:
        """The stand-in for a name that a commit carries, or for a label that may be login or name."""
        return name if self.stays(name) else self._numbered(self._key_of_name(name))

    def of_address(self, address: str) -> str:
        """The stand-in's address; one that is nobody's mailbox, or a bot's, stays."""
        folded = address.casefold()
        account, box = _NO_REPLY.fullmatch(folded), folded.partition("@")[0]
        if box in _NO_MAILBOX or self.stays(account[1] if account else box):
            return address
        if account or STAND_IN.fullmatch(box):
            key = f"login {account_name(account[1]).casefold() if account else box}"
        elif folded in self._names_of:
            key = self._key_of_name(self._names_of[folded])
        else:
            known = box in self._accounts or box in self._account_of
            key = self._key_of_name(box) if known else f"address {folded}"
        return f"{self._numbered(key)}@example.invalid"

    def of_pattern(self, pattern: str) -> tuple[str, ...]:
        """For a pattern of a filter: the stand-ins of those that it matches, else of somebody unknown."""
        folded = pattern.casefold()
        if not any(map(str.isalnum, pattern)) or self.stays(pattern):
            return (pattern,)
        found = sorted(login for login in self.accounts if matches_text(login, folded))
        bots = sorted(bot for bot in self._bots if matches_text(bot, folded))
        return (*map(self.of_login, found), *bots) or (self.of_name(pattern),)

    def _key_of_name(self, name: str) -> str:
        folded = name.casefold()
        if folded in self._accounts or STAND_IN.fullmatch(folded):
            return f"login {folded}"
        return f"login {self._account_of[folded]}" if folded in self._account_of else f"name {folded}"

    def _numbered(self, key: str) -> str:
        return f"user-{self._numbers.setdefault(key, len(self._numbers) + 1)}"
