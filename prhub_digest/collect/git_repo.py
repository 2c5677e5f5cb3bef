"""The git source: a local clone or any URL that git can read. No token; what git cannot know stays unknown."""

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

from prhub_digest.collect.git_attributes import linguist_attributes
from prhub_digest.collect.git_authors import EarlierAuthors, earlier_authors
from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_landed_files import landed_files
from prhub_digest.collect.git_log import REPLACED, LandedPull, LogEntry, Walk, read_log, walk
from prhub_digest.collect.git_plain import without_own_attributes
from prhub_digest.collect.git_remote import (
    Progress,
    cached_remote,
    fetch_remote,
    is_url,
    open_local,
    repository_address,
)
from prhub_digest.collect.landing import co_authors, person, without_trailers
from prhub_digest.collect.masking import mask, mask_collection
from prhub_digest.collect.source import MAY_BE_MISSING
from prhub_digest.errors import SourceError
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, Commit, Completeness, FileChange, PullRequest
from prhub_digest.run_folder import name_as_text


def _quiet(_: str) -> None:
    pass


class GitSource:
    """Pull requests from the first-parent history of one branch.

    Args:
        location: the path of a clone (work tree or bare), or a URL that git can read.
        cache_dir: where repositories of URLs are kept.
        progress: called with git's own progress lines while it fetches.
    """

    rereads = False

    def __init__(self, location: str, cache_dir: Path, progress: Progress = _quiet) -> None:
        self._location = location
        self._cache_dir = cache_dir
        self._progress = progress
        self._walked: tuple[str, Period, Walk] | None = None

    @property
    def repository(self) -> str:
        """`owner/name` when the remote is a forge's address, else `local/<folder>`; nothing is fetched.

        Raises:
            SourceError: a path that is no repository.
        """
        remote, folder = self._location, self._location.rstrip("/").rpartition("/")[2]
        if not is_url(self._location):
            git = open_local(self._location)
            path = git.git_dir.parent if git.git_dir.name == ".git" else git.git_dir
            remote, folder = git.line("config", "--get", "remote.origin.url") or "", path.name
        address = repository_address(remote)
        return address[0] if address else f"local/{name_as_text(folder).removesuffix('.git') or 'repository'}"

    def head(self) -> str | None:
        """The present commit of a clone's branch; for a URL that of its last fetch, None when there was none."""
        git = self._repository()
        if is_url(self._location) and git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
            return None
        return _branch(git)[1]

    def collection(self, period: Period) -> Collection:
        """The numbers of the pull requests that landed in the period, in the order of landing.

        Raises:
            SourceError: no repository, no commits, a clone that lacks the period or its objects.
            ServiceError: the URL cannot be read.
        """
        if is_url(self._location):
            git = fetch_remote(self._location, self._cache_dir, self._progress)
        else:
            git = open_local(self._location)
        branch, head = _branch(git)
        _refuse_partial(git)
        walked = self._walk(git, head, period)
        notes = [f"read along {branch}, first parents only, at {head[:12]}", *_age_notes(branch, walked, period)]
        if git.line("rev-parse", "--is-shallow-repository") == "true":
            notes.append(_shallow_note(git, walked, period))
        address = repository_address(self._remote(git))
        collection = Collection(
            repository=self.repository,
            source="git",
            web_url=address[1] if address else None,
            period=period,
            numbers=tuple(pull.what.number for pull in walked.pulls),
            direct_commits=walked.direct_commits,
            head=head,
            # What the period itself changes hides nothing of it.
            attributes=linguist_attributes(git, walked.base) if walked.base else (),
            notes=tuple(notes),
        )
        return mask_collection(collection)

    def pull_requests(self, collection: Collection, skip: frozenset[int]) -> Iterator[PullRequest]:
        """The collection's pull requests one at a time, as they were at the collection's head.

        Raises:
            SourceError: as in `collection`.
        """
        git = self._repository()
        branch, head = _branch(git)
        base_branch = None if branch == "HEAD" else branch.removeprefix("origin/")
        walked = self._walk(git, collection.head or head, collection.period)
        wanted = [pull for pull in walked.pulls if pull.what.number not in skip]
        if wanted:
            earlier = earlier_authors(git, walked)
            with without_own_attributes(git) as plain:
                for pull in wanted:
                    diff = landed_files(plain, pull)
                    url = collection.web_url
                    yield mask(_pull_request(git, pull, diff, earlier, base_branch=base_branch, web_url=url))

    def _repository(self) -> Git:
        """What is here already: a clone, or what was fetched of a URL."""
        url = is_url(self._location)
        return cached_remote(self._location, self._cache_dir) if url else open_local(self._location)

    def _walk(self, git: Git, head: str, period: Period) -> Walk:
        if self._walked is None or self._walked[:2] != (head, period):
            self._walked = head, period, walk(git, head, period)
        return self._walked[2]

    def _remote(self, git: Git) -> str | None:
        return self._location if is_url(self._location) else git.line("config", "--get", "remote.origin.url")


