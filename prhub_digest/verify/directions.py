"""Words for a rise where what a sentence cites tells of a fall, and the other way round."""

import re
from collections.abc import Sequence

from prhub_digest.models.digest import Sentence
from prhub_digest.models.plan import Fact
from prhub_digest.verify.clauses import Clause, parts
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.tokens import CODE_SPAN

_UP = re.compile(
    r"\b(?:rais|rising|rises?\b|rose\b|increas|grow|grew|higher|more\b(?! than)|gain|lengthen|up\b(?! to))\w*"
    r"|上升|提高|提升|增加|增大|增长|延长|更高|更多|高于|略高|升高",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:lower|reduc|falls?\b|falling|fell\b|drop|fewer|less\b|decreas|cut|shorten|shrink|down\b|spar(?:e|ing))\w*"
    r"|下降|降低|减少|减小|缩短|更低|更少|低于|略低",
    re.IGNORECASE,
)
_FASTER = re.compile(r"\b(?:fast|speed|quick|accelerat|soon|earl[iy])\w*|加快|加速|变快|更快|提速", re.IGNORECASE)
_SLOWER = re.compile(r"\bslow\w*|减慢|变慢|更慢|放缓|拖慢", re.IGNORECASE)
_OPPOSITES = ((_UP, _DOWN), (_DOWN, _UP), (_FASTER, _SLOWER), (_SLOWER, _FASTER))
_OF_FIGURES = {"up": _DOWN, "down": _UP}
_NEITHER = re.compile(r"(?!)")
# The usual metrics by their Chinese names.
_METRICS = (("throughput", "吞吐"), ("latency", "延迟"), ("hit", "命中"), ("minutes", "分钟"), ("retract", "撤回"))


def check_directions(context: Context, sentence: Sentence, report: Report) -> None:
    cited = context.cited(sentence)
    text = CODE_SPAN.sub("`", sentence.text)
    grounds = "\n".join((context.told(sentence), *(fact.text for fact in (*cited, *context.about(sentence)))))
    for words, opposite in _OPPOSITES:
        match = words.search(text)
        if match and opposite.search(grounds) and not words.search(grounds) and not opposite.search(text):
            message = f"{match[0]!r}: what it cites tells of the opposite alone"
            report.warning(sentence.item, "other_direction", message, match[0])
            return
    told = parts(grounds, _NEITHER)
    for part in parts(_with_metrics(sentence.text), _NEITHER):
        of_part = [
            fact for fact in cited if fact.figure and fact.figure.direction in _OF_FIGURES and _tells(part, fact)
        ]
        if of_part and all(_against(part, fact, told) for fact in of_part):
            message = f"{part.text!r}: figure {of_part[0].id} goes the other way"
            report.warning(sentence.item, "other_direction", message, part.text)
            return


def _with_metrics(text: str) -> str:
    for english, chinese in _METRICS:
        text = text.replace(chinese, f" {english} {chinese}")
    return text


def _tells(part: Clause, fact: Fact) -> bool:
    """Whether a part of a sentence names the metric of a figure: of its last word but a unit, six letters will do."""
    metric = fact.figure.metric if fact.figure else ""
    named = {word[:6] for clause in parts(metric, _NEITHER) for word in clause.words}
    return bool(named & {word[:6] for word in part.words})


def _against(part: Clause, fact: Fact, told: Sequence[Clause]) -> bool:
    """Only the opposite of a figure's direction is told beside it, and nothing cited tells that of the metric."""
    opposite = _OF_FIGURES[fact.figure.direction] if fact.figure else _NEITHER
    own = _UP if opposite is _DOWN else _DOWN
    if not opposite.search(part.text) or own.search(part.text):
        return False
    return not any(opposite.search(other.text) and not own.search(other.text) and _tells(other, fact) for other in told)
