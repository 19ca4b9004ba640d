"""Runs of the judge as a user makes them: order, caps, keys, kills, the cache, several processes, several judges."""

import json
import signal
import time
from typing import Any

import pytest

from tests.llm.behaviour import answer
from tests.llm.conftest import lines, pair, records
from tests.llm.stand_in import Call, Response, StandIn

JUDGE = ("--metrics", "judge", "--judge-model", "m")


def pairs(count: int) -> bytes:
    return lines(*[pair(f"p{number}", missing=number % 4) for number in range(count)])


def slowly(seconds: float) -> Any:
    def delayed(call: Call) -> Response:
        response = answer(call)
        response.delay = seconds
        return response

    return delayed


def without_timing(output: bytes) -> list[dict[str, Any]]:
    found = records(output)
    for record in found:
        record["judge"].pop("timing")
        record["judge"].pop("cached")
    return found


def test_the_order_stands_however_many_calls_are_under_way(run_with: Any) -> None:
    def uneven(call: Call) -> Response:
        response = answer(call)
        response.delay = (len(call.prompt) * 7919 % 50) / 1000
        return response

    outputs = []
    for jobs in ("1", "9"):
        with StandIn(uneven) as server:
            done = run_with("wf-score", *JUDGE, "--no-cache", "--llm-jobs", jobs, data=pairs(20), server=server)
        assert done.code == 0
        assert server.most_at_once <= int(jobs)
        assert len(server.calls) == 60
        outputs.append(without_timing(done.output))
    assert server.most_at_once > 5
    assert outputs[0] == outputs[1]
    # 6 golden steps of which 0 to 3 are missing: 5, 4.17, 3.33, 2.5 → 5, 4, 3, 2 of 5
    assert [record["scores"]["judge"] for record in outputs[0][:4]] == [1.0, 0.8, 0.6, 0.4]


def test_a_second_run_comes_from_the_cache_without_a_connection(run_with: Any) -> None:
    with StandIn(answer) as server:
        first = run_with("wf-score", *JUDGE, data=pairs(5), server=server)
        calls, connections = len(server.calls), server.connections
        second = run_with("wf-score", *JUDGE, data=pairs(5), server=server)
        assert (len(server.calls), server.connections) == (calls, connections) == (15, server.connections)
        # Another seed, model or metric beside it: what shapes the answer is in the key, what does not is not.
        third = run_with("wf-score", "--metrics", "bleu,judge", "--judge-model", "m", data=pairs(5), server=server)
        assert len(server.calls) == 15
        fourth = run_with("wf-score", *JUDGE, "--seed", "1", data=pairs(5), server=server)
        assert len(server.calls) == 30
    assert {done.code for done in (first, second, third, fourth)} == {0}
    assert without_timing(first.output) == without_timing(second.output)
    assert [record["judge"]["cached"] for record in second.records] == [3] * 5


@pytest.mark.parametrize("jobs", ["1", "8"])
def test_the_cap_on_calls_is_exact_and_the_same_command_goes_on(run_with: Any, jobs: str) -> None:
    command = ("wf-score", "--metrics", "bleu,judge", "--judge-model", "m", "--max-calls", "7", "--llm-jobs", jobs)
    with StandIn(answer) as server:
        unmeasured = []
        for run in range(1, 4):
            done = run_with(*command, data=pairs(6), server=server)
            assert len(server.calls) == min(7 * run, 18)
            assert len(done.records) == 6
            nulls = [record for record in done.records if record["scores"]["judge"] is None]
            unmeasured.append(len(nulls))
            assert done.code == (4 if nulls else 0)
            for record in nulls:
                assert record["reasons"]["judge"] == "unavailable: the cap of 7 calls is reached (--max-calls)"
                assert record["scores"]["bleu"] is not None
    assert unmeasured[0] >= unmeasured[1] > unmeasured[2] == 0
    assert unmeasured[0] >= 3  # 7 calls finish at most 2 pairs and a third of another


def test_retries_count_as_calls(run_with: Any) -> None:
    from tests.llm.stand_in import failure

    with StandIn([failure(429, retry_after="0")]) as server:
        done = run_with("wf-score", *JUDGE, "--max-calls", "4", "--llm-retries", "9", data=pairs(2), server=server)
    assert len(server.calls) == 4
    assert done.code == 4
    assert "(--max-calls)" in done.records[0]["reasons"]["judge"]


