import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError, UsageProblem
from wfkit.signature import SignatureGuard, differing_parts, format_signature, parse_signature

PUBLISHED = "wfkit=1|enc=all-mpnet-base-v2@78c0197b|align=0.8"


def record(identifier, scores, signatures):
    return {"id": identifier, "scores": scores, "signatures": signatures}


def test_format_keeps_the_given_order():
    assert format_signature({"wfkit": 1, "enc": "all-mpnet-base-v2@78c0197b", "align": 0.8}) == PUBLISHED


@pytest.mark.parametrize(
    "parts", [{"": "x"}, {"a": ""}, {"a|b": "x"}, {"a": "x|y"}, {"a=b": "x"}, {"a": "x\ny"}, {"a": "\x1b[1m"}]
)
def test_format_refuses_what_could_not_be_read_back(parts):
    with pytest.raises(ValueError, match="not fit for a signature"):
        format_signature(parts)


FIT = st.text(st.characters(exclude_characters="|=", exclude_categories=("C", "Z")), min_size=1)


@given(st.dictionaries(FIT, FIT, min_size=1))
def test_parse_undoes_format(parts):
    assert parse_signature(format_signature(parts)) == parts


def test_parse_takes_foreign_pieces_and_values_with_an_equals_sign():
    assert parse_signature("v2|url=a=b") == {"v2": "", "url": "a=b"}


@pytest.mark.parametrize(
    ("first", "second", "keys"),
    [
        (PUBLISHED, PUBLISHED, []),
        ("wfkit=1|align=0.8", "wfkit=1|align=0.7", ["align"]),
        ("wfkit=1|enc=a", "wfkit=2|enc=a|align=0.8", ["wfkit", "align"]),
    ],
)
def test_differing_parts(first, second, keys):
    assert differing_parts(first, second) == keys


def test_guard_takes_equal_signatures_and_different_metrics():
    guard = SignatureGuard()
    guard.check(record("a", {"chain_f1": 1.0, "bleu": 0.5}, {"chain_f1": PUBLISHED, "bleu": "wfkit=1|nltk=3.10"}))
    guard.check(record("b", {"bleu": 0.4}, {"bleu": "wfkit=1|nltk=3.10"}))
    guard.check({"id": "unscored"})
    assert guard.signatures == {"chain_f1": PUBLISHED, "bleu": "wfkit=1|nltk=3.10"}


def test_guard_refuses_a_second_signature_and_names_both_records_and_the_difference():
    guard = SignatureGuard()
    guard.check(record("a", {"chain_f1": 1.0}, {"chain_f1": "wfkit=1|align=0.8"}))
    with pytest.raises(UsageProblem) as caught:
        guard.check(record("b", {"chain_f1": 1.0}, {"chain_f1": "wfkit=1|align=0.7"}))
    message = str(caught.value)
    for part in ("chain_f1", "wfkit=1|align=0.8", "'a'", "wfkit=1|align=0.7", "'b'", "they differ in align"):
        assert part in message


def test_guard_does_not_compare_what_was_not_measured():
    guard = SignatureGuard()
    guard.check(record("a", {"bertscore": None}, {}))
    guard.check(record("b", {"bertscore": 0.9}, {"bertscore": "wfkit=1"}))
    guard.check(record("c", {"bertscore": None}, {"bertscore": "wfkit=2"}))


def test_guard_takes_unsigned_foreign_metrics_but_does_not_mix_them_with_signed_ones():
    guard = SignatureGuard()
    guard.check(record("a", {"ours": 1}, {}))
    guard.check({"id": "b", "scores": {"ours": 0}})
    assert guard.signatures == {}
    with pytest.raises(UsageProblem, match=r"none \(record 'a'\) and v=1 \(record 'c'\)$"):
        guard.check(record("c", {"ours": 1}, {"ours": "v=1"}))


@pytest.mark.parametrize("signature", [5, [], {}, True, False])
def test_guard_refuses_a_signature_that_is_no_text(signature):
    with pytest.raises(DataError, match="the signature of bleu is no text"):
        SignatureGuard().check({"id": "a", "scores": {"bleu": 1}, "signatures": {"bleu": signature}})
