"""What the stand-in model says: a judge that compares step texts, and a generator that makes the edits it is asked for.

Neither is a language model. They read the prompt and nothing else, so they prove that what the prompt must carry is in
it; of quality they prove nothing.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.llm.stand_in import Call, Response, StandIn, completion

LENIENT = "lenient"


def data_of(prompt: str) -> dict[str, Any]:
    """The data section of a judge's prompt: it opens once and closes once."""
    (inside,) = re.findall(r"^<workflows>$(.*?)^</workflows>$", prompt, re.DOTALL | re.MULTILINE)
    return json.loads(inside)


def judge(call: Call) -> Response:
    """Score by the share of golden step texts that are there; a model named lenient forgives one step."""
    data = data_of(call.prompt)
    golden, generated = ([node["text"] for node in data[side]["nodes"]] for side in ("golden", "generated"))
    missing = [text for text in golden if text not in generated]
    forgiven = 1 if LENIENT in call.body["model"] else 0
    score = round(5 * (1 - max(0, len(missing) - forgiven) / len(golden)))
    answer = {
        "initial_score": score, "final_score": score, "missing": missing,
        "extra": [text for text in generated if text not in golden], "reordered": [],
        "reason": f"{len(missing)} steps are missing",
    }  # fmt: skip
    return completion(json.dumps(answer), usage=(len(call.prompt) // 4, 60))


def generate(call: Call) -> Response:
    """Do what the last instruction of a generator's prompt asks for."""
    prompt = call.prompt
    if "Step: " in prompt:
        return completion(f"kindly {prompt.rpartition('Step: ')[2].splitlines()[0]}")
    asked = re.findall(r"Please (remove|compress|paraphrase) exactly (\d+) steps", prompt)
    what, count = asked[-1][0], int(asked[-1][1])
    shown = prompt.rpartition("Original workflow:\n")[2]
    steps = re.findall(r"^(\d+): (.*)$", shown.partition("Edge:")[0], re.MULTILINE)
    texts = [text for _, text in steps]
    if what == "remove":
        texts = texts[: len(texts) - count]
    elif what == "compress":
        texts = [" and ".join(texts[: count + 1]), *texts[count + 1 :]]
    else:
        texts = [f"kindly {text}" if place < count else text for place, text in enumerate(texts)]
    return completion(chain(texts), usage=(len(prompt) // 4, 100))


def chain(texts: list[str]) -> str:
    """A chain of steps in the Node:/Edge: form."""
    numbers = range(1, len(texts) + 1)
    edges = ["(START,1)", *(f"({number},{number + 1})" for number in numbers[:-1]), f"({len(texts)},END)"]
    return "\n".join(
        [
            "Node:",
            *(f"{number}: {text}" for number, text in zip(numbers, texts, strict=True)),
            "Edge: " + " ".join(edges),
        ]
    )


def answer(call: Call) -> Response:
    """Judge or generate, whichever the prompt asks for."""
    return judge(call) if "<workflows>" in call.prompt else generate(call)


def main() -> None:
    """Serve on a free port, print the address, and end with standard input."""
    delay = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0

    def delayed(call: Call) -> Response:
        response = answer(call)
        response.delay = delay
        return response

    with StandIn(delayed) as server:
        print(server.url, flush=True)
        sys.stdin.read()
        calls = server.calls
        span = max(call.ended for call in calls) - min(call.started for call in calls) if calls else 0.0
        print(json.dumps({"calls": len(calls), "seconds": span, "connections": server.connections}), flush=True)


if __name__ == "__main__":
    main()
