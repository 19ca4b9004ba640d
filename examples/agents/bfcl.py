"""BFCL: instances, the published pairs, and the native grader, out of the installed package ``bfcl-eval``.

    python bfcl.py instances simple_python multiple multi_turn_base > instances.jsonl
    python bfcl.py base > base.jsonl                        # whole multi-turn tasks: the clean side of published pairs
    python bfcl.py published miss_param > candidates.jsonl  # or miss_func, long_context; for ap-pair --candidates
    python bfcl.py changed_numbers simple_python > candidates.jsonl  # the first number of each request is another one
    ap-pair --grader 'python bfcl.py grade' instances.jsonl

Nothing is copied: tasks, state machines and checkers are read where they are installed. A multi-turn task is cut at its
last turn; the turns before it, played with their reference calls, are the context.
"""

import ast
import contextlib
import importlib
import importlib.util
import io
import json
import re
import sys
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

Record = dict[str, Any]

VARIANTS = {"miss_param": "user/missing", "miss_func": "tools/missing", "long_context": "context/redundant"}


def package() -> Path:
    found = importlib.util.find_spec("bfcl_eval")
    if found is None or not found.submodule_search_locations:
        sys.exit("bfcl-eval is not installed here")
    return Path(found.submodule_search_locations[0])


def rows(category: str, folder: str = "") -> list[Record]:
    path = package() / "data" / folder / f"BFCL_v4_{category}.json"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


@cache
def documents(class_name: str) -> list[Record]:
    from bfcl_eval.constants.executable_backend_config import MULTI_TURN_FUNC_DOC_FILE_MAPPING as FILES

    path = package() / "data" / "multi_turn_func_doc" / FILES[class_name]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def functions_of(row: Record) -> list[Record]:
    excluded = row.get("excluded_function", [])
    return [one for name in row["involved_classes"] for one in documents(name) if one["name"] not in excluded]


# Single turn


def single_turn(category: str) -> Iterator[Record]:
    answers = {row["id"]: row["ground_truth"] for row in rows(category, "possible_answer")}
    for row in rows(category):
        turn = row["question"][0]
        last = max(place for place, message in enumerate(turn) if message["role"] == "user")
        pointers = {"user": [f"/question/0/{last}/content"], "tools": ["/function"]}
        system = [f"/question/0/{place}/content" for place, one in enumerate(turn) if one["role"] == "system"]
        if system:
            pointers["procedure"] = system
        yield {
            "kind": "instance", "id": row["id"], "benchmark": f"bfcl_{category}", "task": row["id"], "scale": "binary",
            "public": {"question": row["question"], "function": row["function"]},
            "pointers": pointers, "dialect": "bfcl",
            "private": {"reference": [first_choice(call) for call in answers[row["id"]]], "entry": row["id"]},
        }  # fmt: skip


def first_choice(call: Record) -> Record:
    """The call that takes the first listed value of each argument, and leaves out what may be left out."""
    ((name, arguments),) = call.items()
    return {"name": name, "arguments": {key: chosen(values) for key, values in arguments.items() if "" not in values}}


def chosen(values: Any) -> Any:
    value = values[0]
    if isinstance(value, dict):
        return {key: chosen(inner) for key, inner in value.items() if "" not in inner}
    if isinstance(value, list):
        return [
            {key: chosen(inner) for key, inner in one.items() if "" not in inner} if isinstance(one, dict) else one
            for one in value
        ]
    return value


# Multi turn


def multi_turn(category: str) -> Iterator[Record]:
    answers = {row["id"]: row["ground_truth"] for row in rows(category, "possible_answer")}
    for row in rows(category):
        functions, truth = functions_of(row), answers[row["id"]]
        *earlier, last = row["question"]
        messages: list[Record] = []
        for turn, asked in enumerate(earlier):
            messages += asked
            messages += played(row, functions, truth[turn], f"{turn}")
        first = len(messages)
        reference = [call_of(text, functions) for text in truth[len(earlier)]]
        outputs = execute(row, truth[len(earlier)])
        user = [f"/messages/{first + place}/content" for place in range(len(last))]
        yield {
            "kind": "instance", "id": row["id"], "benchmark": f"bfcl_{category}", "task": row["id"], "scale": "binary",
            "public": {"messages": [*messages, *last], "function": functions},
            "pointers": {
                "user": user, "context": [f"/messages/{place}" for place in range(first)], "tools": ["/function"],
            },
            "dialect": "bfcl",
            "private": {
                "reference": reference,
                "observations": [{"call": place, "output": output} for place, output in enumerate(outputs)],
                "interactive": True,
                "entry": row["id"],
            },
        }  # fmt: skip
        forget()


