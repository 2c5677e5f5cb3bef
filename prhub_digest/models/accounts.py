"""One spelling for an account that GitHub spells in several ways."""

_BOT_ENDING = "[bot]"
_SPELLINGS = {"copilot": "Copilot", "copilot-pull-request-reviewer": "Copilot"}
# What GitHub shows in place of a deleted account; a real account of that name stands for all of them.
DELETED = "ghost"


def named_as_bot(name: str) -> bool:
    return name.casefold().endswith(_BOT_ENDING)


def account_name(name: str) -> str:
    """A login, or a name that a commit carries, without the ending `[bot]`; Copilot's reviewer has several names."""
    bare = name[: -len(_BOT_ENDING)] if named_as_bot(name) else name
    return _SPELLINGS.get(bare.casefold(), bare)