def test_the_cap_on_cost_is_never_exceeded(run_with: Any, tmp_path: Any) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"m": {"input": 100, "output": 100}}')
    # A call costs ~0.09 USD, but may cost up to (prompt bytes + 2,048 tokens) × 100 USD / million ≈ 0.57.
    with StandIn(answer) as server:
        done = run_with(
            "wf-score",
            *JUDGE,
            "--max-cost",
            "2",
            "--prices",
            str(prices),
            "--llm-jobs",
            "8",
            data=pairs(12),
            server=server,
        )
        spent = sum(len(call.prompt) // 4 + 60 for call in server.calls) * 100 / 1e6
        most = max(len(call.prompt.encode()) + 600 + 2048 for call in server.calls) * 100 / 1e6
    assert done.code == 4
    assert 2 - most < spent <= 2
    judged = [record for record in done.records if record["scores"]["judge"] is not None]
    assert judged
    for record in judged:
        usage = record["judge"]["usage"]
        assert usage["cost_usd"] == pytest.approx((usage["input_tokens"] + usage["output_tokens"]) * 100 / 1e6)
    assert "(--max-cost)" in done.records[-1]["reasons"]["judge"]


def test_a_dry_run_calls_nobody(run_with: Any, tmp_path: Any) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"m": {"input": 2.5, "output": 10}}')
    summary = tmp_path / "summary.json"
    dry = (*JUDGE, "--dry-run", "--prices", str(prices), "--summary", str(summary))
    with StandIn(answer) as server:
        done = run_with("wf-score", *dry, data=pairs(4), server=server)
        assert server.connections == 0
        assert (done.code, done.output) == (0, b"")
        assert "dry run: m: 12 calls, about " in done.error
        estimate = json.loads(summary.read_text())["estimate"]["m"]
        assert estimate["cost_usd"] == pytest.approx(
            (estimate["input_tokens"] * 2.5 + estimate["output_tokens"] * 10) / 1e6
        )
        run_with("wf-score", *JUDGE, data=pairs(2), server=server)
        # The stand-in bills a quarter of the prompt's characters; the estimate adds the schema of the answer.
        billed = sum(len(call.prompt) // 4 for call in server.calls) * 2
        assert billed < estimate["input_tokens"] < 1.5 * billed
        assert "m: 6 calls" in run_with("wf-score", *dry, data=pairs(4), server=server).error  # the rest is cached
    assert "12 calls" in run_with("wf-score", *dry, "--no-cache", data=pairs(4)).error  # and no key is needed


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_killed_run_keeps_what_is_finished_and_pays_nothing_twice(start: Any, run_with: Any, end: int) -> None:
    with StandIn(slowly(0.05)) as server:
        process = start("wf-score", *JUDGE, "--llm-jobs", "2", server=server)
        process.stdin.write(pairs(40))
        process.stdin.close()
        finished = [process.stdout.readline() for _ in range(3)]  # written although the batch is not done
        process.send_signal(end)
        rest = process.stdout.read()
        code = process.wait(20)
        assert code == (-9 if end == signal.SIGKILL else 130)
        kept = records(b"".join(finished) + rest)
        assert [record["id"] for record in kept] == [f"p{number}" for number in range(len(kept))]
        assert len(kept) < 40
        time.sleep(0.2)
        before = len(server.calls)
        again = run_with("wf-score", *JUDGE, "--llm-jobs", "8", data=pairs(40), server=server)
        assert again.code == 0
        assert len(again.records) == 40
        # The calls that were under way when the process died are the only ones that can be asked again.
        under_way = 2 if end == signal.SIGKILL else 0
        assert 120 <= len(server.calls) <= 120 + under_way
        assert before < 120
        assert [r["scores"] for r in again.records[: len(kept)]] == [r["scores"] for r in kept]


def test_two_processes_share_one_cache_and_pay_once(start: Any) -> None:
    with StandIn(slowly(0.02)) as server:
        processes = [start("wf-score", *JUDGE, "--llm-jobs", "3", server=server) for _ in range(2)]
        for process in processes:
            process.stdin.write(pairs(15))
            process.stdin.close()
        outputs = [process.stdout.read() for process in processes]
        assert [process.wait(60) for process in processes] == [0, 0]
        assert len(server.calls) == 45
    assert without_timing(outputs[0]) == without_timing(outputs[1])


def test_a_damaged_cache_is_set_aside(run_with: Any, tmp_path: Any) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "answers.sqlite3").write_bytes(b"no database" * 100)
    with StandIn(answer) as server:
        done = run_with("wf-score", *JUDGE, "--cache", str(folder), data=pairs(1), server=server)
        assert done.code == 0
        assert "set aside" in done.error
        run_with("wf-score", *JUDGE, "--cache", str(folder), data=pairs(1), server=server)
        assert len(server.calls) == 3
    assert len(list(folder.glob("answers.sqlite3.damaged-*"))) == 1


