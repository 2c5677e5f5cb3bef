"""Redirects, proxies and certificates: the token stays where it was meant to go."""

import ssl
from pathlib import Path

import pytest
import trustme
from scripted_github import (
    GOOD,
    TOKEN,
    failing,
    logged,
    served,
)
from scripted_http import ForwardProxy, ScriptedHttp, answer

from prhub_digest.errors import FatalServiceError, ServiceError


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_leads_to_another_host(status: int) -> None:
    with ScriptedHttp(GOOD) as other:
        elsewhere = other.url.replace("127.0.0.1", "localhost") + "/graphql"
        with served(answer("<html>moved</html>", status, {"Location": elsewhere})) as run:
            message = failing(run.query, FatalServiceError)
        assert other.requests == []
        where = "localhost" if status == 301 else elsewhere.split("/")[2]
        assert message == (
            f"{run.asked}: it leads to another address ({where}): nothing is sent to a host that you did not name;"
            " set github_api_url to the right one"
        )


def test_no_redirect_leads_to_another_protocol() -> None:
    with served(answer("", 301, {"Location": "https://127.0.0.1/graphql"})) as run:
        message = failing(run.query, FatalServiceError)
    assert message.startswith(f"{run.asked}: it leads to another address (https): nothing is sent")


def test_a_redirect_to_itself() -> None:
    with served("gone") as run:
        run.server._replies[:] = [answer("", 301, {"Location": f"{run.server.url}/graphql"})]
        message = failing(run.query, FatalServiceError)
    assert message.startswith(f"{run.asked}: it leads to another address ({run.server.url}/graphql): nothing is sent")


def test_no_redirect_leads_to_another_port() -> None:
    with ScriptedHttp(GOOD) as other:
        with served(answer("", 301, {"Location": other.url + "/moved"}), GOOD) as run:
            run.query()
        assert other.requests == []
    assert [request.target for request in run.server.requests] == ["/graphql", "/moved"]


def test_a_proxy_is_used_when_the_environment_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with ForwardProxy() as proxy, served(GOOD) as run:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        run.query()
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        run.query()
    assert [request.target for request in proxy.requests] == [f"{run.server.url}/graphql"]
    assert len(run.server.requests) == 2


def test_a_proxy_of_an_encrypted_connection_does_not_see_the_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
    with ForwardProxy() as proxy, served(GOOD, tls=certified(tmp_path)) as run:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        run.query()
    assert [(request.method, request.target) for request in proxy.requests] == [("CONNECT", run.host)]
    assert TOKEN not in repr(proxy.requests)
    assert run.server.requests[0].headers["authorization"] == f"token {TOKEN}"


def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with ForwardProxy() as proxy:
        pass
    with served(GOOD) as run, logged() as logs:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("://", "://me:proxy-secret@"))
        message = failing(run.query, ServiceError)
    assert "proxy-secret" not in logs.getvalue()
    assert message == (
        f"{run.asked}: the proxy that HTTPS_PROXY or HTTP_PROXY names failed: Connection refused"
        " (gave up after 6 attempts); the same command continues later"
    )


def test_a_certificate_authority_of_one_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with served(GOOD, tls=certified(tmp_path)) as run:
        message = failing(run.query, FatalServiceError)
        assert message == (
            f"{run.asked}: the certificate is not trusted (unable to get local issuer certificate): if your network has"
            " a certificate authority of its own, set REQUESTS_CA_BUNDLE to the path of its PEM file"
        )
        assert (run.server.requests, run.waits) == ([], [])
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
        assert run.query().data["nodes"] == []


BROKEN = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize("content", [None, "no certificate", BROKEN])
def test_a_ca_bundle_that_cannot_be_used(content: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.pem"
    if content is not None:
        bundle.write_text(content)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with served(GOOD, tls=certified(tmp_path)) as run:
        message = failing(run.query, FatalServiceError)
    assert message.startswith(f"{run.asked}: ")
    assert message.endswith(": check REQUESTS_CA_BUNDLE")
    assert (content is None) == (str(bundle) in message)


def certified(folder: Path) -> ssl.SSLContext:
    """A server's side, whose authority is written to `ca.pem`."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context
