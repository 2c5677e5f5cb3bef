"""The REST routes of the fake GitHub that a reader of pull requests asks, over the records of the world."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from github_actors import Actor
from github_conversation import FakeComment
from github_pull import FakeCommit, FakePull
from github_repository import FakeRepository
from github_resolvers import iso
from github_scenarios import Scenario
from github_store import FakeFile
from github_wire import Answer
from github_world import World

_DOCS = "https://docs.github.com/rest"
_FILE_CAP = 3000
_COMMIT_CAP = 250
_ROUTE = re.compile(r"/(?:repos/([^/]+/[^/]+)|repositories/(\d+))(/.*)?$")


class Rest:
    """`base` is the address of the API; `limits` gives the content of /rate_limit."""

    def __init__(self, world: World, scenario: Scenario, base: str, limits: Callable[[], dict[str, Any]]) -> None:
        self.world, self.scenario, self.base, self.limits = world, scenario, base, limits

    def answer(self, method: str, path: str) -> Answer:
        """`path` is the one below the base, with its query."""
        parts = urlsplit(path)
        query = dict(parse_qsl(parts.query))
        if method != "GET":
            return _not_found()
        if parts.path == "/rate_limit":
            return Answer.json(200, self.limits())
        if parts.path == "/user":
            return Answer.json(200, self._person(self.world.viewer), {"x-oauth-scopes": "repo"})
        known = _ROUTE.match(parts.path)
        if known is None:
            return _not_found()
        if known[2]:
            repository = next((repo for repo in self.world.repositories if repo.id == int(known[2])), None)
        else:
            repository = self.world.find(known[1])
            if repository and repository.name.lower() != known[1].lower():
                return self._moved(repository, known[3] or "", parts.query)
        return self._below(repository, known[3] or "", query, path) if repository else _not_found()

    def _moved(self, repository: FakeRepository, rest: str, query: str) -> Answer:
        url = f"{self.base}/repositories/{repository.id}{rest}{'?' if query else ''}{query}"
        content = {"message": "Moved Permanently", "url": url, "documentation_url": _DOCS}
        return Answer.json(301, content, {"location": url})

    def _below(self, repository: FakeRepository, rest: str, query: Mapping[str, str], path: str) -> Answer:
        if rest == "":
            return Answer.json(200, self._repository(repository))
        if rest == "/pulls":
            return self._page([self._pull(pull, full=False) for pull in _listed(repository, query)], query, path)
        known = re.match(r"/(pulls|issues)/(\d+)(?:/(\w+))?$", rest)
        if known is None or int(known[2]) not in repository.pulls:
            return _not_found()
        pull = repository.pulls[int(known[2])]
        if known[1] == "issues":
            comments = [self._comment(pull, comment) for comment in pull.comments]
            return self._page(comments, query, path) if known[3] == "comments" else _not_found()
        if known[3] is None:
            return Answer.json(200, self._pull(pull, full=True))
        if known[3] == "files":
            return self._files(pull, query, path)
        lists: dict[str, Callable[[FakePull], list[dict[str, Any]]]] = {
            "commits": lambda pull: [self._commit(commit) for commit in pull.commits[:_COMMIT_CAP]],
            "reviews": self._reviews,
            "comments": self._thread_comments,
        }
        return self._page(lists[known[3]](pull), query, path) if known[3] in lists else _not_found()

    def _page(self, items: Sequence[dict[str, Any]], query: Mapping[str, str], path: str) -> Answer:
        size = max(1, min(100, int(query.get("per_page", "30"))))
        number = max(1, int(query.get("page", "1")))
        last = max(1, -(-len(items) // size))
        links = []
        for name, page in (("prev", number - 1), ("next", number + 1), ("last", last), ("first", 1)):
            if 1 <= page <= last and not (name in ("last", "first") and page == number):
                target = urlencode(dict(query) | {"page": str(page)})
                links.append(f'<{self.base}{urlsplit(path).path}?{target}>; rel="{name}"')
        headers = {"link": ", ".join(links)} if last > 1 else {}
        return Answer.json(200, items[(number - 1) * size : number * size], headers)

    def _files(self, pull: FakePull, query: Mapping[str, str], path: str) -> Answer:
        """Rows past the budget of a page come as 0/0/0 without a patch and without a mark."""
        size = max(1, min(100, int(query.get("per_page", "30"))))
        rows, used, budget = [], 0, self.scenario.patch_lines
        for place, file in enumerate(pull.files[:_FILE_CAP]):
            used = 0 if place % size == 0 else used
            used += file.additions + file.deletions
            rows.append(self._file(file, pull, cut=budget is not None and used > budget))
        return self._page(rows, query, path)

    def _file(self, file: FakeFile, pull: FakePull, *, cut: bool) -> dict[str, Any]:
        row: dict[str, Any] = {
            "sha": file.blob,
            "filename": file.path,
            "status": file.status,
            "additions": 0 if cut else file.additions,
            "deletions": 0 if cut else file.deletions,
            "changes": 0 if cut else file.additions + file.deletions,
            "blob_url": f"{pull.repository.url}/blob/{pull.head_commit}/{file.path}",
            "raw_url": f"{pull.repository.url}/raw/{pull.head_commit}/{file.path}",
            "contents_url": f"{self.base}/repos/{pull.repository.name}/contents/{file.path}?ref={pull.head_commit}",
        }
        if file.patch is not None and not cut:
            row["patch"] = file.patch.decode("utf-8", "replace")
        if file.previous_path:
            row["previous_filename"] = file.previous_path
        return row

    def _person(self, who: Actor | None) -> dict[str, Any] | None:
        if who is None:
            return None
        return {
            "login": who.rest_login,
            "id": 1,
            "type": who.kind,
            "url": f"{self.base}/users/{who.rest_login}",
            "html_url": f"{self.world.web_url}/{who.login}",
            "name": who.name,
        }

    def _repository(self, repository: FakeRepository) -> dict[str, Any]:
        owner, name = repository.name.split("/")
        return {
            "id": repository.id,
            "name": name,
            "full_name": repository.name,
            "owner": {"login": owner, "id": 2, "type": "Organization", "url": f"{self.base}/users/{owner}"},
            "private": repository.is_private,
            "html_url": repository.url,
            "url": f"{self.base}/repos/{repository.name}",
            "clone_url": f"{repository.url}.git",
            "default_branch": repository.default_branch,
        }

    def _pull(self, pull: FakePull, *, full: bool) -> dict[str, Any]:
        merged = pull.state == "MERGED"
        branch = {"repo": self._repository(pull.repository), "user": None}
        content = {
            "id": pull.number + 100_000,
            "node_id": pull.id,
            "number": pull.number,
            "url": f"{self.base}/repos/{pull.repository.name}/pulls/{pull.number}",
            "issue_url": f"{self.base}/repos/{pull.repository.name}/issues/{pull.number}",
            "html_url": pull.url,
            "state": "open" if pull.state == "OPEN" else "closed",
            "title": pull.title,
            "body": pull.body or None,
            "user": self._person(pull.author),
            "labels": [{"id": place, "name": name, "color": "ededed"} for place, name in enumerate(pull.labels)],
            "created_at": iso(pull.created_at),
            "updated_at": iso(pull.updated_at),
            "closed_at": iso(pull.updated_at) if pull.state != "OPEN" else None,
            "merged_at": iso(pull.merged_at) if merged and pull.merged_at else None,
            "merge_commit_sha": pull.merge_commit,
            "draft": False,
            "head": {**branch, "ref": pull.head_branch, "sha": pull.head_commit, "label": pull.head_branch},
            "base": {**branch, "ref": pull.base, "sha": pull.fork.oid, "label": pull.base},
        }
        if not full:
            return content
        return content | {
            "merged": merged,
            "merged_by": self._person(pull.merged_by),
            "additions": pull.additions,
            "deletions": pull.deletions,
            "changed_files": pull.changed_files,
            "commits": len(pull.commits),
            "comments": len(pull.comments),
            "review_comments": sum(len(thread.comments) for thread in pull.threads),
        }

    def _commit(self, commit: FakeCommit) -> dict[str, Any]:
        author = {"name": commit.author.name, "email": commit.author.email, "date": iso(commit.authored_at)}
        committer = {"name": "GitHub", "email": "noreply@example.invalid", "date": iso(commit.committed_at)}
        return {
            "sha": commit.oid,
            "url": f"{self.base}/repos/{commit.repository.name}/commits/{commit.oid}",
            "commit": {"message": commit.message, "author": author, "committer": committer},
            "author": self._person(commit.user),
            "parents": [{"sha": parent.oid} for parent in commit.parents],
        }

    def _comment(self, pull: FakePull, comment: FakeComment) -> dict[str, Any]:
        return {
            "id": comment.rest_id,
            "node_id": comment.id,
            "user": self._person(comment.author),
            "body": comment.body,
            "created_at": iso(comment.created_at),
            "updated_at": iso(comment.created_at),
            "html_url": pull.url + comment.url,
        }

    def _reviews(self, pull: FakePull) -> list[dict[str, Any]]:
        return [
            {
                "id": review.rest_id,
                "node_id": review.id,
                "user": self._person(review.author),
                "body": review.body,
                "state": review.state,
                "submitted_at": iso(review.submitted_at) if review.submitted_at else None,
                "html_url": f"{pull.url}#pullrequestreview-{review.rest_id}",
                "commit_id": pull.head_commit,
            }
            for review in pull.reviews
        ]

    def _thread_comments(self, pull: FakePull) -> list[dict[str, Any]]:
        """REST knows neither threads nor whether they are resolved, only comments that answer comments."""
        return [
            self._comment(pull, comment)
            | {
                "path": thread.path,
                "line": thread.line,
                "original_line": thread.original_line,
                "side": thread.diff_side,
                "diff_hunk": thread.diff_hunk,
                "commit_id": pull.head_commit,
                "original_commit_id": thread.original_oid,
                **({"in_reply_to_id": thread.comments[0].rest_id} if place else {}),
            }
            for thread in pull.threads
            for place, comment in enumerate(thread.comments)
        ]


def _listed(repository: FakeRepository, query: Mapping[str, str]) -> list[FakePull]:
    """As the route orders and filters: open ones by creation, newest first, unless told otherwise."""
    state = query.get("state", "open")
    found = [
        pull
        for pull in repository.pulls.values()
        if state == "all" or (pull.state == "OPEN") == (state == "open")
        if query.get("base", pull.base) == pull.base
    ]
    by = {"updated": "updated_at"}.get(query.get("sort", "created"), "created_at")
    default = "asc" if "sort" in query and query["sort"] != "created" else "desc"
    descending = query.get("direction", default) == "desc"
    return sorted(found, key=lambda pull: (getattr(pull, by), pull.number), reverse=descending)


def _not_found() -> Answer:
    return Answer.json(404, {"message": "Not Found", "documentation_url": _DOCS, "status": "404"})