def played(row: Record, functions: list[Record], calls: list[str], prefix: str) -> list[Record]:
    """One turn of the assistant: its calls, each with its answer."""
    if not calls:
        return []
    outputs = execute(row, calls)
    made = [call_of(text, functions) for text in calls]
    ids = [f"call_{prefix}_{place}" for place in range(len(calls))]
    return [
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": one, "type": "function", "function": {**call, "arguments": json.dumps(call["arguments"])}}
            for one, call in zip(ids, made, strict=True)
        ]},
        *({"role": "tool", "tool_call_id": one, "content": output} for one, output in zip(ids, outputs, strict=True)),
    ]  # fmt: skip


def call_of(text: str, functions: list[Record]) -> Record:
    """``sort('a.txt')`` as a name and arguments; unnamed ones get the names of the contract."""
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    name = ast.unparse(node.func)
    names = next((list(one["parameters"]["properties"]) for one in functions if one["name"] == name), [])
    arguments = {key: ast.literal_eval(value) for key, value in zip(names, node.args, strict=False)}
    return {"name": name, "arguments": arguments | {one.arg: ast.literal_eval(one.value) for one in node.keywords}}


def execute(row: Record, calls: list[str], *, model: str = "reader", long_context: bool = False) -> list[str]:
    from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call

    with contextlib.redirect_stdout(io.StringIO()):
        outputs, _ = execute_multi_turn_func_call(
            calls, row["initial_config"], row["involved_classes"], model, row["id"], long_context, False
        )
    return [str(output) for output in outputs]


def forget() -> None:
    """Drop the environments that the package keeps as globals, or every task would stay in memory."""
    from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils

    for name in [name for name in vars(multi_turn_utils) if name.endswith("_instance")]:
        delattr(multi_turn_utils, name)


# The published pairs


def whole(variant: str) -> Iterator[Record]:
    """Uncut multi-turn tasks: all requests, all tools, the environment, and all reference calls."""
    answers = {row["id"]: row["ground_truth"] for row in rows(f"multi_turn_{variant}", "possible_answer")}
    for row in rows(f"multi_turn_{variant}"):
        number = row["id"].rpartition("_")[2]
        missed = {name for names in row.get("missed_function", {}).values() for name in names}
        questions = [turn for turn in row["question"] if turn]  # an empty turn brings the missed function
        answer = None
        if variant == "miss_param":
            # The turn after the one without reference calls brings the missing value.
            place = next((at for at, calls in enumerate(answers[row["id"]]) if not calls), None)
            if place is not None and place + 1 < len(questions):
                answer = questions[place + 1][0]["content"]
                questions = questions[: place + 1] + questions[place + 2 :]
        yield {
            "id": f"multi_turn_{number}",
            "public": {
                "question": questions,
                "environment": environment(row, variant == "long_context"),
                "function": [one for one in functions_of(row) if one["name"] not in missed],
            },
            "private": {
                "reference": [call_of(text, functions_of(row)) for calls in answers[row["id"]] for text in calls],
                "initial_config": row["initial_config"],
                "interactive": True,
            },
            "answer": answer,
            "missed": sorted(missed),
        }


def environment(row: Record, long_context: bool) -> Record:
    """The state that is carried over, as far as it is plain data."""
    from bfcl_eval.constants.executable_backend_config import CLASS_FILE_PATH_MAPPING, STATELESS_CLASSES

    states = {}
    for name in row["involved_classes"]:
        if name not in STATELESS_CLASSES:
            instance = getattr(importlib.import_module(CLASS_FILE_PATH_MAPPING[name]), name)()
            instance._load_scenario(
                json.loads(json.dumps(row["initial_config"].get(name, {}))), long_context=long_context
            )
            states[name] = {key: plain(value) for key, value in vars(instance).items() if plain(value) is not None}
    return states


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, str | int | float | bool):
        return value if not isinstance(value, bool) else None
    if hasattr(value, "contents"):
        return {name: plain(inner) for name, inner in value.contents.items()}
    return value.content if hasattr(value, "content") else None


