import os
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from prompt_cases import (
    CHECKS,
    COMPARISONS,
    PROMPTS,
    Answer,
    Case,
    answers_of,
    case_files,
    faults,
    refuse_unknown,
    request_of,
    unmet,
)

from prhub_digest.llm.ask import Asker
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import Attempt, StoredReply, Usage
from prhub_digest.models.ranking import CompareReply
from prhub_digest.models.replies import REPLIES
from prhub_digest.models.summary import SummaryReply
from prhub_digest.shipped import prompts_dir

CASES = case_files()
DEMO = {"from": {"fixture": "demo", "pull": 4151}}


def case_in(path: Path) -> Case:
    return Case.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", CASES)
def test_a_case_holds(name):
    """A reply of another schema is an error here: the demo was recorded for an earlier prompt (`make record-demo`)."""
    case = case_in(CASES[name])
    assert list(faults(CASES[name].parent.name, case)) == [], case.why


@pytest.mark.model
@pytest.mark.parametrize("name", [name for name, path in CASES.items() if case_in(path).live])
def test_a_live_model_keeps_to_a_case(name, tmp_path):
    """A weak model gives an order back as it was shown; a digest shuffles each group, so that this decides nothing."""
    case, prompt = case_in(CASES[name]), CASES[name].parent.name
    request = request_of(prompt, case.inputs or {}, os.environ["PRHUB_MODEL"])
    url, key = os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY")
    with closing(OpenAIClient(url, key, 900.0, 1)) as client:
        answer = Asker(client, ReplyStore(tmp_path, print)).ask(request, REPLIES[request.schema_name])
    answers = answers_of(answer.stored)
    if isinstance(answer.reply, CompareReply) and list(answer.reply.order) == sorted(answer.reply.order):
        pytest.skip("the model is too weak to compare: it repeats the order shown")
    assert {str(own): unmet(own, answers) for own in case.live} == {str(own): [] for own in case.live}, case.why


def test_every_case_file_is_named_by_its_prompt():
    globs = [prompt.front.cases for prompt in PROMPTS.values() if prompt.front.cases]
    named = {path for glob in globs for path in prompts_dir().glob(glob)}
    assert named == set(CASES.values()) == {path for path in (prompts_dir() / "cases").rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("check", "wanted", "fitting", "failing"),
    [
        ("absent", r"\bguess", [["a fact"], []], [["a fact", "a guess"]]),
        ("at_least", 2, [["two words", ["a", "b"]]], [["one"], [["a"]], []]),
        ("at_most", 2, [["two words", []], []], [["these are three"], [["a", "b", "c"]]]),
        ("at_most_a_sentence", 3, [["Three words here. Three `a.b` more."], []], [["Short. This one has more."]]),
        ("at_most_a_sentence", 4, [["用 `--page-size 64` 时更快。延迟不变。"]], [["延迟不变。现在吞吐更高。"]]),
        ("at_most_sentences", 1, [["It is gone in `0.9`; see a.b."], []], [["One. Two."], ["一句。两句。"]]),
        ("contains", "fix", [["a test", "a fix"]], [["a test"], []]),
        ("equals", 0, [[0, 0]], [[0, 1], []]),
        ("in", [4, 5], [[4, 5]], [[3, 4], []]),
        ("matches", "R[0-9]", [["R1", "R2"]], [["R1", "R12"], []]),
    ],
)
def test_a_check_tells_right_from_wrong(check, wanted, fitting, failing):
    assert [CHECKS[check](wanted, found) for found in fitting] == [True] * len(fitting)
    assert [CHECKS[check](wanted, found) for found in failing] == [False] * len(failing)


@pytest.mark.parametrize(
    ("check", "pattern", "asked", "fitting", "failing"),
    [
        ("given", "[0-9.]+", "16 of 0.9, v2.1.0", ["", "16", "0.9 and 16"], ["1", "9", "0", "2.1", "64"]),
        ("given", "`([^`]+)`", "with --page-size 64.", ["`--page-size 64`", "--page-size 6"], ["`--page-size 6`"]),
        ("kept", "`[^`]+`", "`a` and `b`", ["`b`, `a`, `a`", "`a` `b` `c`"], ["", "`a`", "a b"]),
    ],
)
def test_a_comparison_tells_right_from_wrong(check, pattern, asked, fitting, failing):
    assert [COMPARISONS[check](pattern, asked, text) for text in fitting] == [True] * len(fitting)
    assert [COMPARISONS[check](pattern, asked, text) for text in failing] == [False] * len(failing)


