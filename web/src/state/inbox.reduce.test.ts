import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerMessage } from "./events.js";
import { EMPTY, type Waiting, listed } from "./inbox.reduce.js";
import type { Hello, Question } from "./wire.js";

const question = (id: string, shown = id): Question => ({
  type: "tool_approval_request",
  request_id: shown,
  tool_name: "Write",
  tool_input: {},
  tool_use_id: `call-${id}`,
  preview_type: "generic",
  preview_data: { input: {}, description: "", type: "structured" },
  file_path: null,
  original_content: null,
  new_content: null,
  diff_lines: [],
  pending: id,
  digest: `digest-${shown}`,
  run: "run",
  agents: [],
  group_id: null,
  description: `do ${id}`,
  reason: "",
  created: 1,
  expires: null,
  covers: "",
  wider: [],
});
const ended = (shown: string): ServerMessage => ({
  type: "tool_approval_ended",
  request_id: shown,
  tool_use_id: "",
  run: "",
  content: { outcome: "approved", by: "ben", at: 2, note: "" },
});
const hello = (...pending: readonly Question[]): ServerMessage => ({
  type: "hello",
  content: { pending, you: "", running: false, permission_modes: {}, since: 0, head: 0, missed: false } satisfies Hello,
});
const after = (...messages: readonly ServerMessage[]): Waiting => messages.reduce(listed, EMPTY);
const ids = (waiting: Waiting): readonly string[] => waiting.items.map((each) => each.id);

test("a greeting says all that waits, and later questions come behind", () => {
  assert.deepEqual(ids(after(hello(question("a")), question("b"))), ["a", "b"]);
});

test("the same question told twice stands once", () => {
  assert.deepEqual(ids(after(question("a"), question("a"))), ["a"]);
});

test("what ended waits no more, and who was first is known", () => {
  const over = after(question("a"), question("b"), ended("a"));
  assert.deepEqual(ids(over), ["b"]);
  assert.deepEqual([over.ended["a"]?.by, over.ended["a"]?.item.description], ["ben", "do a"]);
});

test("what ended while nobody was connected is known after coming back", () => {
  const back = after(question("a"), hello(), ended("a"));
  assert.deepEqual(ids(back), []);
  assert.equal(back.ended["a"]?.by, "ben");
});

test("a question drawn anew is the one that waits, and is not chosen any more", () => {
  const chosen = { ...after(question("a", "first")), selected: new Set(["a"]) };
  const anew = [question("a", "second"), ended("first")].reduce(listed, chosen);
  assert.deepEqual(anew.items.map((each) => each.request_id), ["second"]);
  assert.equal(anew.selected.has("a"), false);
});

test("only what still waits stays chosen", () => {
  const chosen = { ...after(question("a"), question("b")), selected: new Set(["a", "b"]) };
  assert.deepEqual([...listed(chosen, ended("a")).selected], ["b"]);
  assert.deepEqual([...listed(chosen, hello(question("a"))).selected], ["a"]);
});

test("an end of something never shown here changes nothing", () => {
  const before = after(question("a"));
  assert.equal(listed(before, ended("zzz")), before);
});
