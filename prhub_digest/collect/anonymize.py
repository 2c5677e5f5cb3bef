"""A collected week in which nobody is named: people become `user-1`, `user-2`, ... everywhere (pure).

The same person is the same stand-in in every record and every text, by account without regard to case; who comes first
in the order of the pull requests is `user-1`. `anonymous_text` tells what counts as a person in a text. Bots keep their
names, since rules know them; so do deleted accounts, the repository, its addresses and the paths of its files. What was
anonymized once does not change a second time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from prhub_digest.collect.anonymous_text import AnonymousText, learn_addresses, learn_mentions
from prhub_digest.collect.stand_ins import StandIns
from prhub_digest.models.filters import Filters, SetAside
from prhub_digest.models.pull_request import (
    Collection,
    Comment,
    Commit,
    FileChange,
    FollowUp,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)


@dataclass(frozen=True, slots=True)
class AnonymousWeek:
    """`pulls` by number; `people` is how many stand-ins there are."""

    collection: Collection
    pulls: tuple[PullRequest, ...]
    people: int


def anonymize(collection: Collection, pulls: Sequence[PullRequest]) -> AnonymousWeek:
    """The week without its people."""
    ordered = sorted(pulls, key=lambda pull: pull.number)
    people = StandIns(collection.repository.partition("/")[0])
    for person in _people(collection, ordered):
        people.learn(person)
    patches = [file.patch for pull in ordered for file in pull.files if file.patch]
    prose = list(_prose(collection, ordered))
    for text in (*prose, *patches):
        learn_addresses(text, people)
    for text in prose:
        learn_mentions(text, people)
    server = urlsplit(collection.web_url or "").hostname or "github.com"
    week = _Week(people, AnonymousText(people, collection.repository, server))
    changed = tuple(map(week.pull, ordered))
    return AnonymousWeek(week.collection(collection), changed, people.people)


def _people(collection: Collection, pulls: Sequence[PullRequest]) -> Iterator[Person]:
    for pull in pulls:
        yield pull.author
        yield from (person for person in (pull.merged_by, *pull.co_authors) if person is not None)
        yield from (commit.author for commit in pull.commits)
        yield from (review.author for review in pull.reviews or ())
        for thread in pull.threads or ():
            yield from (thread.resolved_by,) if thread.resolved_by else ()
            yield from (comment.author for comment in thread.comments)
        yield from (comment.author for comment in pull.comments or ())
    for aside in collection.set_aside:
        if aside.reason in {"author", "bot"} and aside.detail:
            is_name = len(aside.detail.split()) > 1
            kind = "bot" if aside.reason == "bot" else "unknown"
            yield Person(name=aside.detail, kind=kind) if is_name else Person(login=aside.detail, kind=kind)


def _prose(collection: Collection, pulls: Sequence[PullRequest]) -> Iterator[str]:
    for pull in pulls:
        yield from (pull.title, pull.body or "")
        yield from (commit.message for commit in pull.commits)
        yield from (review.body for review in pull.reviews or ())
        yield from (comment.body for thread in pull.threads or () for comment in thread.comments)
        yield from (comment.body for comment in pull.comments or ())
        yield from (follow_up.title for follow_up in pull.follow_ups or ())
    yield from (aside.title for aside in collection.set_aside)


class _Week:
    """Record by record; the order of the fields decides the numbers."""

    def __init__(self, people: StandIns, text: AnonymousText) -> None:
        self._people, self._text = people, text

    def pull(self, pull: PullRequest) -> PullRequest:
        text = self._text
        return pull.updated(
            author=self._people.person(pull.author),
            merged_by=pull.merged_by and self._people.person(pull.merged_by),
            co_authors=tuple(map(self._people.person, pull.co_authors)),
            title=text.prose(pull.title),
            body=pull.body and text.prose(pull.body),
            base_branch=pull.base_branch and text.branch(pull.base_branch),
            head_branch=pull.head_branch and text.branch(pull.head_branch),
            labels=_each(text.code, pull.labels),
            commits=_each(self._commit, pull.commits),
            reviews=_each(self._review, pull.reviews),
            threads=_each(self._thread, pull.threads),
            comments=_each(self._comment, pull.comments),
            files=_each(self._file, pull.files),
            follow_ups=_each(self._follow_up, pull.follow_ups),
            completeness=pull.completeness.updated(notes=_each(text.code, pull.completeness.notes)),
        )

    def collection(self, collection: Collection) -> Collection:
        filters = collection.filters
        return collection.updated(
            set_aside=_each(self._set_aside, collection.set_aside),
            notes=_each(self._text.code, collection.notes),
            filters=Filters(
                base=_each(self._text.branch, filters.base),
                labels=_each(self._text.code, filters.labels),
                authors=tuple(own for pattern in filters.authors for own in self._author_patterns(pattern)),
                paths=filters.paths,
                bots=filters.bots,
            ),
        )

    def _author_patterns(self, pattern: str) -> tuple[str, ...]:
        keep_out = "!" if pattern.startswith("!") else ""
        return tuple(keep_out + own for own in self._people.of_pattern(pattern.removeprefix("!")))

    def _set_aside(self, aside: SetAside) -> SetAside:
        kinds: dict[str, Callable[[str], str]] = {
            "author": self._people.of_name,
            "base": self._text.branch,
            "label": self._text.code,
        }
        change = kinds.get(aside.reason)
        detail = change(aside.detail) if change and aside.detail else aside.detail
        return aside.updated(detail=detail, title=self._text.prose(aside.title))

    def _commit(self, commit: Commit) -> Commit:
        return commit.updated(author=self._people.person(commit.author), message=self._text.prose(commit.message))

    def _review(self, review: Review) -> Review:
        return review.updated(author=self._people.person(review.author), body=self._text.prose(review.body))

    def _thread(self, thread: ReviewThread) -> ReviewThread:
        return thread.updated(
            comments=_each(self._comment, thread.comments),
            resolved_by=thread.resolved_by and self._people.person(thread.resolved_by),
            diff_hunk=thread.diff_hunk and self._text.diff(thread.diff_hunk),
        )

    def _comment(self, comment: Comment) -> Comment:
        return comment.updated(author=self._people.person(comment.author), body=self._text.prose(comment.body))

    def _file(self, file: FileChange) -> FileChange:
        return file.updated(patch=self._text.diff(file.patch)) if file.patch else file

    def _follow_up(self, follow_up: FollowUp) -> FollowUp:
        return follow_up.updated(title=self._text.prose(follow_up.title))


def _each(change: Callable[[Any], Any], items: tuple[Any, ...] | None) -> Any:
    return items and tuple(map(change, items))
