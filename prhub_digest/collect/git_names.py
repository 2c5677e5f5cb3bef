"""Names of files as git gives them: bytes, mostly UTF-8."""

import re

# A backslash that stands where one of ours could: it is escaped too, so that two names never become one.
_LIKE_OURS = re.compile(rb"\\(?=x(?:5c|[89a-f][0-9a-f]))")


def file_name(raw: bytes) -> str:
    r"""The name, with each byte that is no UTF-8 escaped: `caf\xe9.py`."""
    return _LIKE_OURS.sub(rb"\\x5c", raw).decode("utf-8", "backslashreplace")
