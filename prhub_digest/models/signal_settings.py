"""Thresholds and paths of the risk flags, the units and the tags: the table `[signals]` of `prhub.toml`."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from prhub_digest.models.base import Record, refuse_twice

Count = Annotated[int, Field(strict=True, ge=1)]
Days = Annotated[int, Field(strict=True, ge=1, le=3650)]


def path_pattern(value: str) -> str:
    """A pattern that some path of a repository may match.

    Raises:
        ValueError: none can.
    """
    if not value or value[0].isspace():
        raise ValueError("begins with a blank" if value else "empty")
    if value.startswith(("!", "/", "./")):
        raise ValueError("no path matches it: paths begin at the top of the repository, without !, / or ./")
    if value.endswith("/"):
        raise ValueError(f"no path matches it: what is in the folder matches {value}**")
    return value


Pattern = Annotated[str, AfterValidator(path_pattern)]
Word = Annotated[str, Field(pattern=r"\S")]
Paths = tuple[Pattern, ...]
_COUNT = "a whole number, 1 or more"
_DAYS = "a whole number from 1 to 3650"


def _paths(example: str) -> str:
    return f'a list of patterns, like ["{example}"]'


def _tags(name: str) -> str:
    return f'[[signals.{name}]] tables, each with key = "..." and paths, parts or words = ["..."]'


class Tag(Record):
    """A platform or a module: paths that belong to it, and words of a title or label that name it.

    `parts` are whole words of a path, between `/`, `_`, `-` and `.`: `rocm` is one of `csrc/rocm_ops.cu`. A word with a
    capital letter counts in a title only when it is written so.
    """

    key: Word
    paths: Paths = ()
    parts: tuple[Word, ...] = ()
    words: tuple[Word, ...] = ()

    @model_validator(mode="after")
    def _can_be_found(self) -> Self:
        if not (self.paths or self.parts or self.words):
            raise ValueError("has no paths, parts or words, so that nothing can be in it")
        return self


class SignalSettings(Record):
    """Defaults serve Python, C++/CUDA, Rust, Go, TypeScript and Java trees; patterns are those of `models.globs`.

    A list of paths that is set stands in place of the rules that docs/risk-flags.md names; core paths that are not set
    are learned from the week. Each field's description is what an error message says to write.
    """

    untested_lines: Count = Field(10, description=_COUNT)
    large_lines: Count = Field(500, description=_COUNT)
    large_files: Count = Field(20, description=_COUNT)
    core_percent: Annotated[int, Field(strict=True, ge=1, le=100)] = Field(
        5, description="a whole number from 1 to 100"
    )
    core_score: Count = Field(4, description=_COUNT)
    core_pulls: Count = Field(20, description=_COUNT)
    core_paths: Paths = Field((), description=_paths("src/engine/**"))
    public_paths: Paths = Field((), description=_paths("src/widgets/api/**"))
    configuration_paths: Paths = Field((), description=_paths("src/widgets/config/**"))
    migration_paths: Paths = Field((), description=_paths("db/migrations/**"))
    security_paths: Paths = Field((), description=_paths("src/auth/**"))
    follow_up_days: Days = Field(14, description=_DAYS)
    series_days: Days = Field(14, description=_DAYS)
    platforms: tuple[Tag, ...] = Field((), description=_tags("platforms"))
    modules: tuple[Tag, ...] = Field((), description=_tags("modules"))

    @field_validator("platforms", "modules")
    @classmethod
    def _each_tag_once(cls, value: tuple[Tag, ...]) -> tuple[Tag, ...]:
        refuse_twice(tag.key for tag in value)
        return value
