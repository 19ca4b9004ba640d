// A grader for any benchmark: 1 if the episode's result is the reference, key order aside; else 0.
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, private: { reference }, episode } = JSON.parse(line);
  const answer = reference === undefined
    ? { id, score: null, failure: "the instance has no reference" }
    : { id, score: isDeepStrictEqual(episode.result, reference) ? 1 : 0 };
  console.log(JSON.stringify(answer));
}
