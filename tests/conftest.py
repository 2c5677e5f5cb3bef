"""No test connects to anything but this machine, and none sees the settings of the person who runs it."""

import os
import socket

import hypothesis
import pytest

# A slow machine is no fault: nothing is timed in tests.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

_connect = socket.socket.connect


def _connect_here_only(self, address):
    host = address[0] if isinstance(address, tuple) else "localhost"
    if host not in ("127.0.0.1", "::1", "localhost"):
        raise AssertionError(f"a test tried to connect to {address}")
    return _connect(self, address)


@pytest.fixture(autouse=True)
def _here_only(monkeypatch, request):
    monkeypatch.setattr(socket.socket, "connect", _connect_here_only)
    if "model" in request.keywords:
        return
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "PRHUB_", "GITHUB_", "GH_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
