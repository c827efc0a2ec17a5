import assert from "node:assert/strict";
import { test } from "node:test";
import type { Past } from "../../state/wire.js";
import { strings } from "../../strings.js";
import { isChanged, kindOf, matching } from "./matching.js";

const past = (some: Partial<Past>): Past => ({
  id: "1",
  tool_name: "Write",
  description: "Write notes.txt",
  run: "run",
  agents: [],
  created: 0,
  proposed: { a: 1 },
  approved: null,
  decision: null,
  executed: null,
  ...some,
});
const decided = (kind: string, by = "ana"): Past["decision"] => ({ kind, note: "", by, at: 1 });

test("what nobody ended still waits, and what time ended was not approved", () => {
  assert.equal(kindOf(past({})), "waiting");
  assert.equal(kindOf(past({ decision: decided("expired") })), "refused");
  assert.equal(kindOf(past({ decision: decided("approve") })), "approved");
});

test("every word must be found, wherever it stands", () => {
  const items = [past({ decision: decided("approve") }), past({ id: "2", tool_name: "Bash", description: "run ls" })];
  assert.deepEqual(matching(items, "all", "NOTES ana").map((each) => each.id), ["1"]);
  assert.deepEqual(matching(items, "waiting", "").map((each) => each.id), ["2"]);
  assert.deepEqual(matching(items, "failed", ""), []);
});

test("an edit and a choice of hunks are changes", () => {
  assert.equal(isChanged(past({ approved: { a: 1 } })), false);
  assert.equal(isChanged(past({ approved: { a: 2 } })), true);
  assert.equal(isChanged(past({ decision: { kind: "approve", note: "", by: "", at: 0, hunks: [0] } })), true);
  assert.equal(isChanged(past({})), false);
});

test("of a choice of hunks it is said which were approved", () => {
  assert.equal(strings.history.some([0, 2], 4), "changes 1 and 3 of 4 were approved");
  assert.equal(strings.history.some([1, 2, 4], 6), "changes 2, 3 and 5 of 6 were approved");
  assert.equal(strings.history.some([0], 2), "change 1 of 2 was approved");
});
