"""The wrapper that marks untrusted text in a prompt as data."""

import hashlib
from itertools import count


def wrap_untrusted(text: str) -> str:
    """`<data-XXXXXXXX>`, the text, `</data-XXXXXXXX>`; the text is clean and its control tokens are broken already.

    The delimiter comes from a hash of the text: the same in every run, and not to be guessed by who writes the text,
    since writing it in changes it. Should it stand inside all the same, the next one is derived.
    """
    name = next(name for name in (_delimiter(text, turn) for turn in count()) if name not in text)
    return f"<{name}>\n{text}\n</{name}>"


def _delimiter(text: str, turn: int) -> str:
    data = text.encode("utf-8", "surrogatepass") + (b"\0%d" % turn if turn else b"")
    return f"data-{hashlib.sha256(data).hexdigest()[:8]}"
