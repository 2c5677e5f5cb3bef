"""Names of files are told apart whatever bytes they hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prhub_digest.collect.git_names import file_name

_ESCAPE = re.compile(rb"\\x(5c|[89a-f][0-9a-f])")


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"src/a.py", "src/a.py"),
        ("docs/缓存.md".encode(), "docs/缓存.md"),
        (b"caf\xe9.py", r"caf\xe9.py"),
        (rb"caf\xe9.py", r"caf\x5cxe9.py"),
        (rb"a\b\x0a", r"a\b\x0a"),
        ("\ufffd.py".encode(), "\ufffd.py"),
    ],
)
def test_names(raw: bytes, name: str) -> None:
    assert file_name(raw) == name


@given(st.lists(st.sampled_from([b"\\", b"x", b"5", b"c", b"e", b"9", b"\xe9", b"\xc3", b"\xa9"])).map(b"".join))
def test_two_names_never_become_one(raw: bytes) -> None:
    back = _ESCAPE.sub(lambda escape: bytes([int(escape[1], 16)]), file_name(raw).encode())
    assert back == raw
