import pytest
import yaml
from prompt_cases import CHECKS, PROMPTS, Case, case_files, faults, refuse_unknown

from prhub_digest.models.summary import SummaryReply
from prhub_digest.shipped import prompts_dir

CASES = case_files()
DEMO = {"from": {"fixture": "demo", "pull": 4151}}


@pytest.mark.parametrize("name", CASES)
def test_a_case_holds(name):
    """A reply of another schema is an error here: the demo was recorded for an earlier prompt (`make record-demo`)."""
    case = Case.model_validate(yaml.safe_load(CASES[name].read_text(encoding="utf-8")))
    assert list(faults(CASES[name].parent.name, case)) == [], case.why


def test_every_case_file_is_named_by_its_prompt():
    globs = [prompt.front.cases for prompt in PROMPTS.values() if prompt.front.cases]
    named = {path for glob in globs for path in prompts_dir().glob(glob)}
    assert named == set(CASES.values()) == {path for path in (prompts_dir() / "cases").rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("check", "wanted", "fitting", "failing"),
    [
        ("absent", r"\bguess", [["a fact"], []], [["a fact", "a guess"]]),
        ("at_most", 2, [["two words", []], []], [["these are three"], [["a", "b", "c"]]]),
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
    ("given", "message"),
    [
        ({**DEMO, "expects": []}, "expects"),
        ({"from": {"fixture": "demo", "pulls": 4151}}, "pulls"),
        ({"from": {"fixture": "demo"}}, "from has either a pull or a subject"),
        ({**DEMO, "inputs": {}}, "give either from or inputs"),
        ({**DEMO, "expect": [{"path": "ref", "equal": "x"}]}, "an assertion has a path and one of order, absent"),
        ({**DEMO, "expect": [{"path": "ref", "equals": "x", "in": ["x"]}]}, "an assertion has a path and one of"),
        ({**DEMO, "expect": [{"equals": "x"}]}, "an assertion has a path"),
        ({**DEMO, "expect": []}, "at least 1 item"),
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
