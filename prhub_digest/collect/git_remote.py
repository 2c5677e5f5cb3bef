"""Where a repository is: a local clone, or a URL that is fetched into the cache; and its name and web address."""

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from prhub_digest.collect.git_command import Git, GitFailedError, run_git, run_git_shown, without_credentials
from prhub_digest.errors import ServiceError, SourceError
from prhub_digest.run_folder import name_as_text

Progress = Callable[[str], None]

_SCP_LIKE = re.compile(r"(?:[\w.-]+@)?([\w.-]+\.[\w-]+|localhost):(?!//)([^\s]+)")
_FORGE = re.compile(r"(https?|ssh|git)://(?:[^/\s@]+@)?([\w.-]+)(:\d{1,5})?/([^\s?#]+)")
# A server that sends less than this for a minute is taken for dead.
SLOW = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60")


def is_url(location: str) -> bool:
    """Whether git reads this over a protocol; everything else is a path."""
    return "://" in location or _SCP_LIKE.fullmatch(location) is not None


def open_local(location: str) -> Git:
    """A work tree (any folder in it) or a bare repository.

    Raises:
        SourceError: no such folder, not a repository, or one that git refuses to read.
    """
    path = Path(location).expanduser()
    if not path.exists():
        raise SourceError(f"{location}: no such folder; give the path of a git clone, or OWNER/REPO for GitHub")
    if not path.is_dir():
        raise SourceError(f"{location}: a file, not a folder; give the path of a git clone")
    try:
        found = run_git(["-C", str(path), "rev-parse", "--is-bare-repository", "--absolute-git-dir"])
    except GitFailedError as error:
        if "dubious ownership" in error.stderr:
            raise SourceError(
                f"{location}: git refuses a repository of another user;"
                f" allow it with: git config --global --add safe.directory {path.resolve()}"
            ) from error
        raise SourceError(f"{location}: not a git repository; clone one there, or give another path") from error
    bare, _, git_dir = os.fsdecode(found).rstrip("\n").partition("\n")
    return Git(Path(git_dir), location, bare=bare == "true")


def fetch_remote(url: str, cache_dir: Path, progress: Progress) -> Git:
    """The default branch of a remote repository, in a bare repository under `cache_dir`; fetched again each time.

    The address is not stored in it, since it may hold a token.

    Raises:
        ServiceError: the address cannot be read.
        SourceError: the repository is empty.
    """
    label = without_credentials(url)
    git = cached_remote(url, cache_dir)
    try:
        run_git(["init", "--quiet", "--bare", str(git.git_dir)])
        answer = run_git([*SLOW, "ls-remote", "--symref", "--", url, "HEAD"]).decode("utf-8", "replace")
        if not answer.strip():
            raise SourceError(f"{label}: the repository is empty; there is nothing to digest")
        match = re.search(r"^ref: refs/heads/(\S+)\tHEAD$", answer, re.MULTILINE)
        branch = match[1] if match else "detached-head"
        source = f"refs/heads/{match[1]}" if match else "HEAD"
        _fetch(git.git_dir, url, f"+{source}:refs/heads/{branch}", progress)
        run_git(["--git-dir", str(git.git_dir), "symbolic-ref", "HEAD", f"refs/heads/{branch}"])
    except GitFailedError as error:
        raise ServiceError(
            f"{label}: git cannot read it ({error}); check the address, the network and your access"
        ) from error
    return git


def cached_remote(url: str, cache_dir: Path) -> Git:
    """Where `fetch_remote` keeps a repository; it may not exist yet."""
    label = name_as_text(without_credentials(url))
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", label.rpartition("://")[2]).strip("-.")[-80:]
    key = hashlib.sha256(label.encode()).hexdigest()[:12]
    return Git(cache_dir / "git" / f"{name}-{key}.git", label)


def _fetch(git_dir: Path, url: str, refspec: str, progress: Progress) -> None:
    options = ("--force", "--no-tags", "--progress")
    run_git_shown(["--git-dir", str(git_dir), *SLOW, "fetch", *options, "--", url, refspec], git_dir, progress)


def repository_address(url: str | None) -> tuple[str, str] | None:
    """`owner/name` and the web address, when a remote's URL looks like one of a forge; None otherwise."""
    if url is None:
        return None
    if "://" in url:
        match = _FORGE.fullmatch(url)
        if match is None:
            return None
        web = match[1].startswith("http")
        scheme, host, path = match[1] if web else "https", match[2] + (match[3] or "" if web else ""), match[4]
    elif match := _SCP_LIKE.fullmatch(url):
        scheme, host, path = "https", match[1], match[2]
    else:
        return None
    segments = path.removesuffix("/").removesuffix(".git").strip("/").split("/")
    if len(segments) < 2 or not all(re.fullmatch(r"[\w.~-]+", segment) for segment in segments):
        return None
    return "/".join(segments[-2:]), f"{scheme}://{host}/{'/'.join(segments)}"