def test_a_cache_that_cannot_be_used_is_gone_without(run_with: Any, tmp_path: Any) -> None:
    place = tmp_path / "file"
    place.write_text("")
    with StandIn(answer) as server:
        done = run_with("wf-score", *JUDGE, "--cache", str(place), data=pairs(2), server=server)
    assert done.code == 0
    assert done.error.count("cannot be used") == 1


def test_no_key_names_the_variable(run_with: Any) -> None:
    done = run_with("wf-score", *JUDGE, data=pairs(1))
    assert (done.code, done.output) == (4, b"")
    assert "OPENAI_API_KEY" in done.error
    # With another metric the others are measured all the same.
    done = run_with("wf-score", "--metrics", "bleu,judge", "--judge-model", "m", data=pairs(1))
    assert done.code == 4
    assert done.records[0]["scores"]["bleu"] is not None
    assert "OPENAI_API_KEY" in done.records[0]["reasons"]["judge"]


def test_nobody_listens(run_with: Any) -> None:
    there = {"NO_PROXY": "127.0.0.1", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-test-secret"}
    done = run_with("wf-score", *JUDGE, "--llm-retries", "1", data=pairs(20), **there)
    assert done.code == 4
    assert len(done.records) == 20
    reasons = {record["reasons"]["judge"] for record in done.records}
    assert reasons == {"unavailable: m: cannot be reached (connection refused or unknown host) (2 calls)"}


def test_secrets_in_the_address_are_refused_and_never_shown(run_with: Any) -> None:
    for address in ("http://user:hunter2@127.0.0.1:9/v1", "http://127.0.0.1:9/v1?key=hunter2", "hunter2"):
        done = run_with("wf-score", *JUDGE, data=pairs(1), OPENAI_BASE_URL=address, OPENAI_API_KEY="hunter2")
        assert done.code == 2
        assert "OPENAI_BASE_URL" in done.error
        assert "hunter2" not in done.error


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--metrics", "judge"), "--judge-model"),
        (("--judge-when", "bleu < 1"), "--judge-model"),
        (("--dry-run",), "--judge-model"),
        ((*JUDGE, "--judge-when", "bleu between 0 and 1"), "expected <, <=, >, >= or in"),
        ((*JUDGE, "--max-cost", "1"), '{"m": {"input": USD per million tokens'),
        ((*JUDGE, "--judge-model", "m"), "given twice"),
        ((*JUDGE, "--jobs", "2"), "--llm-jobs"),
        ((*JUDGE, "--judge-model", "a|b"), "no name of a model"),
        ((*JUDGE, "--endpoints", "/dev/null"), "/dev/null"),
    ],
)
def test_wrong_command_lines(run_with: Any, arguments: tuple[str, ...], told: str) -> None:
    done = run_with("wf-score", *arguments, data=pairs(1), OPENAI_API_KEY="x")
    assert (done.code, done.output) == (2, b"")
    assert told in done.error


def test_only_ambiguous_pairs_are_judged(run_with: Any) -> None:
    condition = "bleu in 0.5..0.95 or made_elsewhere > 0"
    foreign = {**pair("foreign", missing=0), "scores": {"made_elsewhere": 1}}
    with StandIn(answer) as server:
        done = run_with(
            "wf-score", "--metrics", "bleu,judge", "--judge-model", "m", "--judge-when", condition,
            data=pairs(4) + lines(foreign), server=server,
        )  # fmt: skip
    for record in done.records:
        # Without made_elsewhere the condition is true or unknown, never false.
        ambiguous = 0.5 <= record["scores"]["bleu"] <= 0.95 or "made_elsewhere" in record["scores"]
        assert (record["scores"]["judge"] is not None) == ambiguous
        if not ambiguous:
            assert record["reasons"]["judge"] == f"unavailable: {condition} cannot be told without made_elsewhere"
    with StandIn(answer) as server:
        done = run_with(
            "wf-score", "--metrics", "bleu,judge", "--judge-model", "m", "--judge-when", "bleu in 0.5..0.95",
            data=pairs(4), server=server,
        )  # fmt: skip
    skipped = [record for record in done.records if record["scores"]["judge"] is None]
    assert 0 < len(skipped) < 4
    assert {record["reasons"]["judge"] for record in skipped} == {"skipped: not bleu in 0.5..0.95"}
    assert len(server.calls) == 3 * (4 - len(skipped))
    assert done.code == 0  # a skipped judge is no gap


