"""A clone without the attributes that its reader has given it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from prhub_digest.collect.git_command import Git


@contextmanager
def without_own_attributes(git: Git) -> Iterator[Git]:
    """The same objects, for diffs: `info/attributes` of a clone outranks all that git can be told, so it must be away.

    Where there is one, an empty repository stands in that borrows the objects; it knows no branches and no settings.

    Raises:
        SourceError: git failed.
    """
    wanted = ("--git-path", "info/attributes", "--git-path", "objects", "--show-object-format")
    attributes, objects, object_format = git.read("rev-parse", "--path-format=absolute", *wanted).split(b"\n")[:3]
    if not Path(os.fsdecode(attributes)).exists():
        yield git
        return
    with TemporaryDirectory(prefix="prhub-", ignore_cleanup_errors=True) as folder:
        plain = replace(git, git_dir=Path(folder))
        plain.read("init", "--quiet", "--bare", "--template=", f"--object-format={object_format.decode('ascii')}")
        alternates = plain.git_dir / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_bytes(objects + b"\n")
        yield plain
