"""What became of the lines of batch output files."""

from dataclasses import dataclass, field

WAITS = "waits again"
DIFFERENTLY = f"{WAITS}, asked for differently"


@dataclass(frozen=True, slots=True)
class Failed:
    """A line that brought no usable reply: its id, why, and what happens to its request now."""

    id: str
    reason: str
    then: str


@dataclass
class ImportReport:
    """Ids by what became of their lines, each in order; `broken` names lines that are none, `empty` files without any.

    `stored` were answered before; nothing asks for `unneeded` any more, such as for a part of a pull request of which
    another part failed. `missing` still wait, and no line was there for them; `under_way` likewise, but their batch has
    not brought its files yet.
    """

    imported: list[str] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    duplicate: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    unneeded: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    under_way: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        """Whether a line could not be used, or a file held none."""
        return bool(self.failed or self.unknown or self.duplicate or self.broken or self.empty)

    @property
    def progressed(self) -> bool:
        """Whether asking for what waits may end otherwise than the last time."""
        return bool(self.imported) or any(failed.then != WAITS for failed in self.failed)
