"""A throw-away repository, filled with the objects that are asked for by name; git never fetches more by itself.

Its config names no remote: that, and the token, are settings of the one command that fetches.
"""

import base64
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from prhub_digest.collect.git_command import Git, GitFailedError, run_git
from prhub_digest.collect.git_remote import SLOW, Progress
from prhub_digest.collect.git_version import WANTED, found_git
from prhub_digest.collect.github_access import GitHubAccess, is_loopback
from prhub_digest.collect.github_waits import spoken
from prhub_digest.errors import ServiceError
from prhub_digest.retry import RetriableError, call_with_retry

_REMOTE = "week"
_OPTIONS = (
    "--filter=blob:none",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--refmap=",
    "--progress",
    "--stdin",
)
_PART = 50
_MOST_FAILED = 3
# How often a fetch is asked again without an object that the server says it does not have.
_MOST_GONE = 20
_NOT_THERE = re.compile(r"(?:not our ref|unadvertised object) ([0-9a-f]{40,64})")
_REFUSED = re.compile(
    r"authentication failed|could not read (?:username|password)|invalid (?:username|credentials)|access denied"
    r"|returned error: 40[13]\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"returned error: 429\b", re.IGNORECASE)
_PASSES = re.compile(r"unable to access", re.IGNORECASE)  # no connection, or a server in trouble
_UNREADABLE = re.compile(
    r"not found|returned error: [34]\d\d|transport '\w*' not allowed|redirect|certificate", re.IGNORECASE
)
# Of what git reports, shares of the work, and what the server has to say; not its counts, nor a failure, which is told
# with what is done about it.
_SHARE = re.compile(r"\d+% \(\d+/\d+\)")
_OF_SERVER = re.compile(r"remote: (?!Enumerating |Counting |Compressing |Finding |Getting |Total )")
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


class FetchedRepository:
    """A bare repository in `folder`, which must be empty.

    Args:
        access: where the server is, and the token.
        repository: `owner/name`.
        folder: where it is made.
        progress: is told what git reports, and what is tried again.
        sleep: waits before another attempt.
    """

    def __init__(
        self,
        access: GitHubAccess,
        repository: str,
        folder: Path,
        progress: Progress,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = f"{access.server_url}/{repository}.git"
        self._access = access
        self._progress = progress
        self._sleep = sleep
        self.git = Git(folder, self._url)

    def create(self) -> None:
        """Make it.

        Raises:
            ServiceError: git is not installed, too old or broken, or it cannot make it.
        """
        git = found_git()
        if not git.usable:
            raise ServiceError(f"{git.says}; {WANTED}")
        try:
            run_git(["init", "--quiet", "--bare", "--template=", "--object-format=sha1", str(self.git.git_dir)])
        except GitFailedError as error:
            raise ServiceError(f"{self.git.git_dir}: git cannot make a repository there: {error}") from error

    def fetch(self, names: Iterable[str], *options: str) -> None:
        """Objects by name, in one go; in small parts when git fails for a reason that says nothing.

        What the server does not have, or does not give, is left out.

        Raises:
            ServiceError: the server cannot be read, or refuses the token.
        """
        wanted = list(dict.fromkeys(names))
        try:
            self._fetch_known(wanted, options)
        except GitFailedError as error:
            self._progress(f"{self._url}: the fetch failed ({error}); once more in parts of {_PART}")
            self._fetch_parts(wanted, options)

    def _fetch_parts(self, names: Sequence[str], options: Sequence[str]) -> None:
        """As many parts as the server gives.

        Raises:
            ServiceError: as above.
        """
        failed = 0
        for start in range(0, len(names), _PART):
            try:
                self._fetch_known(names[start : start + _PART], options)
            except GitFailedError as error:
                failed += 1
                self._progress(f"{self._url}: a part of the fetch failed ({error})")
                if failed == _MOST_FAILED:
                    return

    def _fetch_known(self, names: Sequence[str], options: Sequence[str]) -> None:
        """A fetch that leaves out one by one what the server does not have.

        Raises:
            ServiceError: as above.
            GitFailedError: another failure.
        """
        wanted = dict.fromkeys(names)
        for left in range(_MOST_GONE, -1, -1):
            if not wanted:
                return
            try:
                call_with_retry(partial(self._fetch, wanted, options), sleep=self._sleep, before_wait=self._show_wait)
            except GitFailedError as error:
                gone = wanted.keys() & set(_NOT_THERE.findall(error.stderr))
                if not gone or not left:
                    raise
                for name in gone:
                    del wanted[name]
            else:
                return

    def _fetch(self, names: Iterable[str], options: Sequence[str]) -> None:
        """One attempt.

        Raises:
            RetriableError: no connection, a server in trouble, or one that is asked too much.
            ServiceError: as above.
            GitFailedError: another failure.
        """
        try:
            self.git.shown(
                *_settings(self._url),
                "fetch",
                *_OPTIONS,
                *options,
                _REMOTE,
                progress=self._show_line,
                stdin="".join(f"{name}\n" for name in names).encode("ascii"),
                variables=_variables(self._access, self._url),
            )
        except GitFailedError as error:
            if _LIMITED.search(error.stderr):
                raise RetriableError(f"{self._url}: git is asked to wait (HTTP 429): {error}") from None
            if _REFUSED.search(error.stderr):
                raise ServiceError(
                    f"{self._url}: git was refused with the token from {self._access.token_from} ({error}):"
                    " it needs read access to Contents of the repository"
                ) from None
            if _UNREADABLE.search(str(error)):
                raise ServiceError(f"{self._url}: git cannot read it: {error}") from None
            if _PASSES.search(str(error)):
                raise RetriableError(f"{self._url}: git cannot read it: {error}") from None
            raise

    def _show_line(self, line: str) -> None:
        if _SHARE.search(line) or _OF_SERVER.match(line):
            self._progress(line)

    def _show_wait(self, error: RetriableError, wait: float) -> None:
        self._progress(f"trying again in {spoken(wait)}: {error}")


def hiding_token(access: GitHubAccess, progress: Progress) -> Progress:
    """A server or a proxy may echo what it was sent."""
    token, secret = access.token.get_secret_value(), _basic(access)
    return lambda line: progress(line.replace(token, "***").replace(secret, "***"))


def _basic(access: GitHubAccess) -> str:
    return base64.b64encode(f"x-access-token:{access.token.get_secret_value()}".encode()).decode("ascii")


def _settings(url: str) -> list[str]:
    """The remote for this command alone, and what keeps the user's settings from changing where and how it fetches."""
    settings = {
        f"remote.{_REMOTE}.url": url,
        f"remote.{_REMOTE}.promisor": "true",
        f"remote.{_REMOTE}.partialCloneFilter": "blob:none",
        f"url.{url}.insteadOf": url,  # the longest match wins over others, such as one that turns https into ssh
        "protocol.version": "2",
        "fetch.fsckObjects": "false",
        "fetch.writeCommitGraph": "false",
        "http.followRedirects": "false",
        "credential.helper": "",
        "core.hooksPath": os.devnull,
    }
    return [*SLOW, *(part for name, value in settings.items() for part in ("-c", f"{name}={value}"))]


def _variables(access: GitHubAccess, url: str) -> dict[str, str]:
    """The environment of a fetch. Only there the token is, as a header for this address alone."""
    header = f"http.{url}.extraHeader"
    # The empty one clears a header that the user's settings may hold.
    settings = [(header, ""), (header, f"Authorization: Basic {_basic(access)}")]
    host = urlsplit(access.server_url).hostname or ""
    return {
        **_counted(settings, os.environ),
        **_certificates(os.environ),
        "GIT_ALLOW_PROTOCOL": "https:http" if is_loopback(host) else "https",
        "GIT_ASKPASS": "",
    }


def _counted(settings: Sequence[tuple[str, str]], environment: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables, after those that are there already."""
    given = environment.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isascii() and given.isdigit() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for place, (name, value) in enumerate(settings, start=first):
        variables |= {f"GIT_CONFIG_KEY_{place}": name, f"GIT_CONFIG_VALUE_{place}": value}
    return variables


def _certificates(environment: Mapping[str, str]) -> dict[str, str]:
    """Git does not know the variables by which Python's libraries find the certificates of a company's network."""
    if environment.get("GIT_SSL_CAINFO") or environment.get("GIT_SSL_CAPATH"):
        return {}
    bundle = next((environment[name] for name in _BUNDLES if environment.get(name)), None)
    if bundle is None:
        return {}
    return {"GIT_SSL_CAPATH" if Path(bundle).is_dir() else "GIT_SSL_CAINFO": bundle}
