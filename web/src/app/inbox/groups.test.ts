import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListItem } from "../../state/inbox.reduce.js";
import { after, grouped, inOrder, neighbour } from "./groups.js";

const item = (id: string, run: string, group: string | null = null): ListItem => ({
  id,
  request_id: id,
  digest: id,
  tool_name: "Write",
  description: id,
  reason: "",
  run,
  agents: [],
  group_id: group,
  created: 0,
  expires: null,
  seconds_left: null,
  presentation: "diff",
  tool_use_id: id,
  file_path: null,
});

test("questions stand together by run and by batch, oldest first", () => {
  const groups = grouped([item("a", "1", "x"), item("b", "2"), item("c", "1"), item("d", "1", "x")]);
  assert.deepEqual(inOrder(groups), ["a", "d", "c", "b"]);
  assert.deepEqual(groups.map((each) => each.batches.map((batch) => batch.items.length)), [[2, 1], [1]]);
});

test("the same batch name in two runs is two batches", () => {
  assert.equal(grouped([item("a", "1", "x"), item("b", "2", "x")]).length, 2);
});

test("J and K stay at the ends and begin at the first", () => {
  const order = ["a", "b", "c"];
  assert.equal(neighbour(order, null, 1), "a");
  assert.equal(neighbour(order, "b", 1), "c");
  assert.equal(neighbour(order, "c", 1), "c");
  assert.equal(neighbour(order, "a", -1), "a");
  assert.equal(neighbour(order, "gone", -1), "a");
  assert.equal(neighbour([], null, 1), null);
});

test("after an answer the next one is shown, then the one before, then nothing", () => {
  assert.equal(after(["a", "b", "c"], "b"), "c");
  assert.equal(after(["a", "b"], "b"), "a");
  assert.equal(after(["a"], "a"), null);
});
