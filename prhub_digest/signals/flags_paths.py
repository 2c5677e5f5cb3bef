"""Flags of where a change is: the core, what it depends on, schemas, what security rests on."""

import re
from collections.abc import Iterator
from itertools import chain

from prhub_digest.models.signals import Flag, FlagName
from prhub_digest.signals.dependencies import dependency_places
from prhub_digest.signals.file_diffs import FileDiff, is_code
from prhub_digest.signals.file_places import is_migration, security_word
from prhub_digest.signals.flag_evidence import Place, from_places
from prhub_digest.signals.line_rules import DANGEROUS, TABLES, WORKFLOW_RIGHTS, lines_of_rule
from prhub_digest.signals.subject import Subject

_WORDS = re.compile(r"\w")
_WORKFLOW = re.compile(r"(?:^|/)\.github/(?:workflows|actions)/|(?:^|/)\.gitlab-ci\.yml$")


def dependency(subject: Subject) -> Flag:
    """What the product or its build depends on changed; tests, examples and documentation apart."""
    product = (file for file in subject.files if not file.support and not file.tests and file.kind != "vendored")
    places = dependency_places(product)
    return from_places(subject.pull, "dependency", places, "no dependency in a manifest or lock file changed")


def migration(subject: Subject) -> Flag:
    """A migration or schema file of the product changed, or a line that changes tables."""
    name: FlagName = "migration"
    paths = subject.settings.migration_paths
    places: list[Place] = []
    for file in subject.product:
        if is_migration(file.path, paths):
            places.extend(_edited(file))
        elif not paths and file.kind == "source":
            places.extend(lines_of_rule(file, TABLES))
    return from_places(subject.pull, name, places, "no migration or schema changed")


def security_path(subject: Subject) -> Flag:
    """A file whose path says security, a line that is dangerous in itself, or rights of a CI workflow."""
    name: FlagName = "security_path"
    paths = subject.settings.security_paths
    places: list[Place] = []
    for file in subject.product:
        word = security_word(file.path, paths) if file.kind != "build" or paths else None
        if word is not None:
            places.extend(place._replace(what=f"{place.what}, path has {word!r}") for place in _edited(file))
        elif not paths and _WORKFLOW.search(file.path):
            places.extend(lines_of_rule(file, WORKFLOW_RIGHTS))
        elif not paths and file.kind == "source":
            places.extend(chain.from_iterable(lines_of_rule(file, rule) for rule in DANGEROUS))
    return from_places(subject.pull, name, places, "nothing that security rests on changed")


def _edited(file: FileDiff) -> Iterator[Place]:
    """The first line of code that was added or removed, if any; the file alone where its lines are not known."""
    if not file.whole or not file.hunks:
        yield Place(file.path, None, file.change.status)
        return
    sides = (("added", file.added), ("removed", file.removed))
    found = [(what, row) for what, rows in sides for row in rows if is_code(row.text)]
    if found:
        # A line of brackets alone tells a reader nothing.
        what, row = next((item for item in found if _WORDS.search(item[1].text)), found[0])
        yield Place(file.path, row.number, what, row.text)
