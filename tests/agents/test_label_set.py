import pytest

from wfkit.agents.label_set import DEFAULT_LABEL_SET, read_label_set
from wfkit.errors import UsageProblem


def test_the_default_set_is_valid():
    assert read_label_set(DEFAULT_LABEL_SET) == DEFAULT_LABEL_SET


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**DEFAULT_LABEL_SET, "mood": ["x"]}, "not mood"),
        ({"awareness": ["x"]}, "behaviour in a label set should be a list"),
        ({"awareness": [], "behaviour": ["x"]}, "awareness in a label set should be a list"),
        ({"awareness": ["x", 3], "behaviour": ["x"]}, "awareness in a label set should be a list of texts"),
        ({"awareness": ["x", "x"], "behaviour": ["x"]}, "awareness in the label set has a label twice"),
    ],
)
def test_a_bad_set(config, message):
    with pytest.raises(UsageProblem, match=message):
        read_label_set(config)
