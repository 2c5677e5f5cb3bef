"""People in texts replaced by their stand-ins (pure).

In prose:

- `@login`. One that no record knows stays when it reads as code: a decorator, a scope, a team (`@org/team`).
- A login as a whole word, in upper or lower case, when it has three characters and a record names it, or an `@` and it
  holds a hyphen. A login that is a common word is so replaced wherever the word stands; one without a hyphen stays only
  where it reads as code (`name(`, `name.part`, `_name`, `--name`). `<login>-patch-1` counts as the login.
- A name of two words, or of three Chinese characters.
- `Co-authored-by:` and the like, e-mail addresses, `https://<server>/<login>`.

In code between backticks: `@login` of an account that is known, but no decorator; e-mail addresses; known logins with a
hyphen, which are no identifiers. In a diff the same without these logins, so that code stays what it is.

In the name of a branch: a login between slashes or colons, and one with a hyphen anywhere.

What stays: `owner/name` of the repository itself, bots, deleted accounts, paths of files.
"""

import re
from collections.abc import Callable, Iterator

from prhub_digest.collect.stand_ins import STAND_IN, StandIns

_SHORTEST = 3
# In code any other ending may be an attribute: `x@self.weight`.
_ENDINGS = frozenset({"com", "org", "net", "edu", "gov", "io", "dev", "app", "info", "invalid"})
# What is code more often than a person behind an @.
_CODE_WORD_ALONE = re.compile(
    "property|dataclass|(static|class|abstract)method|over(ride|load)|final|cached?|deprecated|param|returns?|throws|see"
    "|since|types?|media|import|everyone|here|todo|tests?|pytest|fixture|jit"
)
# One-word addresses on the server that are nobody's.
_PAGES = re.compile("about|apps|explore|features|issues|login|marketplace|notifications|orgs|pulls|search|topics")

_FENCE = r"^[ >]{0,6}(?P<fence>`{3,}|~{3,})[^\n]*\n(?s:.*?)(?:^[ >]{0,6}(?P=fence)[`~]*[ \t\r]*$|\Z)"
_CODE = re.compile(rf"{_FENCE}|(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`)", re.MULTILINE)
_LOGIN = r"[A-Za-z0-9](?:-?[A-Za-z0-9_])*+"
_START = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9]-)"
_END = r"(?![_-]*[A-Za-z0-9]|[A-Za-z0-9_.+-]*@)"
_BY = r"(?:co-authored|co-developed|signed-off|reviewed|acked|tested|reported|suggested|helped|approved)-by"
_TRAILER = (
    rf"(?P<head>^[ \t>*+#/;-]*(?:{_BY}|cc)[ \t]*:[ \t]*)"
    r"(?P<name>[^<@,\n]*?)(?P<gap>[ \t]*)<(?P<box>[^<>\n@]*@[^<>\n]*)>"
)
_BARE_TRAILER = rf"(?P<bare_head>^[ \t>*-]*{_BY}[ \t]*:[ \t]*)(?P<bare>[^\s<@,][^<@,\n]*?)(?=[ \t\r]*$)"
_MAIL = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}(?![A-Za-z0-9-])"
_ADDRESS = rf"(?<![A-Za-z0-9_.+/@-])(?P<address>{_MAIL})"
_CODE_ADDRESS = rf"(?<![A-Za-z0-9_.+/@-])(?P<code_address>{_MAIL})"
_AT = r"(?<![A-Za-z0-9/.@-])@"
_MENTION = rf"{_AT}(?P<mention>{_LOGIN})"
_CODE_MENTION = rf"{_AT}(?P<code_mention>{_LOGIN})"
_WORD = rf"{_START}(?P<word>{_LOGIN})"
_CODE_WORD = rf"{_START}(?P<code_word>{_LOGIN})"
_PATCH = re.compile(r"(.+?)(-patch-\d+)")
_CODE_BEFORE = re.compile(r"(?:[_-]|[A-Za-z0-9_]\.)\Z")
_CODE_AFTER = re.compile(r"_|\(|\.[A-Za-z0-9_]|\[bot\]")
_FLAGS = re.MULTILINE | re.IGNORECASE


def learn_addresses(text: str, people: StandIns) -> None:
    """Whose address stands in a trailer, of prose or a diff."""
    for match in re.finditer(_TRAILER, text, _FLAGS):
        people.learn_address(match["name"], match["box"])


def learn_mentions(text: str, people: StandIns) -> None:
    """Logins with a hyphen that nothing but an `@` in prose names."""
    for part, is_code in _parts(text):
        for match in () if is_code else re.finditer(_MENTION, part):
            login = match["mention"].rstrip("_")
            if "-" in login and not people.stays(login) and _may_be_account(login, match):
                people.learn_account(login)