@pytest.mark.parametrize(
    ("assertion", "failing"),
    [
        ({"absent": "x"}, ["x 1"]),
        ({"asked": "only", "absent": "x"}, []),
        ({"asked": "only", "contains": "x"}, ["y 2"]),
        ({"kept": "[0-9]"}, ["x 1"]),
        ({"asked": "gone", "absent": "x"}, ["no request: none asks about this"]),
    ],
)
def test_an_assertion_is_about_what_asks_for_it(assertion, failing):
    answers = [Answer({"headline": "x 1"}, "not 2"), Answer({"headline": "y 2"}, "only 2")]
    assert unmet({"path": "headline", **assertion}, answers) == failing


def test_an_assertion_that_needs_a_value_fails_where_there_is_none():
    answers = [Answer({"items": []})]
    assert unmet({"path": "items[*].text", "matches": "x"}, answers) == ["nothing: there is none"]
    assert unmet({"path": "items[*].text", "absent": "x"}, answers) == []


def test_an_item_of_a_wording_stands_beside_what_was_asked_about_it():
    items = "item k1\npoint: a\n- claim: b\n\nitem k2\npoint: c\n\nSentences already in the digest:\nd"
    request = request_of("compose_wording", {"section": "risks", "language": "English", "items": items})
    content = '{"ref": "case", "items": [{"item": "k2", "text": "C"}, {"item": "k1", "text": "A"}]}'
    stored = StoredReply(
        request=request, attempts=(Attempt(content=content, finish_reason="stop", usage=Usage()),), recorded=""
    )
    assert answers_of(stored) == (
        Answer({"ref": "case", "items": [{"item": "k2", "text": "C"}]}, "point: c\n"),
        Answer({"ref": "case", "items": [{"item": "k1", "text": "A"}]}, "point: a\n- claim: b\n"),
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({**DEMO, "expects": []}, "expects"),
        ({"from": {"fixture": "demo", "pulls": 4151}}, "pulls"),
        ({"from": {"fixture": "demo"}}, "from has either a pull or a subject"),
        ({**DEMO, "inputs": {}}, "give either from or inputs"),
        ({**DEMO, "expect": [{"path": "ref", "equal": "x"}]}, "an assertion has a path and one of order, absent"),
        ({**DEMO, "expect": [{"path": "ref", "equals": "x", "in": ["x"]}]}, "an assertion has a path and one of"),
        ({**DEMO, "expect": [{"equals": "x"}]}, "an assertion has a path"),
        ({**DEMO, "expect": []}, "nothing is expected"),
        ({**DEMO, "live": [{"path": "ref", "equals": "x"}]}, "live needs inputs"),
        ({"inputs": {}, "expect": [], "live": [{"path": "order"}]}, "an assertion has a path and one of order"),
        ({"inputs": {}, "expect": [{"path": "ref", "order": [1, 2]}]}, "order compares recorded pull requests"),
        ({**DEMO, "expect": [{"path": "ref", "order": [1, 2], "asked": "x"}]}, "order compares recorded"),
    ],
)
def test_a_wrong_case_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Case.model_validate({"why": "", "expect": [{"path": "ref", "equals": "x"}]} | given)


@pytest.mark.parametrize(
    "path", ["gone", "claims.text", "headline[*].text", "claims[*].gone", "ref.text", "ref[0]", "scores..risk"]
)
def test_a_path_that_no_reply_has_is_an_error(path):
    with pytest.raises(ValueError, match="no such field as"):
        refuse_unknown(SummaryReply, path)


@pytest.mark.parametrize("path", ["ref", "claims", "claims[*].text", "claims[0].line", "scores.risk.score"])
def test_a_path_of_a_reply_is_none(path):
    refuse_unknown(SummaryReply, path)
