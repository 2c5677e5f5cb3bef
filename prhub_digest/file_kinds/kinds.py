"""The kind of a file by everything that is known: rules, attributes, the path, the text at its top."""

from collections.abc import Sequence
from typing import NamedTuple

from prhub_digest.file_kinds.attributes import Attributes, NamedAttributes
from prhub_digest.file_kinds.marks import is_minified, top_mark
from prhub_digest.file_kinds.paths import file_kind
from prhub_digest.models.file_kinds import AttributeRule, FileKind, KindRule
from prhub_digest.models.globs import matches
from prhub_digest.models.pull_request import FileChange

# What an attribute cannot make more precise: these are known for what they are, and are not shown anyway.
_CERTAIN: frozenset[FileKind] = frozenset({"lock", "minified", "binary"})
# What the text of a file cannot change: it is not shown anyway, or is no text.
_UNREAD: frozenset[FileKind] = _CERTAIN | {"generated", "vendored"}


class _OfPath(NamedTuple):
    """`text_counts`: whether marks in the text may say something else."""

    kind: FileKind
    by_rule: bool
    text_counts: bool


class FileKinds:
    """What kind each file is. `rules` of `prhub.toml` come first (the first that matches), then linguist attributes.

    Then the table of paths; with `of_file`, then marks in the text.
    """

    def __init__(self, rules: Sequence[KindRule] = (), attributes: Sequence[AttributeRule] = ()) -> None:
        self._rules = tuple(rules)
        self._attributes = Attributes(attributes)
        self._by_path: dict[str, _OfPath] = {}

    def of(self, path: str) -> FileKind:
        """The kind of the file at `path` (`/` between folders), from its path alone."""
        return self._of_path(path).kind

    def of_file(self, file: FileChange) -> FileKind:
        """The kind of a changed file, from its path and from what its diff shows of the text."""
        known = self._of_path(file.path)
        if file.patch_state == "submodule" and not known.by_rule:
            return "build"  # which version of it is built; its own text is elsewhere
        if file.patch is None or not known.text_counts:
            return known.kind
        return top_mark(file) or ("minified" if is_minified(file) else known.kind)

    def _of_path(self, path: str) -> _OfPath:
        known = self._by_path.get(path)
        if known is None:
            known = self._by_path[path] = self._decided(path)
        return known

    def _decided(self, path: str) -> _OfPath:
        own = (rule.kind for rule in self._rules if any(matches(path, pattern) for pattern in rule.paths))
        if kind := next(own, None):
            return _OfPath(kind, by_rule=True, text_counts=False)
        attributes = self._attributes.of(path)
        kind = _by_attributes(path, attributes)
        return _OfPath(kind, by_rule=False, text_counts=kind not in _UNREAD and attributes.generated is not False)


def _by_attributes(path: str, attributes: NamedAttributes) -> FileKind:
    """What an attribute denies is passed over in the table of paths; a lock file stays one."""
    denied: dict[FileKind, bool | None] = {
        "vendored": attributes.vendored,
        "generated": attributes.generated,
        "minified": attributes.generated,
        "docs": attributes.documentation,
    }
    kind = file_kind(path, frozenset(kind for kind, value in denied.items() if value is False))
    if kind in _CERTAIN:
        return kind
    said: dict[FileKind, bool | None] = {
        "vendored": attributes.vendored,
        "generated": attributes.generated,
        "docs": attributes.documentation,
    }
    return next((kind for kind, value in said.items() if value), kind)
