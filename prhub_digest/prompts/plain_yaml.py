"""The YAML of a front matter: plain values, with the line of each key. Tags, anchors and aliases have no use in it."""

from pathlib import Path
from typing import Any

import yaml

from prhub_digest.errors import PromptError

KeyLines = dict[tuple[str, ...], int]

# A front matter needs three: itself, its inputs, and one of them.
_DEEPEST = 10
_MERGE = "tag:yaml.org,2002:merge"


class _PlainLoader(yaml.SafeLoader):
    """Refuses what could make anything but plain values, or values larger than their text."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # so are the stubs
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise _error(event.start_mark, "anchors (&) and aliases (*) are not read; write the value out, or quote it")
        if event.tag is not None:
            raise _error(
                event.start_mark, f"the tag {event.tag} is not read; write the value without a tag, or quote it"
            )
        if self.depth >= _DEEPEST:
            raise _error(event.start_mark, f"it nests more than {_DEEPEST} deep; quote the value if it is a text")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except ValueError as error:  # such as the 31st of June, or a number of thousands of digits
            raise _error(node.start_mark, f"{str(error).partition(';')[0]}; quote the value if it is a text") from None


def read_mapping(path: Path, text: str) -> tuple[dict[str, Any], KeyLines]:
    """The values of the mapping, and the line of every key of it and of its nested mappings, counted in the file.

    Raises:
        PromptError: it is no mapping of plain values; names file and line.
    """
    try:
        loader = _PlainLoader(text)
        tree = loader.get_single_node()
        if not isinstance(tree, yaml.MappingNode):
            raise PromptError(f"{path}:2: the front matter must hold keys such as id, version and stage")
        lines = _key_lines(path, tree)
        return loader.construct_document(tree), lines
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 2
        raise PromptError(f"{path}:{line}: the front matter is not YAML: {error.reason}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise PromptError(f"{path}:{line}: the front matter is not YAML: {error.problem}") from error
    except (ValueError, OverflowError) as error:  # an escape such as "\UFFFFFFFF", which is no character
        raise PromptError(f"{path}:1: the front matter is not YAML: {error}") from error


def _key_lines(path: Path, tree: yaml.MappingNode) -> KeyLines:
    lines: KeyLines = {}

    def walk(node: yaml.MappingNode, above: tuple[str, ...]) -> None:
        for key, value in node.value:
            name = (*above, str(key.value))
            line = key.start_mark.line + 2
            if key.tag == _MERGE:
                raise PromptError(f"{path}:{line}: the front matter takes no keys from elsewhere (<<); write them out")
            if name in lines:
                raise PromptError(f"{path}:{line}: {'.'.join(name)} stands twice; remove one")
            lines[name] = line
            if isinstance(value, yaml.MappingNode):
                walk(value, name)

    walk(tree, ())
    return lines


def _error(place: Any, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=place)