def base() -> Iterator[Record]:
    for one in whole("base"):
        yield {
            "kind": "instance", "id": one["id"], "benchmark": "bfcl_multi_turn", "task": one["id"], "scale": "binary",
            "public": one["public"],
            "pointers": {"user": ["/question"], "context": ["/environment"], "tools": ["/function"]},
            "dialect": "bfcl", "private": one["private"],
        }  # fmt: skip


def published(variant: str) -> Iterator[Record]:
    target, _, type_ = VARIANTS[variant].partition("/")
    for one in whole(variant):
        record = {
            "kind": "ap_pair", "instance": one["id"], "target": target, "type": type_,
            "perturbed": {"public": one["public"]}, "private": one["private"],
        }  # fmt: skip
        if one["answer"]:
            note = "The user says it in the next turn."
            record["recovery"] = {"by": "user", "answer": one["answer"], "restores": [one["answer"]], "note": note}
        if one["missed"]:
            record["recovery"] = {"by": "user", "restores": one["missed"], "note": "The tool is shown a turn later."}
        yield record


def changed_numbers(category: str) -> Iterator[Record]:
    """Edits that change the goal though they are valid JSON: what a verifier is for."""
    for instance in single_turn(category):
        public = json.loads(json.dumps(instance["public"]))
        message = public["question"][0][int(instance["pointers"]["user"][0].split("/")[3])]
        number = re.search(r"\d+", message["content"])
        if number:
            text = message["content"]
            message["content"] = f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}"
            yield {
                "kind": "ap_pair", "instance": instance["id"], "target": "user", "type": "incorrect",
                "perturbed": {"public": public},
            }  # fmt: skip


# The native grader


def grade(message: Record) -> Record:
    entry, result = message["private"]["entry"], message["episode"].get("result")
    if not isinstance(result, list):
        return {"id": message["id"], "score": 0, "message": "no list of calls"}
    category = entry.rpartition("_")[0]
    check = grade_multi_turn if category.startswith("multi_turn") else grade_single_turn
    with contextlib.redirect_stdout(io.StringIO()):
        valid, said = check(category, entry, result)
    return {"id": message["id"], "score": int(valid), **({"message": str(said)[:300]} if said else {})}


@cache
def table(category: str, folder: str = "") -> dict[str, Record]:
    return {row["id"]: row for row in rows(category, folder)}


def grade_single_turn(category: str, entry: str, calls: list[Record]) -> tuple[bool, Any]:
    # The checker imports the table of all models, and with it the software of every vendor, for one flag.
    stand_in = types.ModuleType("bfcl_eval.constants.model_config")
    stand_in.MODEL_CONFIG_MAPPING = {"none": types.SimpleNamespace(underscore_to_dot=False)}  # type: ignore[attr-defined]
    sys.modules.setdefault(stand_in.__name__, stand_in)
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    output = [{call["name"]: call["arguments"]} for call in calls]
    truth = table(category, "possible_answer")[entry]["ground_truth"]
    if len(output) != len(truth):
        return False, f"{len(output)} calls instead of {len(truth)}"
    found = ast_checker(table(category)[entry]["function"], output, truth, Language.PYTHON, category, "none")
    return found["valid"], found.get("error")


def grade_multi_turn(category: str, entry: str, calls: list[Record]) -> tuple[bool, Any]:
    from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

    truth = table(category, "possible_answer")[entry]["ground_truth"]
    made = [
        [f"{one['name']}({', '.join(f'{key}={value!r}' for key, value in one['arguments'].items())})" for one in calls]
    ]
    forget()
    found = multi_turn_checker(
        [*([turn] for turn in truth[:-1]), made], truth, table(category)[entry], category, "none"
    )
    forget()
    return found["valid"], found.get("error_type")


def main(arguments: list[str]) -> None:
    match arguments:
        case ["instances", *categories] if categories:
            for category in categories:
                emit(multi_turn(category) if category.startswith("multi_turn") else single_turn(category))
        case ["base"]:
            emit(base())
        case ["changed_numbers", category]:
            emit(changed_numbers(category))
        case ["published", variant] if variant in VARIANTS:
            emit(published(variant))
        case ["grade"]:
            for line in sys.stdin:
                print(json.dumps(grade(json.loads(line))), flush=True)
        case _:
            sys.exit(__doc__)


def emit(records: Iterator[Record]) -> None:
    for record in records:
        print(json.dumps(record, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1:])
