import assert from "node:assert/strict";
import { test } from "node:test";
import { merged } from "./record.js";
import type { Past } from "./wire.js";

const past = (id: string, description = id): Past => ({
  id,
  tool_name: "Write",
  description,
  run: "run",
  agents: [],
  created: 0,
  proposed: {},
  approved: null,
  decision: null,
  executed: null,
});

test("what is loaded again stands once, as it is now, before what is older", () => {
  const after = merged([past("c"), past("b", "answered")], [past("b"), past("a")]);
  assert.deepEqual(after.map((each) => each.description), ["c", "answered", "a"]);
});
