import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces } from "./marks.js";

test("text without marks is one piece", () => {
  assert.deepEqual(pieces("a <b> *c*\n- d"), [{ kind: "plain", text: "a <b> *c*\n- d" }]);
});

test("code, bold and fences are pieces of their own", () => {
  assert.deepEqual(pieces("run `ls` **now**:\n```sh\nls `x`\n```\nend"), [
    { kind: "plain", text: "run " },
    { kind: "code", text: "ls" },
    { kind: "plain", text: " " },
    { kind: "strong", text: "now" },
    { kind: "plain", text: ":" },
    { kind: "block", text: "ls `x`" },
    { kind: "plain", text: "end" },
  ]);
});

test("a fence that is still being written is a block already", () => {
  assert.deepEqual(pieces("```\nhalf"), [{ kind: "block", text: "half" }]);
});

test("a flood of line breaks takes no longer than another text", () => {
  const breaks = "\n".repeat(1_000_000);
  assert.deepEqual(pieces(`y${breaks}x\n\`\`\`\ncode\n\`\`\``), [
    { kind: "plain", text: `y${breaks}x` },
    { kind: "block", text: "code" },
  ]);
});
