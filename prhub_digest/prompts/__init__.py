"""Prompt files: strict loading, rendering in a sandbox, and the hash that tells one version from another.

A prompt is `<id>.prompt.md`: YAML front matter, then a Jinja2 body whose roles are split by lines `=== system` and
`=== user` before anything is rendered, so that no value can forge a role. Partials are `_<name>.md` beside it.
"""

from prhub_digest.prompts.front_matter import FrontMatter, PromptInput
from prhub_digest.prompts.loading import load_prompts
from prhub_digest.prompts.prompt import Prompt

__all__ = ["FrontMatter", "Prompt", "PromptInput", "load_prompts"]