def _branch(git: Git) -> tuple[str, str]:
    """The name of the branch to read, and its commit: origin's default branch of a work tree, else HEAD."""
    remote = None if git.bare else git.line("symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    name = remote or git.line("symbolic-ref", "--short", "HEAD") or "HEAD"
    head = git.line("rev-parse", "--verify", "--quiet", f"{remote or 'HEAD'}^{{commit}}")
    if head is None:
        raise SourceError(
            f"{git.label}: {name} has no commit that can be read: the repository is empty, or its clone is damaged;"
            " give a clone with history, or try git fsck in it"
        )
    return name, head


def _refuse_partial(git: Git) -> None:
    """Git would fetch the missing contents one by one, over the network, in the middle of reading."""
    if git.line("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$") is not None:
        raise SourceError(
            f"{git.label}: a partial clone (git clone --filter): contents of files are missing;"
            " use a full clone (git clone without --filter)"
        )


def _age_notes(branch: str, walked: Walk, period: Period) -> Iterator[str]:
    """A clone that was not fetched lately, or a period that was not over: by the newest commit, not by the clock."""
    newest = walked.newest.committed_at
    if newest is not None and newest < period.until:
        day = newest.astimezone(ZoneInfo(period.timezone))
        yield f"the newest commit on {branch} is of {day:%Y-%m-%d}, before the end of the period: {MAY_BE_MISSING}"


def _shallow_note(git: Git, walked: Walk, period: Period) -> str:
    """A shallow clone is fine when its history reaches back beyond the period."""
    begins = walked.oldest.committed_at
    if begins is None or begins >= period.since:
        day = "an unknown day" if begins is None else f"{begins:%Y-%m-%d}"
        raise SourceError(
            f"{git.label}: a shallow clone whose history begins on {day}, not before {period.since:%Y-%m-%d};"
            f" get the rest with: git fetch --unshallow (or git fetch --shallow-since={period.since:%Y-%m-%d}, then"
            " git fetch --deepen=50)"
        )
    return f"shallow clone, history begins on {begins:%Y-%m-%d}: lists of commits may be incomplete"


def _pull_request(
    git: Git,
    pull: LandedPull,
    diff: tuple[tuple[FileChange, ...], bool],
    earlier: EarlierAuthors,
    *,
    base_branch: str | None,
    web_url: str | None,
) -> PullRequest:
    last, first = pull.last, pull.entries[-1]
    files, utf8 = diff
    is_merge = len(last.parents) > 1
    commits = _merged_commits(git, last) if is_merge else tuple(reversed(pull.entries))
    authored = commits[0] if is_merge and commits else first
    author = authored.author
    message = "\n".join(entry.message for entry in {entry.sha: entry for entry in (*pull.entries, *commits)}.values())
    notes = [] if utf8 else ["the diff holds bytes that are not UTF-8; each is shown as \ufffd"]
    if REPLACED in message or REPLACED in author:
        notes.append("names or messages hold bytes that are not UTF-8; each is shown as \ufffd")
    together = len(pull.runs) == 1
    if not together:
        notes.append("its commits do not stand together on the branch; their diffs are put one after the other")
    merged_at = last.committed_at
    if merged_at is None:
        raise SourceError(f"{git.label}: commit {last.sha} has a date that no calendar has")
    path = "/-/merge_requests/" if pull.what.gitlab else "/pull/"
    return PullRequest(
        number=pull.what.number,
        title=pull.what.title,
        body=without_trailers(pull.what.body),
        url=f"{web_url}{path}{pull.what.number}" if web_url else None,
        author=person(author),
        co_authors=co_authors(message, author),
        merged_at=merged_at,
        base_branch=base_branch,
        head_branch=pull.what.head_branch,
        merge_kind="merge" if is_merge else "squash" if len(pull.entries) == 1 else "rebase",
        merge_commit=last.sha,
        files=files,
        commits=tuple(_commit(entry) for entry in commits),
        first_contribution=earlier.first_contribution(authored),
        completeness=Completeness(
            diff="complete" if together else "partial", conversation="unknown", notes=tuple(notes)
        ),
    )


def _merged_commits(git: Git, merge: LogEntry) -> tuple[LogEntry, ...]:
    """What the merge brought in: commits of the other parents that the first one does not have, oldest first."""
    return tuple(read_log(git, "--reverse", *merge.parents[1:], f"^{merge.parents[0]}"))


def _commit(entry: LogEntry) -> Commit:
    message = without_trailers(entry.message) or ""
    return Commit(sha=entry.sha, message=message, author=person(entry.author), authored_at=entry.authored_at)
