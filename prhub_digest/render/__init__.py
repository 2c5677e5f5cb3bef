"""A verified digest as a page: one view, three formats. Pure."""

from prhub_digest.render.json import escaped, render_json
from prhub_digest.render.mark import mark_of
from prhub_digest.render.markdown import render_markdown
from prhub_digest.render.records import Mark
from prhub_digest.render.text import render_text
from prhub_digest.render.view import HighlightRule, PullHead, RenderInput, View, build_view

__all__ = [
    "HighlightRule",
    "Mark",
    "PullHead",
    "RenderInput",
    "View",
    "build_view",
    "escaped",
    "mark_of",
    "render_json",
    "render_markdown",
    "render_text",
]
