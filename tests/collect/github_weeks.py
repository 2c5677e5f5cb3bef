"""A busy week of a made-up repository, always the same: the truth for the benchmark and for tests of a whole week."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from random import Random

from github_world import Blob, Bot, FakeIssue, FakePull, FakeRepository, Files, Mannequin, Who, World, moment

SINCE, UNTIL = moment("2026-02-02T00:00:00Z"), moment("2026-02-09T00:00:00Z")  # 2026-W06
NAME = "aurora-serve/aurora"
RELEASE = "release-1.4"
MANY = 150  # threads of one pull request, comments of one thread

_PEOPLE = (
    "ada-lin", "bo-wu", "cleo-adeyemi", "dana-ruiz", "eli-okafor", "fay-nakata", "gus-moreau", "hana-berg",
    "ivo-petrov", "june-castle", "kim-tan", "lars-holm", "mina-shah", "nils-ek", "oona-vale", "pia-lund",
)  # fmt: skip
_BOTS = (Bot("dependabot"), Bot("ci-helper"), Bot("review-helper"))
_WORDS = (
    "cache", "batch", "token", "kernel", "queue", "stream", "shard", "prefix", "router", "graph", "memory", "request",
    "worker", "metric", "layer", "mask",
)  # fmt: skip
_VERBS = ("Fix", "Add", "Speed up", "Remove", "Rework", "Document", "Test", "Simplify", "Guard", "Split")
_LABELS = ("bug", "performance", "documentation", "ci", "breaking", "needs-benchmark", "router", "kernel")
_MODULES = 40  # a pull request leaves alone what the ones before it changed, so that heads may lag behind


@dataclass(frozen=True)
class BusyWeek:
    """`pulls` landed on main in the week, `elsewhere` on another branch, `outside` before or after it.

    `direct_commits` counts the commits on main in the week that belong to no pull request.
    """

    world: World
    repository: FakeRepository
    pulls: tuple[FakePull, ...]
    elsewhere: tuple[FakePull, ...]
    outside: tuple[FakePull, ...]
    direct_commits: int


def busy_week(pulls: int = 320, threads: int = 1500, *, seed: int = 6) -> BusyWeek:
    """Pull requests that landed as squash, merge and rebase, with all their conversation.

    One has 150 threads, one thread 150 comments, when there are that many threads; other lists go over a page, too.
    """
    world = World()
    make = _Maker(world.repository(NAME), Random(seed))
    before = [make.pull(SINCE - timedelta(hours=hours)) for hours in range(160, 0, -4)]
    for pull in before[::3]:
        pull.touch(SINCE + timedelta(hours=pull.number))
    step = (UNTIL - SINCE) / (pulls + 1)
    week, elsewhere = [], []
    for place in range(pulls):
        when = (SINCE + step * (place + 1)).replace(microsecond=0)
        week.append(make.pull(when))
        if place % 40 == 7:
            make.direct_commit(when + timedelta(seconds=20))
        if place % 26 == 9:
            elsewhere.append(make.backport(week[-1], when + timedelta(seconds=40)))
    after = [make.pull(UNTIL + timedelta(hours=hours)) for hours in range(25)]
    make.conversation(week, threads)
    make.follow_ups([*week, *after])
    make.repository.open_pull(title="Not there yet", files={"docs/later.md": "later\n"}, created_at=SINCE)
    make.repository.open_pull(title="Given up", files={"docs/never.md": "no\n"}, created_at=SINCE, state="CLOSED")
    outside = (*before, *after)
    return BusyWeek(world, make.repository, tuple(week), tuple(elsewhere), outside, make.direct_commits)


class _Maker:
    def __init__(self, repository: FakeRepository, random: Random) -> None:
        self.repository, self.random = repository, random
        self.direct_commits = 0
        self._texts: dict[str, list[str]] = {}  # the files of main
        self._places = count()
        self._lines: dict[int, list[tuple[str, int]]] = {}  # what a pull request added, as its last commit has it
        self._first_lines: dict[int, list[tuple[str, int]]] = {}  # the same for its first commit

    def pull(self, when: datetime) -> FakePull:
        """One that changes a few files of one module."""
        place = next(self._places)
        specs = self._commits(place)
        author: Who = self.random.choice(_PEOPLE)
        author = _BOTS[0] if place % 17 == 3 else None if place % 101 == 50 else author
        title = f"{self.random.choice(_VERBS)} the {' '.join(self.random.sample(_WORDS, 2))}"
        pull = self.repository.merge_pull(
            title=title,
            author=author,
            merged_at=when,
            created_at=when - timedelta(hours=self.random.randint(5, 300)),
            updated_at=when + timedelta(minutes=self.random.choice((0, 0, 0, 7, 600))),
            kind=("squash", "squash", "merge", "rebase")[place % 4],
            commits=[(message, files, author) for message, files in specs],
            body=self._body(place),
            labels=self.random.sample(_LABELS, self.random.randint(0, 3)),
            merged_by=self.random.choice(_PEOPLE),
            behind=place % 4 if place > 8 else 0,
        )
        self._lines[pull.number], self._first_lines[pull.number] = _added(specs, place), _added(specs[:1], place)
        return pull

    def backport(self, pull: FakePull, when: datetime) -> FakePull:
        files = {f"notes/{pull.number}.md": f"{pull.title}\n"}
        return self.repository.merge_pull(title=f"[{RELEASE}] {pull.title}", merged_at=when, base=RELEASE, files=files)

    def direct_commit(self, when: datetime) -> None:
        self.direct_commits += 1
        self.repository.direct_commit("Bump the version", {"VERSION": f"1.5.dev{self.direct_commits}\n"}, when)

    def _commits(self, place: int) -> list[tuple[str, Files]]:
        """Messages and files of the commits."""
        chosen = self.random
        parts = 120 if place == 150 else chosen.choice((1, 1, 2, 3, 3, 5, 9))
        paths = [f"src/module{place % _MODULES}/part{number}.py" for number in range(parts)]
        commits: list[tuple[str, Files]] = []
        for number in range(60 if place == 101 else chosen.choice((1, 1, 1, 2, 3, 5))):
            changed = paths if number == 0 else chosen.sample(paths, chosen.randint(1, len(paths)))
            files: dict[str, str | bytes | Blob | None] = {path: self._edited(path, place, number) for path in changed}
            if number == 0:
                files |= self._odd(place)
            trailer = (
                f"\n\nCo-authored-by: {chosen.choice(_PEOPLE)} <someone@example.invalid>" if place % 23 == 5 else ""
            )
            commits.append((f"{chosen.choice(_VERBS)} part {number}{trailer}", files))
        return commits

    def _edited(self, path: str, place: int, number: int) -> str:
        """The file with a block of lines put in and some taken out."""
        lines = self._texts.setdefault(path, [f"start of {path}"])
        at = self.random.randint(0, len(lines))
        size = 1500 if place % 120 == 60 and number == 0 else self.random.choice((1, 2, 5, 12, 30, 60))
        added = [f"# pull {place} commit {number} line {line} {self.random.choice(_WORDS)}" for line in range(size)]
        lines[at : at + self.random.randint(0, 4)] = added
        return "\n".join(lines) + "\n"

    def _odd(self, place: int) -> dict[str, str | bytes | Blob | None]:
        """Files whose change is more than text: binary, renamed, executable, a submodule, names and ends of lines."""
        number, age = divmod(place, 10)
        if age == 1:
            return {f"assets/{number}.bin": bytes([0, number % 256]), f"tools/{number}.sh": f"echo {number}\n" * 9}
        if age == 2 and number:
            old = number - 1
            return {
                f"assets/{old}.bin": b"\0\0",
                f"tools/{old}.sh": None,
                f"tools/run-{old}.sh": f"echo {old}\n" * 9,
            }
        if age == 6:
            return {f"tools/{number}.sh": Blob(f"echo {number}\n" * 9, "100755")}
        if age == 4:
            return {"vendor/engine": Blob(f"{place:040x}", "160000"), f"docs/läs-{number}.md": "å\r\nä\r\n"}
        return {}

    def _body(self, place: int) -> str:
        text = f"Because the {self.random.choice(_WORDS)} was slow.\n\nMeasured twice."
        odd = {11: "", 22: text.replace("\n", "\r\n"), 33: text + " \ud83d", 44: "<!-- a template -->\n" + text}
        return odd.get(place % 50, text)

    def conversation(self, pulls: list[FakePull], threads: int) -> None:
        """Exactly so many threads, and reviews, comments and labels, some of them over a page."""
        talked = [pull for pull in pulls if self._lines[pull.number]]
        largest = min(MANY, threads)
        busiest = talked.pop(len(talked) // 2)
        for _ in range(largest):
            self._thread(busiest)
        for place in range(threads - largest):
            self._thread(talked[int(len(talked) * self.random.random() ** 2)], MANY if place == 0 else None)
        for pull in pulls:
            for number in range(45 if pull is pulls[len(pulls) // 3] else self.random.choice((0, 1, 1, 2, 4))):
                state = self.random.choice(("APPROVED", "COMMENTED", "CHANGES_REQUESTED", "DISMISSED"))
                pull.review(self._somebody(), state, f"Review {number}" if number % 2 else "")
            for number in range(170 if pull is pulls[len(pulls) // 4] else self.random.choice((0, 0, 1, 2, 3))):
                pull.comment(self._somebody(), f"Remark {number}\r\non {pull.title}", minimized=number % 9 == 8)
        pulls[-1].labels = [f"label-{number}" for number in range(35)]

    def _thread(self, pull: FakePull, comments: int | None = None) -> None:
        chance = self.random.random()
        early = chance > 0.85  # seen at the first commit
        path, line = self.random.choice((self._first_lines if early else self._lines)[pull.number])
        opener: Who = pull.author if chance < 0.05 else self._somebody()
        resolved = self.random.random() < 0.6
        thread = pull.thread(
            path,
            line,
            [(opener, f"Is line {line} right?")],
            resolved=resolved,
            resolved_by=self._person() if resolved else None,
            outdated=chance > 0.7,
            original_commit=0 if early else -1,
            original_start_line=line - 1 if early and (path, line - 1) in self._first_lines[pull.number] else None,
        )
        for number in range((comments or self.random.choice((1, 1, 2, 3, 5))) - 1):
            thread.comment(self._somebody(), f"Answer {number} about {path}", minimized=number % 7 == 6)

    def follow_ups(self, pulls: list[FakePull]) -> None:
        """Later pull requests and issues that name earlier ones."""
        for place in range(0, len(pulls) - 5, 9):
            pulls[place].referenced_by(pulls[place + 5])
        for number in range(30):
            pulls[3].referenced_by(FakeIssue(self.repository, 9000 + number, f"Report {number}"))

    def _person(self) -> Who:
        return self.random.choice(_PEOPLE) if self.random.random() > 0.02 else None

    def _somebody(self) -> Who:
        chance = self.random.random()
        odd: Who = Mannequin("old-account") if chance < 0.01 else self.random.choice(_BOTS)
        return odd if chance < 0.12 else self._person()


def _added(commits: Sequence[tuple[str, Files]], place: int) -> list[tuple[str, int]]:
    """Path and number of each line that a pull request has added by the last of these commits."""
    last = {path: file for _, files in commits for path, file in files.items() if isinstance(file, str)}
    lines = [(path, number, line) for path, file in last.items() for number, line in enumerate(file.split("\n"), 1)]
    return [(path, number) for path, number, line in lines if line.startswith(f"# pull {place} ")]


def all_comments(pulls: Sequence[FakePull]) -> Iterator[str]:
    """The ids of all comments of all threads."""
    for pull in pulls:
        for thread in pull.threads:
            yield from (comment.id for comment in thread.comments)
