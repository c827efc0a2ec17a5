import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS, readSettings } from "./settings.js";

test("what was kept is read, and odd values are as by default", () => {
  assert.deepEqual(readSettings('{"theme":"dark","shortcuts":false,"wrap":"yes","diff":"split"}'), {
    ...DEFAULTS,
    theme: "dark",
    shortcuts: false,
    diff: "split",
  });
});

test("nothing, or nonsense, is the default", () => {
  assert.deepEqual([null, "", "{", "[1]", "7"].map(readSettings), Array(5).fill(DEFAULTS));
});
