import os
import stat
import time
from pathlib import Path

import pytest

from prhub_digest.collect import github_access as module
from prhub_digest.collect.github_access import github_access
from prhub_digest.errors import SettingsError

TOKEN = "not-to-be-seen"
NO_PATH = {"PATH": "/nowhere"}
GIVEN = {**NO_PATH, "GITHUB_TOKEN": TOKEN}


def program(folder: Path, script: str) -> dict[str, str]:
    """The environment in which `gh` is this shell script."""
    path = folder / "gh"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"}


def refused(api_url: str | None, server_url: str | None, environment: dict[str, str]) -> str:
    with pytest.raises(SettingsError) as raised:
        github_access(api_url, server_url, environment)
    assert TOKEN not in repr(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("api_url", "server_url", "api", "server"),
    [
        (None, None, "https://api.github.com", "https://github.com"),
        ("https://api.github.com/", None, "https://api.github.com", "https://github.com"),
        (None, "https://github.com/", "https://api.github.com", "https://github.com"),
        (None, "https://GitHub.com", "https://api.github.com", "https://github.com"),
        (None, "https://acme.ghe.com/", "https://api.acme.ghe.com", "https://acme.ghe.com"),
        ("https://api.acme.ghe.com", None, "https://api.acme.ghe.com", "https://acme.ghe.com"),
        (None, "https://git.acme.test", "https://git.acme.test/api/v3", "https://git.acme.test"),
        (None, "https://git.acme.test:8443//", "https://git.acme.test:8443/api/v3", "https://git.acme.test:8443"),
        (" https://git.acme.test/api/v3/ ", None, "https://git.acme.test/api/v3", "https://git.acme.test"),
        ("http://127.0.0.1:81", None, "http://127.0.0.1:81", "http://127.0.0.1:81"),
        ("http://localhost:81/api/v3", None, "http://localhost:81/api/v3", "http://localhost:81"),
        ("http://[::1]:81/api/v3", None, "http://[::1]:81/api/v3", "http://[::1]:81"),
        ("https://a.test/api/v3", "https://b.test", "https://a.test/api/v3", "https://b.test"),
    ],
)
def test_each_address_gives_the_other(api_url: str | None, server_url: str | None, api: str, server: str) -> None:
    access = github_access(api_url, server_url, GIVEN)
    assert (access.api_url, access.server_url) == (api, server)


def test_a_token_never_travels_unencrypted() -> None:
    assert refused("http://git.acme.test/api/v3", None, GIVEN) == (
        "github_api_url: http://git.acme.test/api/v3: the token would travel unencrypted; use https://"
    )
    assert refused(None, "http://10.0.0.1", GIVEN) == (
        "github_server_url: http://10.0.0.1: the token would travel unencrypted; use https://"
    )
    assert refused("https://a.test", "http://localhost.acme.test", GIVEN) == (
        "github_server_url: http://localhost.acme.test: the token would travel unencrypted; use https://"
    )


@pytest.mark.parametrize("url", [f"https://me:{TOKEN}@git.acme.test", f"https://{TOKEN}@git.acme.test"])
def test_credentials_in_an_address_are_refused_and_not_shown(url: str) -> None:
    words = ": holds a user name or a password; leave it out: the token comes from GITHUB_TOKEN"
    assert refused(url, None, GIVEN) == "github_api_url" + words
    assert refused(None, url, GIVEN) == "github_server_url" + words


@pytest.mark.parametrize(
    "url",
    ["git.acme.test", "ftp://git.acme.test", "https://", "https://a.test:port", "https://[a", "https://a.test?x=1"],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    assert refused(url, None, GIVEN) == "github_api_url: must be an address like https://api.github.com"
    assert refused(None, url, GIVEN) == "github_server_url: must be an address like https://github.com"


def test_the_address_of_a_repository_is_no_server() -> None:
    assert refused(None, "https://github.com/acme/tool", GIVEN) == (
        "github_server_url: must be an address like https://github.com"
    )


def test_the_variables_come_first_and_in_order(tmp_path: Path) -> None:
    gh = program(tmp_path, "echo from-gh")
    both = {**gh, "GITHUB_TOKEN": "first", "GH_TOKEN": "second"}
    found = [
        github_access(None, None, environment)
        for environment in (both, {**both, "GITHUB_TOKEN": " \n"}, {**gh, "GITHUB_TOKEN": ""})
    ]
    assert [(access.token.get_secret_value(), access.token_from) for access in found] == [
        ("first", "GITHUB_TOKEN"),
        ("second", "GH_TOKEN"),
        ("from-gh", "gh auth token"),
    ]


def test_a_token_is_stripped_and_hidden() -> None:
    access = github_access(None, None, {"GITHUB_TOKEN": f"  {TOKEN}\r\n"})
    assert access.token.get_secret_value() == TOKEN
    assert TOKEN not in repr(access) + str(access)


@pytest.mark.parametrize("token", [TOKEN + "\nx", TOKEN + "\x00", TOKEN + " x", TOKEN + "é", "\u200b" + TOKEN])
def test_a_token_that_no_header_can_carry_is_refused_and_not_shown(token: str) -> None:
    assert refused(None, None, {"GH_TOKEN": token}) == (
        "the token from GH_TOKEN holds a character that no token has; set it again"
    )


@pytest.mark.parametrize(
    ("server_url", "host"),
    [(None, "github.com"), ("https://git.acme.test:8443", "git.acme.test"), ("https://acme.ghe.com", "acme.ghe.com")],
)
def test_gh_is_asked_for_the_token_of_the_host(tmp_path: Path, server_url: str | None, host: str) -> None:
    environment = program(tmp_path, 'echo "$@" | tr " " _; echo "prompts off: $GH_PROMPT_DISABLED" >&2')
    assert github_access(None, server_url, environment).token.get_secret_value() == f"auth_token_--hostname_{host}"


NO_TOKEN = (
    "no token for git.acme.test: GitHub's GraphQL API answers nothing without one; log in with: gh auth login, or put a"
    " fine-grained token with read access to Contents and Pull requests into the environment variable GITHUB_TOKEN."
    " A public repository can be read without a token with: --source git"
)


@pytest.mark.parametrize("script", ["echo no >&2; exit 1", "exit 0", "echo half-a-token; exit 1"])
def test_a_gh_without_a_token_is_no_token(tmp_path: Path, script: str) -> None:
    assert refused(None, "https://git.acme.test", program(tmp_path, script)) == NO_TOKEN


def test_no_variable_and_no_gh_is_no_token() -> None:
    assert refused(None, "https://git.acme.test", NO_PATH) == NO_TOKEN


def test_a_gh_that_is_no_program_is_no_token(tmp_path: Path) -> None:
    environment = program(tmp_path, "")
    (tmp_path / "gh").write_bytes(b"\x7fELF")
    assert refused(None, "https://git.acme.test", environment) == NO_TOKEN


def test_a_gh_that_asks_gets_no_answer(tmp_path: Path) -> None:
    environment = program(tmp_path, "read -r line </dev/tty && echo typed\nread -r line && echo typed\nexit 1")
    assert refused(None, "https://git.acme.test", environment) == NO_TOKEN


def test_a_gh_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GH_SECONDS", 0.3)
    environment = program(tmp_path, f"sleep 60 &\necho $! > {tmp_path}/child\nwait")
    assert refused(None, "https://git.acme.test", environment) == NO_TOKEN
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        if not _runs(child):
            break
        time.sleep(0.02)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    """A process that ended but has no parent to say so to does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
