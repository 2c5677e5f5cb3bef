"""The linguist attributes of every `.gitattributes` of one commit."""

from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_names import file_name
from prhub_digest.collect.git_objects import GitObjects
from prhub_digest.file_kinds import AttributeRule, parse_attributes

_NAME = ".gitattributes"
_LINK = b"120000 "  # git follows no link here


def linguist_attributes(git: Git, commit: str) -> tuple[AttributeRule, ...]:
    """The rules of the commit's files, those of upper folders first, as git reads them.

    Raises:
        SourceError: git failed; a missing object says so and how to get it.
    """
    folders = []
    for entry in git.records("ls-tree", "-r", "-z", commit):
        mode, _, path = entry.partition(b"\t")
        if path.endswith(_NAME.encode()) and not mode.startswith(_LINK):
            folder, _, name = file_name(path).rpartition("/")
            folders += [folder] if name == _NAME else []
    if not folders:
        return ()
    rules: list[AttributeRule] = []
    with GitObjects(git) as objects:
        for folder in sorted(folders, key=lambda folder: (folder.count("/") + bool(folder), folder)):
            content = objects.file(commit, f"{folder}/{_NAME}" if folder else _NAME) or b""
            rules += parse_attributes(content.decode("utf-8", "replace"), folder)
    return tuple(rules)
