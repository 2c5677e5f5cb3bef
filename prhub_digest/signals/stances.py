"""What a reply says besides done and later: a question, a refusal, a consent. English and Chinese."""

import re
from typing import Literal

from prhub_digest.signals.replies import plain_text

Stance = Literal["declined", "conceded"]

_DECLINED = re.compile(
    r"\bI\s+(?:really\s+)?(?:don['’]t|do\s+not)\s+(?:think|believe|agree|want|see\s+(?:why|(?:the|a)\s+need))\b"
    r"|\bdisagree\b|\bI['’]?(?:d|\s+would)?\s+(?:rather|prefer)\s+(?:not|to\s+(?:keep|leave|not)|keep|leave)\b"
    r"|\bprefer\s+(?:to\s+keep|keeping|leaving)\b|\bno\s+need\b|\bnot\s+a\s+need\b"
    r"|\bnot\s+(?:needed|necessary|required)\b|\bunnecessary\b|\bwont\s*fix\b"
    r"|\b(?:won['’]t|will\s+not|not\s+going\s+to)\s+(?:fix|change|do|add|address|touch)\b"
    r"|\b(?:is|was|this['’]s|it['’]s|that['’]s)\s+(?:intentional|intended|on\s+purpose|deliberate|expected|meant)\b"
    r"|\bby\s+design\b|^\W*intentional(?:ly)?\b|\bas\s+intended\b|\bfalse\s+positive\b|\bnot\s+a\s+(?:bug|problem)\b"
    r"|\b(?:keep|leave|leaving|keeping)\s+(?:(?:it|this|that)\s+)?as[- ](?:it\s+)?is\b"
    r"|不同意|没有?(?:这个)?必要|不必(?:要)?(?:改|修改|处理|加)|(?:不需要|无需|不用)|(?:先|就|还是)不改|^\W*不改"
    r"|保持(?:现状|原样|不变)|(?<!不是)(?:故意|有意)(?:为之|这样|这么|如此)|设计如此|误报|是预期",
    re.IGNORECASE,
)
_CONCEDED = re.compile(
    r"^\W*(?:ok(?:ay)?|k|fair(?:\s+(?:enough|point))?|(?:that\s+)?makes\s+(?:\w+\s+){0,3}sense|indeed|true"
    r"|sounds?\s+(?:good|fine|reasonable|great)|s?lgtm|sgtm|(?:i\s+)?agreed?|got\s+it|gotcha|understood|i\s+see|right|sure"
    r"|no\s+(?:worries|problem|strong\s+\w+)|works\s+for\s+me|thanks?|thank\s+you|thx|good\s+(?:point|catch|to\s+know)"
    r"|checked|confirmed|never\s*mind|nvm|cool|great|perfect|you(?:['’]re|\s+are)\s+right)\b"
    r"|^\W*(?:好的?|明白了?|了解了?|可以|同意|有道理|没问题|收到|行|懂了|对的?|是的|谢谢|感谢|理解了?|原来如此|确实)"
    r"(?:[，。！,.!~\s]|$)|^\s*[👍✅🙏]",
    re.IGNORECASE,
)
# After a consent that takes itself back, or asks for more: "OK, but …", "Thanks, please also …".
_BUT = re.compile(
    r"\b(?:but|however|still|though|although|yet|please|also|instead)\b|[?？]|但|不过|可是|仍然|还是|请|再",
    re.IGNORECASE,
)
_QUESTION_END = re.compile(r"[?？]\W*$|(?:吗|呢|么)\s*[。.]?\s*$")
# A wish in the form of a question: an answer in words does not meet it.
_WISH = re.compile(
    r"\b(?:can|could|would|will)\s+(?:you|we|this|it)\b|\bshould(?:n['’]t)?\b|\bplease\b|\b(?:how|what)\s+about\b"
    r"|\bwhy\s+not\b|\bmaybe\b|\bperhaps\b|\bdo\s+(?:you|we)\s+(?:want|need)\b|能否|可否|能不能|可以.{0,20}吗|要不要|应该|最好|建议",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\blet\s+me\b|\bI(?:['’]ll|\s+will)\b|\blook(?:ing)?\s+into\b|\bchecking\b|\bwill\s+(?:check|look|try|see)\b"
    r"|^\W*good\s+(?:question|point|catch)\W*$|\bnot\s+sure\b|\bno\s+idea\b|\b(?:don['’]t|do\s+not)\s+know\b"
    r"|我(?:再|先)?(?:看看|看一下|查一下|确认一下)|稍等|不确定|不清楚|不知道",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？\n])\s*")


def stance_of(body: str) -> Stance | None:
    """Whether a reply refuses what was asked, or consents to what was said; code and quoted lines are not read."""
    text = plain_text(body).strip()
    consents = _CONCEDED.search(text) is not None and _BUT.search(text) is None
    if consents:
        return "conceded"
    statements = " ".join(sentence for sentence in _sentences(text) if not _QUESTION_END.search(sentence))
    return "declined" if _DECLINED.search(statements) else None


def is_question(body: str) -> bool:
    """Whether a remark asks for an answer in words; a wish in the form of a question does not."""
    text = plain_text(body).strip()
    return _QUESTION_END.search(text) is not None and _WISH.search(text) is None


def is_answer(body: str) -> bool:
    """Whether a reply answers: neither a question nor the promise of an answer."""
    text = plain_text(body).strip()
    return bool(text) and _QUESTION_END.search(text) is None and _NO_ANSWER.search(text) is None


def only_asks(body: str) -> bool:
    """Whether every sentence is a question for an answer in words, so that nothing is demanded."""
    sentences = _sentences(plain_text(body).strip())
    return bool(sentences) and all(is_question(sentence) for sentence in sentences)


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence and sentence.strip()]
