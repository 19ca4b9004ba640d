"""wf-perturb --generator llm against a stand-in server: feedback, escalation, refusals, the fallback, resuming."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from tests.llm.behaviour import chain, generate
from tests.llm.conftest import WORDS, lines, records, workflow
from tests.llm.stand_in import Call, Response, StandIn, completion, failure

LLM = ("--generator", "llm", "--model", "m")
SHORT = chain(list(WORDS[:3]))


def without_timing(output: bytes) -> list[dict[str, Any]]:
    found = records(output)
    for record in found:
        record["perturbation"].pop("timing")
        record["perturbation"].pop("cached")
    return found


def test_the_paper_types_are_made_and_pass_the_checks(run_with: Any) -> None:
    with StandIn(generate) as server:
        done = run_with("wf-perturb", *LLM, "--llm-jobs", "8", data=lines(workflow("tea")), server=server)
        assert done.code == 0
        assert len(server.calls) == 9
        judged = run_with("wf-validate", data=done.output)
    assert judged.code == 0  # all valid
    assert [record["id"] for record in done.records] == [
        f"tea/{kind}/{severity}"
        for kind in ("missing_steps", "compressed_steps", "description_changes")
        for severity in (10, 30, 50)
    ]
    for record in done.records:
        perturbation = record["perturbation"]
        assert perturbation["generator"] == "llm"
        assert perturbation["attempts"] == 1
        assert perturbation["models"] == ["m"]
        assert perturbation["revisions"] == ["stand-in-1"]
        assert perturbation["tries"] == [{"model": "m", "outcome": "valid"}]
        assert perturbation["usage"]["calls"] == 1
        assert re.fullmatch(r"[a-z_]+-1@[0-9a-f]{8}", perturbation["prompt"])
        assert record["validation"]["valid"] is True
    # ceil(6 × 10, 30, 50 %) = 1, 2, 3 steps; the golden's own step ids come back
    assert [len(record["candidate"]["nodes"]) for record in done.records] == [5, 4, 3, 5, 4, 3, 6, 6, 6]
    assert [node["id"] for node in done.records[4]["candidate"]["nodes"]] == ["1", "4", "5", "6"]
    assert done.records[4]["perturbation"]["edits"] == [{"op": "merge", "nodes": ["1", "2", "3"], "into": "1"}]


def test_each_prompt_is_the_papers(run_with: Any) -> None:
    with StandIn(generate) as server:
        run_with("wf-perturb", *LLM, "--severity", "30", "--llm-jobs", "1", data=lines(workflow("tea")), server=server)
    asked = [call.prompt for call in server.calls]
    golden = chain(list(WORDS))
    rest = "and return the new workflow in the same Node:/Edge: format."
    for prompt, instruction, end in zip(
        asked,
        [
            f"Please remove exactly 2 steps from the workflow above {rest}",
            f"Please compress exactly 2 steps in the workflow above (combine them into fewer steps) {rest}",
            "Please paraphrase exactly 2 steps in the workflow above (change their description but not their meaning). "
            "Do not change more or fewer than 2 steps. Keep all other node descriptions exactly the same. "
            "Return the new workflow in the same Node:/Edge: format.",
        ],
        ["Perturbed (2 steps missing):", "Perturbed (2 steps compressed):", "Perturbed (2 steps paraphrased):"],
        strict=True,
    ):
        example, _, row = prompt.partition("\n---\n")
        assert example.startswith("Original workflow:\nNode:\n1: ")  # the few-shot example is in front
        assert row == f"\nOriginal workflow:\n{golden}\n\n{instruction}\n\n{end}"
    assert "kettle" in asked[0] and "coffee spout" in asked[1] and "remote control" in asked[2]
    assert len({call.body["seed"] for call in server.calls}) == 3  # drawn from seed, id, type, severity, repeat


def test_an_error_is_fed_back_and_the_next_model_repairs(run_with: Any, tmp_path: Any) -> None:
    def answer(call: Call) -> Response:
        return generate(call) if call.body["model"] == "strong" else completion(SHORT)

    summary = tmp_path / "summary.json"
    with StandIn(answer) as server:
        done = run_with(
            "wf-perturb", *LLM, "--model", "strong", "--type", "missing_steps", "--severity", "10,50",
            "--summary", str(summary), data=lines(workflow("tea")), server=server,
        )  # fmt: skip
    assert done.code == 0
    ten, fifty = done.records
    assert fifty["perturbation"]["attempts"] == 1  # three steps are just right for 50 %
    assert ten["perturbation"]["attempts"] == 4
    assert ten["perturbation"]["models"] == ["strong"]
    tries = ten["perturbation"]["tries"]
    assert [one["outcome"] for one in tries] == ["invalid"] * 3 + ["valid"]
    assert tries[0]["model"] == "m"
    assert "node_count" in tries[0]["failed"]
    assert ten["validation"]["valid"] is True
    repaired = [call for call in server.calls if "failed validation" in call.prompt]
    assert [call.body["model"] for call in repaired] == ["m", "m", "strong"]
    for call in repaired:
        assert "node_count: expected 5, got 3 (2 too few)" in call.prompt
        assert SHORT in call.prompt
        assert "Please remove exactly 1 steps" in call.prompt
    told = json.loads(summary.read_text())["generation"]["missing_steps"]
    assert (told["variants"], told["first_failures"], told["residual"]) == (2, 1, 0)
    assert told["stages"]["m"] == {"variants": 2, "tries": 4, "made_at_once": 1, "repaired": 0, "refused": 0}
    assert told["stages"]["strong"] == {"variants": 1, "tries": 1, "made_at_once": 0, "repaired": 1, "refused": 0}
    assert "missing_steps: 1 of 2 (50.0%; GPT-4o in the paper: 17.7%) failed at first" in done.error
    assert "missing_steps: strong repaired 1 of 1" in done.error


def test_what_fails_to_the_end_is_kept_and_marked(run_with: Any) -> None:
    answers = {
        "wrong": completion(SHORT),
        "prose": completion("I would rather talk about coffee."),
        "cut": completion(SHORT, finish="length"),
        "cycle": completion("Node:\n1: a\n2: b\nEdge: (1,2) (2,1)"),
        "ghost": completion("Node:\n1: a\n2: b\nEdge: (1,2) (2,7)"),
    }
    outcomes = {
        "wrong": "invalid",
        "prose": "no workflow",
        "cut": "cut off",
        "cycle": "no workflow",
        "ghost": "no workflow",
    }

    def answer(call: Call) -> Response:
        (name,) = {name for name in answers if f"go to {name}" in call.prompt}
        return answers[name]

    goldens = [workflow(name, (f"go to {name}", *WORDS)) for name in answers]
    with StandIn(answer) as server:
        done = run_with(
            "wf-perturb", *LLM, "--type", "missing_steps", "--severity", "10", data=lines(*goldens), server=server
        )
    assert done.code == 0  # reported, not refused; wf-validate says no
    assert len(server.calls) == 15
    for record, (name, outcome) in zip(done.records, outcomes.items(), strict=True):
        perturbation = record["perturbation"]
        assert perturbation["residual"] is True
        assert perturbation["models"] == []
        assert perturbation["attempts"] == 3
        assert [one["outcome"] for one in perturbation["tries"]] == [outcome] * 3, name
        assert record["validation"]["valid"] is False
        assert (record["candidate"] is None) == (name != "wrong")
    assert "5 failed to the end and are marked residual" in done.error
    assert run_with("wf-validate", data=done.output).code == 1
    scored = run_with("wf-score", "--metrics", "bleu", data=done.output)
    assert [record["scores"]["bleu"] is None for record in scored.records] == [False, True, True, True, True]


@pytest.mark.parametrize(
    "refusal",
    [
        failure(400, "The response was filtered", "content_filter"),
        completion("", finish="content_filter"),
        completion(None, refusal="I cannot help"),
    ],
)
def test_a_refusal_goes_to_the_next_endpoint(run_with: Any, tmp_path: Any, refusal: Response) -> None:
    endpoints = tmp_path / "endpoints.json"
    with StandIn([refusal]) as azure, StandIn(generate) as plain:
        profiles = {
            "azure": {"base_url": azure.url[:-3], "api_version": "2024-10-21"},
            "plain": {"base_url": plain.url},
        }
        endpoints.write_text(json.dumps(profiles))
        command = (
            "wf-perturb", "--generator", "llm", "--model", "gpt-4o@azure", "--model", "gpt-4.1@azure",
            "--model", "gpt-4o@plain", "--endpoints", str(endpoints), "--type", "missing_steps", "--severity", "10",
        )  # fmt: skip
        done = run_with(*command, data=lines(workflow("tea")))
        assert done.code == 0
        (record,) = done.records
        # One refusal is enough: neither the same model nor another one behind the same filter is asked.
        assert len(azure.calls) == 1
        assert azure.calls[0].path == "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"
        assert record["perturbation"]["tries"] == [
            {"model": "gpt-4o@azure", "outcome": "refused"},
            {"model": "gpt-4o@plain", "outcome": "valid"},
        ]
        assert record["perturbation"]["models"] == ["gpt-4o@plain"]
        assert "gpt-4o@azure repaired 0 of 1, 1 refused" in done.error
        run_with(*command, data=lines(workflow("tea")))
        assert (len(azure.calls), len(plain.calls)) == (1, 1)  # a refusal is a result as well


def test_refused_by_all_is_residual_without_a_candidate(run_with: Any) -> None:
    with StandIn([completion("", finish="content_filter")]) as server:
        done = run_with(
            "wf-perturb", *LLM, "--model", "other", "--type", "missing_steps", "--severity", "10",
            data=lines(workflow("tea")), server=server,
        )  # fmt: skip
    (record,) = done.records
    assert done.code == 0
    assert record["candidate"] is None
    assert record["perturbation"]["residual"] is True
    assert [one["outcome"] for one in record["perturbation"]["tries"]] == ["refused", "refused"]
    assert record["validation"]["valid"] is False


def test_description_changes_fall_back_to_single_steps(run_with: Any) -> None:
    seen: Counter[str] = Counter()

    def answer(call: Call) -> Response:
        if "Step: " not in call.prompt:
            return completion(chain(list(WORDS)))  # nothing was changed
        step = call.prompt.rpartition("Step: ")[2].splitlines()[0]
        seen[step] += 1
        if seen[step] == 1:
            return completion(step)  # the same words: asked again
        return completion(f'"Kindly {step}"')

    with StandIn(answer) as server:
        done = run_with(
            "wf-perturb", *LLM, "--model", "n", "--type", "description_changes", "--severity", "50",
            data=lines(workflow("tea")), server=server,
        )  # fmt: skip
    (record,) = done.records
    assert done.code == 0
    assert record["perturbation"]["attempts"] == 6  # whole-workflow calls only
    assert record["perturbation"]["usage"]["calls"] == 6 + 2 * 3
    assert record["perturbation"]["models"] == ["n"]
    assert record["perturbation"]["tries"][-1] == {"model": "n", "stage": "per_step", "outcome": "valid"}
    assert record["validation"]["valid"] is True
    golden, candidate = record["golden"]["nodes"], record["candidate"]["nodes"]
    changed = [now for before, now in zip(golden, candidate, strict=True) if now != before]
    assert len(changed) == 3
    assert all(node["text"].startswith("Kindly ") for node in changed)
    assert record["candidate"]["edges"] == record["golden"]["edges"]
    assert "description_changes: n (per_step) repaired 1 of 1" in done.error


def test_a_cap_leaves_the_rest_unmade_and_the_same_command_goes_on(run_with: Any) -> None:
    command = ("wf-perturb", *LLM, "--max-calls", "4", "--llm-jobs", "2")
    with StandIn(generate) as server:
        for run in range(1, 4):
            done = run_with(*command, data=lines(workflow("tea")), server=server)
            assert len(server.calls) == min(4 * run, 9)
            unmade = [record for record in done.records if record["candidate"] is None]
            assert len(done.records) == 9
            assert len(unmade) == max(0, 9 - 4 * run)
            assert done.code == (4 if unmade else 0)
            for record in unmade:
                assert record["perturbation"]["unavailable"] == "the cap of 4 calls is reached (--max-calls)"
        # What could not be made is no bad score but an unmeasured one.
        first = run_with(
            *command, "--cache", "/dev/null/none", "--max-calls", "0", data=lines(workflow("tea")), server=server
        )
        scored = run_with("wf-score", "--metrics", "bleu", data=first.output)
        assert scored.code == 4
        assert scored.records[0]["reasons"]["bleu"].startswith("unavailable: the cap of 0 calls")


def test_runs_are_the_same_and_paid_once(run_with: Any) -> None:
    goldens = lines(*[workflow(f"tea{number}", (*WORDS, f"close lid {number}")) for number in range(4)])
    with StandIn(generate) as server:
        first = run_with("wf-perturb", *LLM, "--repeats", "2", "--llm-jobs", "7", data=goldens, server=server)
        calls = len(server.calls)
        second = run_with("wf-perturb", *LLM, "--repeats", "2", "--llm-jobs", "1", data=goldens, server=server)
        assert len(server.calls) == calls == 4 * 9 * 2
    assert without_timing(first.output) == without_timing(second.output)
    assert len({record["id"] for record in first.records}) == 72


def test_small_and_impossible_goldens_are_inapplicable(run_with: Any) -> None:
    with StandIn(generate) as server:
        done = run_with(
            "wf-perturb", *LLM, "--type", "missing_steps", "--severity", "100",
            data=lines(workflow("tea"), workflow("small", WORDS[:3])), server=server,
        )  # fmt: skip
    assert server.calls == []
    assert [record["perturbation"]["inapplicable"] for record in done.records] == [
        "6 of 6 steps would leave none",
        "3 steps are fewer than 5 (--min-steps)",
    ]
    assert done.code == 0


def test_bad_goldens_become_error_records(run_with: Any) -> None:
    cyclic = workflow("cyclic")
    cyclic["edges"].append(["6", "1"])
    with StandIn(generate) as server:
        done = run_with("wf-perturb", *LLM, "--severity", "10", data=lines(cyclic, workflow("tea")), server=server)
    assert done.code == 3
    assert [record["kind"] for record in done.records] == ["error", "pair", "pair", "pair"]


def test_a_dry_run_calls_nobody(run_with: Any) -> None:
    with StandIn(generate) as server:
        done = run_with("wf-perturb", *LLM, "--dry-run", data=lines(workflow("tea")), server=server)
        assert server.connections == 0
    assert (done.code, done.output) == (0, b"")
    assert "dry run: m: 9 calls" in done.error
    assert "dry run: 45 calls at most" in done.error  # 9 × 3 tries, and 3 × (1 + 2 + 3) for single steps


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--generator", "llm"), 2, "--model"),
        (("--model", "m"), 2, "--generator llm"),
        (("--dry-run",), 2, "--generator llm"),
        ((*LLM, "--type", "added_steps"), 2, "no prompt for added_steps"),
        ((*LLM, "--placement", "tail"), 2, "--placement"),
        ((*LLM, "--jobs", "3"), 2, "--llm-jobs"),
        ((*LLM, "--max-cost", "1"), 2, "--prices"),
        ((*LLM, "--cache", "x", "--no-cache"), 2, "contradict"),
        (LLM, 4, "OPENAI_API_KEY"),
    ],
)
def test_wrong_command_lines(run_with: Any, arguments: tuple[str, ...], code: int, told: str) -> None:
    done = run_with("wf-perturb", *arguments, data=lines(workflow("tea")))
    assert (done.code, done.output) == (code, b"")
    assert told in done.error


def test_nobody_listens(run_with: Any) -> None:
    there = {"NO_PROXY": "127.0.0.1", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "x"}
    done = run_with("wf-perturb", *LLM, "--llm-retries", "0", data=lines(workflow("tea")), **there)
    assert done.code == 4
    assert len(done.records) == 9
    assert all("cannot be reached" in record["perturbation"]["unavailable"] for record in done.records)
