"""Thresholds and paths of the risk flags, the units and the tags: the table `[signals]` of `prhub.toml`."""

from typing import Annotated

from pydantic import Field

from prhub_digest.models.base import Record

Count = Annotated[int, Field(strict=True, ge=1)]
Paths = tuple[str, ...]


class Tag(Record):
    """A platform or a module: paths that belong to it, and words of a title or label that name it."""

    key: str
    paths: Paths = ()
    words: tuple[str, ...] = ()


class SignalSettings(Record):
    """Defaults serve Python, C++/CUDA, Rust, Go, TypeScript and Java trees; patterns are those of `models.globs`.

    Empty `core_paths` are learned from the week: what is imported and changed most.
    """

    untested_lines: Count = 10
    large_lines: Count = 500
    large_files: Count = 20
    core_paths: Paths = ()
    public_paths: Paths = ()
    configuration_paths: Paths = ()
    migration_paths: Paths = ()
    security_paths: Paths = ()
    follow_up_days: Count = 14
    series_days: Count = 14
    platforms: tuple[Tag, ...] = ()
    modules: tuple[Tag, ...] = ()
