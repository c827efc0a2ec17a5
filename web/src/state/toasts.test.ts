import assert from "node:assert/strict";
import { test } from "node:test";
import { type Toast, withRoom } from "./toasts.js";

function toasts(...bad: readonly boolean[]): readonly Toast[] {
  return bad.map((each, key) => ({ key, text: "", bad: each }));
}

function keys(shown: readonly Toast[]): readonly number[] {
  return shown.map((each) => each.key);
}

test("as long as there is room, everything stays", () => {
  assert.deepEqual(keys(withRoom(toasts(false, true, false, false))), [0, 1, 2, 3]);
});

test("what was not done stays longer than what was", () => {
  assert.deepEqual(keys(withRoom(toasts(true, false, false, true, false))), [0, 2, 3, 4]);
});

test("of what was not done, the oldest goes", () => {
  assert.deepEqual(keys(withRoom(toasts(true, true, true, true, true))), [1, 2, 3, 4]);
});
