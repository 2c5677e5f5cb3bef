"""What kind each file of a pull request is; how it is decided: docs/file-kinds.md. Pure."""

from prhub_digest.file_kinds.attributes import parse_attributes
from prhub_digest.file_kinds.kinds import FileKinds
from prhub_digest.file_kinds.paths import file_kind
from prhub_digest.models.file_kinds import AttributeRule, FileKind, KindRule

__all__ = ["AttributeRule", "FileKind", "FileKinds", "KindRule", "file_kind", "parse_attributes"]
