import assert from "node:assert/strict";
import { test } from "node:test";
import type { Grant } from "../../state/wire.js";
import { covers } from "./covers.js";

const grant = (some: Partial<Grant>): Grant => ({
  id: "1",
  operation: "",
  tool_name: "Bash",
  description: "exactly this command, in /work",
  allow: true,
  scope: "always",
  run: null,
  agents: null,
  by: "ana",
  at: 0,
  note: "",
  pattern: "",
  expires: null,
  calls: null,
  ...some,
});

test("of a command the command itself is shown", () => {
  const found = covers(grant({ operation: '["Bash",{"command":"ls | sh","cwd":"/work"}]' }));
  assert.deepEqual(found, { title: "ls | sh", exact: true, more: "exactly this command, in /work" });
});

test("a pattern says it best", () => {
  assert.equal(covers(grant({ pattern: "git push *", operation: '["wider","x",{"command":"no"}]' })).title, "git push *");
});

test("without either, the description says it", () => {
  const odd = ["", "{", "[]", "7", '["Write",{"path":"a"}]', '["Bash",{"command":7}]'];
  assert.deepEqual(odd.map((operation) => covers(grant({ operation })).title), Array(6).fill("exactly this command, in /work"));
});
