"""A test double of a model endpoint: it answers every prompt of this package validly, from the request's own text.

It understands nothing. What it names (line ids, words, fact ids, statistics) stands in the request, so that a run with
it takes the same way through the code as a run with a model that does well.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from model_server import Reply, Request, completion

from prhub_digest.models.summary import SUB_SCORES

_LINE = re.compile(r"([TBFDRC]\d+)\|(.*)")
_FACT = re.compile(r"(p\d+\.([hcfrt])\d+)(?: \((?:low|medium|high)\))? (.+)")
_STATISTIC = re.compile(r"([a-z_]+\.[^ ]+) ([\d.]+)(?: of \d+)? [a-z]+")
_NUMBER_WORDS = re.compile(r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)


def answer(request: Request) -> Reply:
    """For a `ModelServer`."""
    return completion(content_for(request.body))


def batch_line(line: str) -> str:
    """The line of a batch output file for one line of a batch input file."""
    asked = json.loads(line)
    response = {"status_code": 200, "body": completion(content_for(asked["body"])).body}
    return json.dumps({"id": "batch_req_1", "custom_id": asked["custom_id"], "response": response, "error": None})


def content_for(body: Mapping[str, Any]) -> str:
    asked = body["messages"][1]["content"]
    ref = field(asked, "ref")
    return json.dumps(_answer_for(ref, asked)(asked) | {"ref": ref}, ensure_ascii=False)


def _answer_for(ref: str, asked: str) -> Callable[[str], dict[str, Any]]:
    """By what is asked, since not every request carries the name of its schema."""
    if ref == "plan":
        return _plan
    if ref.startswith("theme-"):
        return _theme
    if ref.startswith("shuffle-"):
        return _order
    if ref.startswith("pr-"):
        return _summary if re.search("^Areas: ", asked, re.MULTILINE) else _headline
    part = ref.split(".")[1]
    return {"headings": _headings, "lines": _lines}.get(part, _wording)


def field(asked: str, name: str) -> str:
    """The value of a line `name: value` of a request."""
    match = re.search(rf"^{name}: (.*)$", asked, re.MULTILINE)
    assert match is not None, f"the request has no line {name}:"
    return match[1]


def _summary(asked: str) -> dict[str, Any]:
    lines = dict(_LINE.findall(asked))
    added = {name: text[1:].strip() for name, text in lines.items() if name[0] == "D" and re.match(r"\+.*\w", text)}
    title, text = next(iter(lines.items()))
    spot, code = next(iter(added.items()), (title, text))
    headline = _statement(title, text, text)
    of_line = {"line": spot, "words": _words(code)}
    areas = field(asked, "Areas").split(", ")
    threads = re.findall(r"(\w+) \(", field(asked, "Threads"))
    return {
        "headline": headline,
        "change_type": "fix",
        "area": areas[0],
        "scope": _statement("", "", ""),
        "condition": _statement("", "", ""),
        "default": {"state": "unchanged", **of_line},
        "claims": [_statement(spot, code, f"Adds {code}")],
        "figures": [],
        "risks": [],
        "threads": [{"thread": name, "text": _asked_for(name, lines), "severity": "medium"} for name in threads],
        "scores": {name: {"score": 2, **of_line} for name in SUB_SCORES},
    }


def _statement(line: str, words: str, text: str) -> dict[str, str]:
    return {"text": text, "line": line, "words": _words(words)}


def _words(text: str) -> str:
    return " ".join(text.split(" ")[:8])


def _asked_for(thread: str, lines: Mapping[str, str]) -> str:
    """A thread's header, its author, then what is asked for."""
    return lines[f"R{int(thread[1:]) + 2}"]


def _headline(asked: str) -> dict[str, Any]:
    statements = asked.split("\n")
    begin = next(place for place, line in enumerate(statements) if line.startswith("<data-"))
    return {"headline": statements[begin + 1]}


def _plan(asked: str) -> dict[str, Any]:
    facts = _FACT.findall(asked)
    statistics = [(path, float(value)) for path, value in _STATISTIC.findall(asked)]
    headlines = [name for name, kind, _ in facts if kind == "h"]
    threads = [name for name, kind, _ in facts if kind in "rt"]
    area = next(path for path, _ in statistics if path.startswith("areas."))
    flags = [path for path, value in statistics if path.startswith("flags.") and value]
    risks = [_item(facts=[name]) for name in threads] + [_item(stats=[path]) for path in flags]
    return {
        "trends": [_item(stats=[area])],
        "risks": risks[:5],
        "recommendations": [{"risk": 1, "point": "look at it"}] if risks else [],
        "executive": [_item(facts=headlines[:1]), _item(stats=["pulls.merged"])],
    }


def _theme(asked: str) -> dict[str, Any]:
    """A headline each and the first claim; the name is how the first headline begins."""
    facts = _FACT.findall(asked)
    headlines = [(name, text) for name, kind, text in facts if kind == "h"]
    claims = [name for name, kind, _ in facts if kind == "c"]
    told = [*(name for name, _ in headlines[:5]), *claims[:1]]
    title = re.sub(r"\[[^\]]*\]", "", headlines[0][1])
    name = " ".join(_NUMBER_WORDS.sub("", title).split()[:4]).rstrip(".,:?!")
    return {"name": name, "items": [{"facts": [fact], "point": "what it says"} for fact in told]}


def _order(asked: str) -> dict[str, Any]:
    return {"order": re.findall(r"^([A-Z]) ", asked, re.MULTILINE)}


def _headings(asked: str) -> dict[str, Any]:
    named = re.findall(r"^item (\S+)\nname: (.*)$", asked, re.MULTILINE)
    return {"items": [{"item": item, "text": f"改动 {name}"} for item, name in named]}


def _lines(asked: str) -> dict[str, Any]:
    """Word by word, with the cues that a line may have to keep."""
    shown = re.findall(r"^item (\S+)\n[^:]+: (.*)$", asked, re.MULTILINE)
    blank = re.compile(r" (?=(?:[^`]*`[^`]*`)*[^`]*$)")
    return {"items": [{"item": item, "text": f"不仅默认：{blank.sub('、', text)}"} for item, text in shown]}


def _item(facts: Sequence[str] = (), stats: Sequence[str] = ()) -> dict[str, Any]:
    return {"facts": list(facts), "stats": list(stats), "point": "what it says"}


def _wording(asked: str) -> dict[str, Any]:
    chinese = "Write every sentence in Chinese" in asked
    items = re.findall(r"^item (\S+)\n((?:.+\n?)*)", asked, re.MULTILINE)
    return {"items": [{"item": name, "text": _sentence(block, chinese=chinese)} for name, block in items]}


def _sentence(block: str, *, chinese: bool) -> str:
    facts = re.findall(r"^- (?:headline|claim|risk|thread): (.*)$", block, re.MULTILINE)
    paths = re.findall(r"^- statistic ([^:]+):", block, re.MULTILINE)
    told = facts[0] if facts else " ".join(re.split(r"[._/-]", paths[0]))
    text = " ".join(_NUMBER_WORDS.sub("", told).split()).rstrip(".?!")
    # Word by word: an English clause in a Chinese sentence is refused.
    return (
        f"改动：{'、'.join(text.split(' '))}。"
        if chinese
        else f"This week: {text}."
        if paths and not facts
        else f"{text}."
    )
