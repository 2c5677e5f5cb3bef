"""Where GitHub is and which token opens it. Nothing is sent here; `gh` is asked only when no variable holds a token."""

import ipaddress
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from tempfile import TemporaryFile
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from prhub_digest.errors import SettingsError

API_URL = "https://api.github.com"
SERVER_URL = "https://github.com"
TOKEN_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")
GH = "gh auth token"
HOW_TO_GET_ONE = (
    "log in with: gh auth login, or put a fine-grained token with read access to Contents and Pull requests"
    " into the environment variable GITHUB_TOKEN"
)
_GH_SECONDS = 10.0
_ENTERPRISE_PATH = "/api/v3"
_CLOUD_SUFFIX = ".ghe.com"  # GitHub Enterprise Cloud with data residency: https://api.NAME.ghe.com
_PRINTABLE = re.compile(r"[!-~]+")


@dataclass(frozen=True)
class GitHubAccess:
    """`token_from`: "GITHUB_TOKEN", "GH_TOKEN" or "gh auth token"."""

    api_url: str
    server_url: str
    token: SecretStr
    token_from: str


def github_access(api_url: str | None, server_url: str | None, environment: Mapping[str, str]) -> GitHubAccess:
    """The addresses, one derived from the other when it is not given, and the first token that is found.

    Raises:
        SettingsError: an address that cannot be used, no token, or one that no header can carry.
    """
    server = _address("github_server_url", server_url) if server_url else None
    if api_url:
        api = _address("github_api_url", api_url)
        server = server or _server_of(api)
    else:
        server = server or SERVER_URL
        api = _api_of(server)
    token, origin = _token(urlsplit(server).hostname or "", environment)
    return GitHubAccess(api, server, SecretStr(token), origin)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _address(name: str, value: str) -> str:
    """The address without a slash at its end.

    Raises:
        SettingsError: as above.
    """
    try:
        parts = urlsplit(value.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = SplitResult("", "", "", "", ""), "", None
    if "@" in parts.netloc:
        raise SettingsError(f"{name}: holds a user name or a password; leave it out: the token comes from GITHUB_TOKEN")
    path = parts.path.rstrip("/")
    whole = parts.scheme in {"http", "https"} and host and not parts.query and not parts.fragment
    if not whole or (path and name == "github_server_url"):
        raise SettingsError(f"{name}: must be an address like {API_URL if name == 'github_api_url' else SERVER_URL}")
    if parts.scheme == "http" and not is_loopback(host):
        raise SettingsError(f"{name}: {value.strip()}: the token would travel unencrypted; use https://")
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{f':{port}' if port else ''}{path}"


def _api_of(server: str) -> str:
    parts = urlsplit(server)
    host = parts.hostname or ""
    if host == "github.com":
        return API_URL
    if host.endswith(_CLOUD_SUFFIX):
        return f"{parts.scheme}://api.{parts.netloc}"
    return server + _ENTERPRISE_PATH


def _server_of(api: str) -> str:
    parts = urlsplit(api)
    if api == API_URL:
        return SERVER_URL
    if parts.netloc.startswith("api.") and (parts.hostname or "").endswith(_CLOUD_SUFFIX):
        return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}"
    return api.removesuffix(_ENTERPRISE_PATH)


def _token(host: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The token and where it came from.

    Raises:
        SettingsError: as above.
    """
    for name in TOKEN_VARIABLES:
        token = environment.get(name, "").strip()
        if token:
            return _usable(token, name), name
    token = _token_of_gh(host, environment)
    if token:
        return _usable(token, GH), GH
    raise SettingsError(
        f"no token for {host}: GitHub's GraphQL API answers nothing without one; {HOW_TO_GET_ONE}."
        " A public repository can be read without a token with: --source git"
    )


def _usable(token: str, origin: str) -> str:
    if not _PRINTABLE.fullmatch(token):
        raise SettingsError(f"the token from {origin} holds a character that no token has; set it again")
    return token


def _token_of_gh(host: str, environment: Mapping[str, str]) -> str:
    """What `gh` has stored for this host, "" when it is not there, not logged in or does not answer.

    Its output goes to a file: a child that it leaves behind could hold a pipe open. In a session of its own it has no
    terminal to ask questions on.
    """
    program = shutil.which("gh", path=environment.get("PATH"))
    if program is None:
        return ""
    with TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                [program, "auth", "token", "--hostname", host],  # by name: GH_HOST may mean another one
                env={**environment, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return ""
        try:
            failed = process.wait(_GH_SECONDS) != 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return ""
        output.seek(0)
        return "" if failed else output.read().decode("utf-8", "replace").strip()