class AnonymousText:
    """Texts of a repository whose people are learned.

    Args:
        people: everybody, and their stand-ins.
        repository: `owner/name`.
        server: the host whose `https://<host>/<login>` are people's pages.
    """

    def __init__(self, people: StandIns, repository: str, server: str) -> None:
        self._people = people
        own = rf"(?<![A-Za-z0-9_-])(?P<own>{re.escape(repository)})(?![A-Za-z0-9_-])"
        page = rf"(?P<page>(?<=//{re.escape(server)}/){_LOGIN}(?=/?(?:[\s)\]>\"'.,;:!?]|$)))"
        names = "|".join(r"\s+".join(map(re.escape, name.split())) for name in people.full_names)
        full_name = [rf"{_START}(?P<full_name>{names}){_END}"] if names else []
        in_code = (_TRAILER, own, _CODE_ADDRESS, _CODE_MENTION)
        in_prose = (_TRAILER, _BARE_TRAILER, own, _ADDRESS, page, *full_name, _MENTION, _WORD)
        self._in_diffs = re.compile("|".join(in_code), _FLAGS)
        self._in_code = re.compile("|".join((*in_code, _CODE_WORD)), _FLAGS)
        self._in_prose = re.compile("|".join(in_prose), _FLAGS)
        hyphened = sorted((login for login in people.accounts if "-" in login), key=lambda login: (-len(login), login))
        anywhere = "|".join((*map(re.escape, hyphened), STAND_IN.pattern))
        self._in_branches = re.compile(rf"(?<![A-Za-z0-9])(?:{anywhere})(?![A-Za-z0-9])", re.IGNORECASE)
        self._kinds: dict[str, Callable[[re.Match[str]], str]] = {
            "box": self._trailer,
            "bare": lambda match: match["bare_head"] + people.of_name(match["bare"]),
            "address": lambda match: people.of_address(match[0]),
            "code_address": self._code_address,
            "page": self._page,
            "full_name": lambda match: people.of_name(" ".join(match[0].split())),
            "mention": self._mention,
            "code_mention": self._code_mention,
            "word": self._word,
            "code_word": lambda match: self._word(match) if "-" in match[0] else match[0],
        }

    def prose(self, text: str) -> str:
        parts = _parts(text)
        return "".join(
            self.code(part) if is_code else self._in_prose.sub(self._replaced, part) for part, is_code in parts
        )

    def code(self, text: str) -> str:
        return self._in_code.sub(self._replaced, text)

    def diff(self, patch: str) -> str:
        return self._in_diffs.sub(self._replaced, patch)

    def branch(self, name: str) -> str:
        """`ada-lin/fix`, `ada:fix`, `ada-patch-1`."""
        parts = re.split(r"([/:])", name)
        return "".join(self._segment(part, several=len(parts) > 1) for part in parts)

    def _segment(self, part: str, *, several: bool) -> str:
        patch = _PATCH.fullmatch(part)
        login, rest = (patch[1], patch[2]) if patch else (part, "")
        if (several or patch) and len(login) >= _SHORTEST and self._people.knows(login):
            return self._people.of_login(login) + rest
        return self._in_branches.sub(lambda match: self._people.of_login(match[0]), part)

    def _replaced(self, match: re.Match[str]) -> str:
        """What a match becomes by its kind, the last group; the repository's own name has none and stays."""
        replace = self._kinds.get(match.lastgroup or "")
        return replace(match) if replace else match[0]

    def _trailer(self, match: re.Match[str]) -> str:
        name, box = match["name"], match["box"]
        told = self._people.of_name(name) if name else ""
        address = box if name and self._people.stays(name) else self._people.of_address(box)
        return f"{match['head']}{told}{match['gap']}<{address}>"

    def _code_address(self, match: re.Match[str]) -> str:
        """In code any other ending may be an attribute, unless brackets enclose the whole."""
        text, start, end = match.string, match.start(), match.end()
        enclosed = text[start - 1 : start] == "<" and text[end : end + 1] == ">"
        known = match[0].rpartition(".")[2].casefold() in _ENDINGS and not _goes_on(match)
        return self._people.of_address(match[0]) if enclosed or known else match[0]

    def _page(self, match: re.Match[str]) -> str:
        other = self._people.stays(match[0]) or _PAGES.fullmatch(match[0].casefold())
        return match[0] if other else self._people.of_login(match[0])

    def _mention(self, match: re.Match[str]) -> str:
        login, rest = self._bare(match[0][1:])
        if self._people.stays(login) or not (self._people.knows(login) or _may_be_account(login, match)):
            return match[0]
        return f"@{self._people.of_login(login)}{rest}"

    def _code_mention(self, match: re.Match[str]) -> str:
        """Of somebody known, unless it may be a decorator: at the beginning of a line, or going on as code does."""
        login, _ = self._bare(match[0][1:])
        line = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]
        decorator = "-" not in login and (not line.strip(" \t+-") or _goes_on(match))
        return self._mention(match) if self._people.knows(login) and not decorator else match[0]

    def _word(self, match: re.Match[str]) -> str:
        login, rest = self._bare(match[0])
        patch = _PATCH.fullmatch(login)
        if patch and self._people.knows(patch[1]):
            login, rest = patch[1], patch[2] + rest
        if len(login) < _SHORTEST or not self._people.knows(login):
            return match[0]
        if "-" not in login and (rest.startswith("_") or _goes_on(match) or _follows_code(match)):
            return match[0]
        return self._people.of_login(login) + rest

    def _bare(self, word: str) -> tuple[str, str]:
        """A word and the underscores of an emphasis behind it."""
        bare = word if self._people.knows(word) else word.rstrip("_")
        return bare, word[len(bare) :]


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is code: fenced, or between backticks."""
    position = 0
    for match in _CODE.finditer(text):
        yield text[position : match.start()], False
        yield match[0], True
        position = match.end()
    yield text[position:], False


def _may_be_account(login: str, match: re.Match[str]) -> bool:
    """Whether a mention of somebody unknown does not read as code: a decorator, a scope, a team."""
    team = match.string[match.end() : match.end() + 1] == "/"
    return not team and "_" not in login and not _CODE_WORD_ALONE.fullmatch(login.casefold()) and not _goes_on(match)


def _goes_on(match: re.Match[str]) -> bool:
    return _CODE_AFTER.match(match.string, match.end()) is not None


def _follows_code(match: re.Match[str]) -> bool:
    return _CODE_BEFORE.search(match.string, max(match.start() - 2, 0), match.start()) is not None