def test_judges_are_compared(run_with: Any, tmp_path: Any) -> None:
    summary, endpoints = tmp_path / "summary.json", tmp_path / "endpoints.json"
    with StandIn(answer) as hosted, StandIn(answer) as local:
        endpoints.write_text(json.dumps({"local": {"base_url": local.url}}))
        done = run_with(
            "wf-score", "--metrics", "judge", "--judge-model", "strict", "--judge-model", "lenient@local",
            "--endpoints", str(endpoints), "--summary", str(summary), data=pairs(8), server=hosted,
        )  # fmt: skip
        assert {call.body["model"] for call in hosted.calls} == {"strict"}
        assert {call.body["model"] for call in local.calls} == {"lenient"}
        # The key of the environment goes to its own service and to no other.
        assert {call.headers["authorization"] for call in hosted.calls} == {"Bearer sk-test-secret"}
        assert {call.headers["authorization"] for call in local.calls} == {"Bearer none"}
    assert done.code == 0
    for record in done.records:
        assert record["judge:strict"]["samples"]
        assert record["scores"]["judge:lenient@local"] >= record["scores"]["judge:strict"]
    told = json.loads(summary.read_text())
    assert told["judges"]["judge:strict"]["calls"] == 24
    # 0, 1, 2, 3 steps missing, twice: strict says 5 4 3 2, lenient 5 5 4 3: they agree in 2 of 8, differ by 1 else.
    (agreement,) = told["agreement"]
    assert agreement["pairs"] == 8
    assert agreement["same"] == 2 / 8
    assert agreement["mean_difference"] == pytest.approx(6 / 8 / 5)
    # Quadratic weights: observed 6 × 1; expected over all 64 combinations of {5,4,3,2}² and {5,5,4,3}²:
    # (0+1+4+9) + the like for 5,4,3 = 14 + 14 + 6 + 6 = 40 of 16, so 8 × 40 / 16 = 20 → 1 − 6/20.
    assert agreement["kappa"] == pytest.approx(1 - 6 / 20)
    assert "judge:strict and judge:lenient@local: same level in 25% of 8 pairs" in done.error


def test_pairs_without_a_candidate_and_goldens_without_one(run_with: Any, tmp_path: Any) -> None:
    inapplicable = {**pair("none"), "candidate": None, "perturbation": {"inapplicable": "too small"}}
    unavailable = {**pair("later"), "candidate": None, "perturbation": {"unavailable": "the cap is reached"}}
    with StandIn(answer) as server:
        done = run_with("wf-score", *JUDGE, data=lines(inapplicable, unavailable), server=server)
        assert [record["reasons"]["judge"] for record in done.records] == [
            "inapplicable: too small",
            "unavailable: the cap is reached",
        ]
        assert done.code == 4
        assert server.calls == []
        goldens = tmp_path / "goldens.jsonl"
        goldens.write_bytes(lines(pair("a")["golden"], pair("b")["golden"]))
        done = run_with("wf-score", *JUDGE, "--golden", str(goldens), data=lines(pair("a")["golden"]), server=server)
        assert [(record["id"], record["scores"]["judge"]) for record in done.records] == [("a", 1.0), ("b", 0.0)]


def test_error_records_pass_and_bad_records_become_some(run_with: Any) -> None:
    error = {
        "kind": "error",
        "filter": "wf-x",
        "code": "E",
        "message": "m",
        "where": {"file": "-", "line": 1},
        "input": "",
    }
    cyclic = pair("cyclic")
    cyclic["golden"]["edges"].append(["6", "1"])
    with StandIn(answer) as server:
        done = run_with("wf-score", *JUDGE, data=lines(error, pair("a"), cyclic), server=server)
    assert [record["kind"] for record in done.records] == ["error", "pair", "error"]
    assert done.code == 3
    assert len(server.calls) == 3


def test_the_revision_is_told_and_part_of_the_signature(run_with: Any) -> None:
    def fingerprinted(call: Call) -> Response:
        response = answer(call)
        response.body |= {"model": "gpt-4o-2024-11-20", "system_fingerprint": "fp_1"}
        return response

    with StandIn(fingerprinted) as server:
        done = run_with("wf-score", "--metrics", "judge", "--judge-model", "gpt-4o", data=pairs(1), server=server)
    (record,) = done.records
    assert record["judge"]["model"] == "gpt-4o-2024-11-20"
    assert record["judge"]["fingerprints"] == ["fp_1"]
    signature = record["signatures"]["judge"]
    assert signature.startswith("wfkit=1|prompt=judge-1@")
    assert signature.endswith("|model=gpt-4o|temp=0|calls=3|revision=gpt-4o-2024-11-20")


def test_scoring_again_replaces_the_judgment(run_with: Any) -> None:
    with StandIn(answer) as server:
        once = run_with("wf-score", *JUDGE, data=pairs(1), server=server)
        again = run_with("wf-score", *JUDGE, "--max-calls", "0", "--no-cache", data=once.output, server=server)
    (record,) = again.records
    assert record["scores"] == {"judge": None}
    assert "judge" not in record["signatures"] and "judge" not in record["details"] and "judge" not in record
