"""Kinds of files, and a repository's own rules for them."""

from typing import Literal

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.signal_settings import Paths

FileKind = Literal[
    "source", "test", "docs", "config", "build", "generated", "vendored", "lock", "minified", "data", "binary"
]


class KindRule(Record):
    """An override of `prhub.toml` (`[[file_kinds]]`): paths that match one of the patterns are of this kind."""

    kind: FileKind
    paths: Paths = Field(min_length=1, description='a list of patterns, like ["api/client/**"]')


class AttributeRule(Record):
    """One linguist attribute in one line of a `.gitattributes`.

    `folder` is where that file stands (`""` at the top, else `a/b`), `pattern` as written there; `value` is None where
    the line takes back what an earlier one says (`!linguist-generated`).
    """

    folder: str = ""
    pattern: str
    attribute: Literal["generated", "vendored", "documentation"]
    value: bool | None
