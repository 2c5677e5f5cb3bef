"""What a page must say first: that its replies are not a model's answers to its requests."""

from prhub_digest.models.digest import Language
from prhub_digest.models.llm import Usage
from prhub_digest.render.phrases import say
from prhub_digest.render.records import Mark


def mark_of(usage: Usage, language: Language = "en") -> Mark | None:
    """The mark of what is made from the replies of this usage; None when each answers just its request."""
    if usage.stubs:
        return Mark("stub", usage.stubs, say(language, "stand_in.stub", n=usage.stubs))
    if usage.stale:
        return Mark("stale", usage.stale, say(language, "stand_in.stale", n=usage.stale))
    return None
