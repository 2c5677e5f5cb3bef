from prhub_digest.models.ranking import CompareReply, Comparison
from prhub_digest.rank.comparing import comparison_fault, comparison_of
from prhub_digest.rank.listwise import ComparisonGroup

GROUP = ComparisonGroup("shuffle-1.1", 1, (40, 7, 12))


def reply(*order: str) -> CompareReply:
    return CompareReply(ref="shuffle-1.1", order=order)


def test_letters_become_numbers() -> None:
    assert comparison_fault(reply("C", "A", "B"), GROUP) is None
    assert comparison_of(reply("C", "A", "B"), GROUP) == Comparison(shuffle=1, order=(12, 40, 7))


def test_what_is_no_order_of_the_group_is_told_to_the_model() -> None:
    assert comparison_fault(reply("C", "A"), GROUP) == "entry B is missing"
    assert comparison_fault(reply("C", "A", "B", "A"), GROUP) == "entry A stands more than once"
    assert comparison_fault(reply("C", "A", "B", "D", "D", "b"), GROUP) == (
        "there is no entry 'D'; there is no entry 'b'"
    )
    assert comparison_fault(reply(), GROUP) == "entry A is missing; entry B is missing; entry C is missing"
