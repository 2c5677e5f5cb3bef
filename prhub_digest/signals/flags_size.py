"""Flags of what was changed beside what: source without tests, much at once, generated files alone."""

from prhub_digest.file_kinds import FileKind
from prhub_digest.models.people import is_bot
from prhub_digest.models.signals import Flag, FlagName
from prhub_digest.signals.changes import (
    NOISE,
    code_lines,
    file_list_is_whole,
    lines_of,
    touches_tests,
    word_size,
)
from prhub_digest.signals.flag_evidence import Place, counted, from_places, listed, unless_cut
from prhub_digest.signals.flags_review import is_titled_revert
from prhub_digest.signals.subject import Subject

# Kinds of files that cannot be what a generated file was made from.
_NO_ORIGIN: frozenset[FileKind] = frozenset({"generated", "docs", "test", "vendored", "binary", "minified"})
# What is made from a schema of its own, so that other source is no origin.
_FROM_SCHEMA = {
    "_pb2.py": ".proto",
    "_pb2.pyi": ".proto",
    "_pb2_grpc.py": ".proto",
    ".pb.go": ".proto",
    ".pb.cc": ".proto",
    ".pb.h": ".proto",
    ".pb.gw.go": ".proto",
}


def missing_tests(subject: Subject) -> Flag:
    name: FlagName = "missing_tests"
    pull, source = subject.pull, subject.source
    if pull.completeness.diff == "missing":
        return Flag(name=name, raised=None, evidence="the diff is not known")
    exempt = _needs_no_test(subject)
    if exempt is not None:
        return Flag(name=name, raised=False, evidence=exempt)
    changes = [file.change for file in source]
    if not any(file.additions for file in changes) or code_lines(source) < subject.settings.untested_lines:
        return unless_cut(
            pull, name, f"source changed by {word_size(changes)}: little, only deleted, moved, or comments"
        )
    if not file_list_is_whole(pull):
        return Flag(name=name, raised=None, evidence="the list of changed files is cut")
    largest = sorted(changes, key=lambda file: (-lines_of((file,)), file.path))
    sizes = listed([f"{file.path} {word_size((file,))}" for file in largest])
    return Flag(name=name, raised=True, evidence=f"{sizes}, no test file touched")


def large_change(subject: Subject) -> Flag:
    name: FlagName = "large_change"
    pull, settings = subject.pull, subject.settings
    if pull.completeness.diff == "missing":
        return Flag(name=name, raised=None, evidence="the diff is not known")
    files = [file.change for file in subject.files if file.kind not in NOISE]
    evidence = f"{word_size(files)} in {counted(len(files), 'file')} (lock, generated, vendored and data files apart)"
    if lines_of(files) >= settings.large_lines or len(files) >= settings.large_files:
        return Flag(name=name, raised=True, evidence=evidence)
    return unless_cut(pull, name, evidence)


def generated_without_source(subject: Subject) -> Flag:
    """A generated file was edited, and nothing that it could have been made from."""
    name: FlagName = "generated_without_source"
    pull = subject.pull
    edited = [file for file in subject.files if file.kind == "generated" and file.edited and file.change.additions]
    if edited and not file_list_is_whole(pull):
        return Flag(name=name, raised=None, evidence="the list of changed files is cut")
    others = [file for file in subject.files if file.kind not in _NO_ORIGIN and file.change.status != "mode_changed"]
    alone = [file for file in edited if not any(_may_make(other.path, other.kind, file.path) for other in others)]
    places = (Place(file.path, None, "edited by hand or without what it is made from") for file in alone)
    return from_places(pull, name, places, "no generated file changed alone")


def _may_make(origin: str, kind: FileKind, generated: str) -> bool:
    """A schema makes its own kind of file; tools and their versions make any; other source makes what has no schema."""
    schema = next((schema for ending, schema in _FROM_SCHEMA.items() if generated.endswith(ending)), None)
    return schema is None or origin.endswith(schema) or kind in {"build", "lock"}


def _needs_no_test(subject: Subject) -> str | None:
    """Why no test is asked for, or that there is one. The description is not read."""
    if is_titled_revert(subject.pull):
        return "a revert needs no new test"
    if subject.change_type == "dependency" and is_bot(subject.pull.author):
        return "a version bump by a bot"
    tests = [file.path for file in subject.files if touches_tests(file)]
    return f"tests touched: {listed(tests)}" if tests else None
