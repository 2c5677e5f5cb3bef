"""Read Markdown back the way a plain CommonMark parser does (with tables)."""

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True)
class Read:
    text: str
    strong: tuple[str, ...]
    code: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def blocks(markdown: str) -> list[Token]:
    return _PARSER.parse(markdown)


def read(markdown: str) -> Read:
    """The inline content of the whole document; blocks are joined by newlines."""
    tokens = blocks(markdown)
    assert not [token for token in tokens if token.type in {"html_block", "fence", "code_block", "hr"}]
    inline = [token for token in tokens if token.type == "inline"]
    texts: list[str] = []
    strong: list[str] = []
    code: list[str] = []
    links: list[tuple[str, str]] = []
    for block in inline:
        text = ""
        starts: list[tuple[int, str]] = []
        for token in block.children or []:
            assert token.type not in {"html_inline", "image"}
            if token.type in {"text", "code_inline"}:
                text += token.content
                code += [token.content] * (token.type == "code_inline")
            elif token.type == "softbreak":
                text += "\n"
            elif token.nesting == 1:
                starts.append((len(text), str(token.attrGet("href") or "")))
            elif token.nesting == -1:
                start, address = starts.pop()
                if token.type == "strong_close":
                    strong.append(text[start:])
                elif token.type == "link_close":
                    links.append((text[start:], address))
                else:
                    raise AssertionError(token.type)
        texts.append(text)
    return Read("\n".join(texts), tuple(strong), tuple(code), tuple(links))


def table_rows(markdown: str) -> list[list[str]]:
    """The visible text of every cell, row by row, header first."""
    rows: list[list[str]] = []
    for token in blocks(markdown):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and token.level >= 3 and rows:
            rows[-1].append("".join(child.content for child in token.children or []))
    return rows
