"""The prompt's door: what text of a pull request loses before a model sees it. Pure, linear in the length of the text.

Every change here makes recorded replies stale: it changes what requests say.
"""

from prhub_digest.hygiene.characters import clean_code, limit_marks
from prhub_digest.hygiene.control_tokens import break_control_tokens, mend_control_tokens
from prhub_digest.hygiene.lines import prose_lines
from prhub_digest.hygiene.prose import clean_prose, clean_title
from prhub_digest.hygiene.wrapper import wrap_untrusted

__all__ = [
    "break_control_tokens",
    "clean_code",
    "clean_prose",
    "clean_title",
    "limit_marks",
    "mend_control_tokens",
    "prose_lines",
    "wrap_untrusted",
]
