"""Git over http for the fake GitHub: `git http-backend` as a CGI on the bare repositories of the world."""

import base64
import re
import subprocess
from collections.abc import Mapping
from urllib.parse import urlsplit

from github_repository import FakeRepository
from github_store import ENVIRONMENT
from github_wire import Answer, Request
from github_world import World

_ROUTE = re.compile(r"/([^/]+/[^/]+?)(?:\.git)?/(info/refs|git-upload-pack)$")


def route(path: str) -> "re.Match[str] | None":
    """The repository and the service that a path names."""
    return _ROUTE.match(urlsplit(path).path)


def allowed(request: Request, token: str) -> bool:
    expected = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "basic" and given == expected


def answer(request: Request, world: World, settings: Mapping[str, str]) -> Answer:
    """What the git of that repository says, with some settings; 301 from an older name."""
    known = route(request.path)
    assert known
    repository = world.find(known[1])
    if repository is None:
        return Answer.text(404, "Repository not found.")
    query = urlsplit(request.path).query
    if repository.name.lower() != known[1].lower():
        return Answer.text(301, "", {"location": f"{repository.url}.git/{known[2]}{query and '?'}{query}"})
    repository.store.write()
    return _cgi(request, repository, known[2], query, settings)


def _cgi(request: Request, repository: FakeRepository, place: str, query: str, settings: Mapping[str, str]) -> Answer:
    environment = {
        **ENVIRONMENT,
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROJECT_ROOT": str(repository.store.folder.parent),
        "PATH_INFO": f"/{repository.store.folder.name}/{place}",
        "QUERY_STRING": query,
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for number, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    done = subprocess.run(
        ["git", "http-backend"], input=request.body, env=environment, capture_output=True, check=False
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.decode().split("\r\n"))}
    status = headers.pop("status", "200 OK")
    return Answer(int(status.split(" ", 1)[0]), content, headers)
