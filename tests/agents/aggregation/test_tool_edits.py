from wfkit.agents.aggregation.evidence import collect
from wfkit.agents.aggregation.tool_edits import tool_edit_figures


def test_operations_are_described_one_by_one(short):
    rows = [
        ("t1", "tools/incorrect", "replace_description", 0, 300),
        ("t2", "tools/incorrect", "replace_description", 1, 100),
        ("t1", "tools/missing", "remove_tool", 1, 50),
        ("t1", "tools/redundant", None, None, None),
        ("t1", "user/missing", "cut_slot", 0, 100),
    ]
    requests, grades = [], []
    for place, (task, family, operation, score, tokens) in enumerate(rows):
        edit = {} if operation is None else {"edit": {"operation": operation}}
        requests.append(short.asked(f"p{place}", task, family, **edit))
        grades.append(short.graded(requests[-1], short.side(1, "c", 100), short.side(score, f"e{place}", tokens)))
    read = short.read(requests, grades)
    unnamed, removed, replaced = tool_edit_figures(next(collect(read)), read.requests, 1.0)
    assert [each["operation"] for each in (unnamed, removed, replaced)] == [None, "remove_tool", "replace_description"]
    assert (replaced["tasks"], replaced["clean"], replaced["perturbed"], replaced["degradation"]) == (2, 1, 0.5, 0.5)
    assert (replaced["coverage"], replaced["bounds"]["degradation"]) == (1, [0.5, 0.5])
    assert (replaced["cost"]["perturbed"]["tokens_per_success"], replaced["token_ratio"]["median"]) == (400, 2)
    assert (unnamed["scored"], unnamed["degradation"], unnamed["bounds"]["degradation"]) == (0, None, [0, 1])


def test_no_request_on_the_tools(short):
    read = short.read([short.asked("p1")], [], models=["m"])
    assert tool_edit_figures(next(collect(read)), read.requests, 1.0) == []
