// An actor that gives up at once: what it scores, a grader pays for nothing.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ kind: "episode", id, status: "gave_up", result: null, turns: 1, tool_calls: 0 }));
}
