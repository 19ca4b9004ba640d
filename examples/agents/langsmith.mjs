// LangSmith exports to episodes: one trace is one episode, its root run is the whole of it.
//
//   node langsmith.mjs runs.jsonl > episodes.jsonl
//   ap-grade --episodes episodes.jsonl --grader '…' --out runs.jsonl pairs.jsonl
//
// Reads runs, one a line, as `client.list_runs` gives them. The task is `extra.metadata.task_id` of the root run, else
// its name. Feedback called "score" or "correctness" is the native score, where the root run carries feedback_stats.
import { readFileSync } from "node:fs";

const SCORES = ["score", "correctness"];

const runs = process.argv.slice(2).flatMap((name) =>
  readFileSync(name, "utf8").split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line)));

const traces = new Map();
for (const run of runs) traces.set(run.trace_id, [...(traces.get(run.trace_id) ?? []), run]);

for (const trace of traces.values()) {
  const root = trace.find((run) => !run.parent_run_id);
  if (root === undefined) {
    console.error(`trace ${trace[0].trace_id} has no root run`);
    process.exitCode = 3;
    continue;
  }
  console.log(JSON.stringify(episode(root, trace)));
}

function episode(root, trace) {
  const models = trace.filter((run) => run.run_type === "llm").sort((a, b) => (a.start_time < b.start_time ? -1 : 1));
  const messages = models.flatMap(said);
  const calls = messages.flatMap((message) => message.tool_calls ?? []).map(({ function: called }) => ({
    name: called.name,
    arguments: parsed(called.arguments),
  }));
  const words = messages.length ? messages[messages.length - 1].content : null;
  const result = calls.length ? calls : words ?? root.outputs?.output ?? null;
  const metadata = root.extra?.metadata ?? {};
  const record = {
    kind: "episode",
    id: String(metadata.task_id ?? root.name),
    status: root.error || result === null ? "gave_up" : "done",
    result: root.error ? null : result,
    messages,
    usage: {
      input_tokens: sum(models.map((run) => run.prompt_tokens)),
      output_tokens: sum(models.map((run) => run.completion_tokens)),
    },
    turns: models.length,
    tool_calls: trace.filter((run) => run.run_type === "tool").length || calls.length,
  };
  if (root.error) Object.assign(record, { failure: "actor_error", message: String(root.error).slice(0, 300) });
  const score = SCORES.map((name) => root.feedback_stats?.[name]?.avg).find((value) => typeof value === "number");
  if (score !== undefined && !root.error) record.score = score;
  if (metadata.ls_model_name) record.model = metadata.ls_model_name;
  if (Number.isInteger(metadata.repeat)) record.repeat = metadata.repeat;
  return record;
}

function said(run) {
  const generations = run.outputs?.generations?.flat() ?? [];
  const direct = run.outputs?.choices?.map((choice) => choice.message) ?? [];
  return [...direct, ...generations.map((one) => one.message?.kwargs ?? { content: one.text })].map((message) => {
    const calls = message.additional_kwargs?.tool_calls ?? message.tool_calls ?? [];
    const tool_calls = calls.map((call) => call.function
      ? call
      : { id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) } });
    return { role: "assistant", content: message.content ?? "", ...(tool_calls.length ? { tool_calls } : {}) };
  });
}

function parsed(text) {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

function sum(values) {
  const known = values.filter(Number.isInteger);
  return known.length ? known.reduce((a, b) => a + b, 0) : null;
}
