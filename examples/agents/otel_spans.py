"""OpenTelemetry GenAI spans to episodes: one trace is one episode.

    python otel_spans.py traces.json > episodes.jsonl
    ap-grade --episodes episodes.jsonl --grader '…' --out runs.jsonl pairs.jsonl

Reads OTLP/JSON (`resourceSpans`, one document or one a line). The task is the attribute `wfkit.task.id` or
`gen_ai.conversation.id` of any span of the trace; a trace without either is named on stderr, and the exit code is 3.
Contents are recorded only where the instrumentation was told to (they are off by default), and the conventions are
still in development: both the present names and the older ones are read.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]

TASK = ("wfkit.task.id", "gen_ai.conversation.id")
TOKENS = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
}
MODEL = ("gen_ai.response.model", "gen_ai.request.model")
OUTPUT = ("gen_ai.output.messages", "gen_ai.completion")


def documents(names: list[str]) -> Iterator[Record]:
    for name in names or ["/dev/stdin"]:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        try:
            yield json.loads(text)
        except ValueError:
            yield from map(json.loads, filter(str.strip, text.splitlines()))


def plain(value: Record) -> Any:
    """An attribute's value, out of its wrapper."""
    if "arrayValue" in value:
        return [plain(one) for one in value["arrayValue"].get("values", [])]
    if "kvlistValue" in value:
        return {one["key"]: plain(one["value"]) for one in value["kvlistValue"].get("values", [])}
    (kind, inner), *_ = value.items()
    return int(inner) if kind == "intValue" else inner


def spans(names: list[str]) -> Iterator[Record]:
    for document in documents(names):
        for resource in document.get("resourceSpans", []):
            for scope in resource.get("scopeSpans", []):
                for span in scope.get("spans", []):
                    attributes = {one["key"]: plain(one["value"]) for one in span.get("attributes", [])}
                    yield {**span, "attributes": attributes}


def first(attributes: Record, names: tuple[str, ...]) -> Any:
    return next((attributes[name] for name in names if name in attributes), None)


def parsed(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def messages_of(span: Record) -> list[Record]:
    """What the model said in one span, as chat messages."""
    output = parsed(first(span["attributes"], OUTPUT))
    if isinstance(output, str):
        return [{"role": "assistant", "content": output}]
    found = []
    for message in output or []:
        texts, calls = [message["content"]] if isinstance(message.get("content"), str) else [], []
        for part in message.get("parts") or []:
            if part.get("type") == "text":
                texts.append(part.get("content", ""))
            elif part.get("type") == "tool_call":
                arguments = part.get("arguments")
                text = arguments if isinstance(arguments, str) else json.dumps(arguments)
                function = {"name": part.get("name"), "arguments": text}
                calls.append({"id": part.get("id"), "type": "function", "function": function})
        found.append({"role": "assistant", "content": "\n".join(texts), **({"tool_calls": calls} if calls else {})})
    return found


def episode(trace: list[Record]) -> Record | None:
    trace.sort(key=lambda span: int(span.get("startTimeUnixNano") or 0))
    task = next((name for span in trace if (name := first(span["attributes"], TASK)) is not None), None)
    if task is None:
        print(f"trace {trace[0].get('traceId')} names no task ({' or '.join(TASK)})", file=sys.stderr)
        return None
    # A span of an agent repeats the sums of the calls in it: only calls of the model count.
    asked = [span for span in trace if span["attributes"].get("gen_ai.operation.name") in ("chat", "text_completion")]
    messages = [message for span in asked for message in messages_of(span)]
    calls = [call["function"] for message in messages for call in message.get("tool_calls", [])]
    usage = {
        key: sum(int(value) for span in asked if (value := first(span["attributes"], names)) is not None)
        for key, names in TOKENS.items()
    }
    result: Any = [{"name": call["name"], "arguments": parsed(call["arguments"])} for call in calls]
    if not result:
        result = messages[-1]["content"] if messages else None
    answer: Record = {
        "kind": "episode", "id": str(task), "status": "gave_up" if result is None else "done", "result": result,
        "messages": messages, "usage": usage, "turns": len(asked), "tool_calls": len(calls),
    }  # fmt: skip
    failed = next((span for span in trace if not span.get("parentSpanId") and failing(span)), None)
    if failed is not None:
        message = str(failed["status"].get("message") or "the trace ended with an error")[:300]
        answer |= {"status": "gave_up", "result": None, "failure": "actor_error", "message": message}
    model = next((name for span in asked if (name := first(span["attributes"], MODEL))), None)
    return {**answer, "model": model} if model else answer


def failing(span: Record) -> bool:
    return (span.get("status") or {}).get("code") in (2, "STATUS_CODE_ERROR")


def main() -> None:
    traces: dict[str, list[Record]] = defaultdict(list)
    for span in spans(sys.argv[1:]):
        traces[span.get("traceId", "")].append(span)
    found = [one for trace in traces.values() if (one := episode(trace)) is not None]
    for record in found:
        print(json.dumps(record, ensure_ascii=False))
    if len(found) < len(traces):
        sys.exit(3)


if __name__ == "__main__":
    main()
