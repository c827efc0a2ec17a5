import assert from "node:assert/strict";
import { test } from "node:test";
import type { Past } from "../../state/wire.js";
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
  assert.equal(isChanged(past({ approved: { a: 1 }, decision: { kind: "approve", note: "", by: "", at: 0, hunks: [0] } })), true);
  assert.equal(isChanged(past({})), false);
});
