import assert from "node:assert/strict";
import { test } from "node:test";
import { type Press, Quiet, actionOf, endsWriting, takesText } from "./keys.js";

const press = (key: string, some: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  isComposing: false,
  ...some,
});

test("single keys act, in either case", () => {
  assert.deepEqual(["j", "K", "a", "R", "?"].map((key) => actionOf(press(key))), ["next", "previous", "approve", "reject", "help"]);
});

test("keys of the browser stay with the browser", () => {
  assert.equal(actionOf(press("a", { ctrlKey: true })), null);
  assert.equal(actionOf(press("r", { metaKey: true })), null);
  assert.equal(actionOf(press("Tab")), null);
});

test("a key that is held down decides nothing", () => {
  assert.equal(actionOf(press("a", { repeat: true })), null);
  assert.equal(actionOf(press("j", { repeat: true })), "next");
});

test("fields take text, checkboxes do not", () => {
  assert.equal(takesText({ tagName: "TEXTAREA" }), true);
  assert.equal(takesText({ tagName: "INPUT", type: "text" }), true);
  assert.equal(takesText({ tagName: "INPUT", type: "checkbox" }), false);
  assert.equal(takesText({ tagName: "BUTTON" }), false);
});

test("somebody who writes decides nothing, however long they think between two letters", () => {
  const quiet = new Quiet();
  assert.equal(quiet.isTypingAhead(0), false);
  quiet.typed(1000);
  assert.equal(quiet.isTypingAhead(1300), true);
  assert.equal(quiet.isTypingAhead(60_000), true);
});

test("whoever did something else has done with writing, after a pause", () => {
  const quiet = new Quiet();
  quiet.typed(1000);
  quiet.acted();
  assert.equal(quiet.isTypingAhead(1300), true);
  assert.equal(quiet.isTypingAhead(1900), true);
  assert.equal(quiet.isTypingAhead(2700), false);
});

test("leaving a field ends writing, moving in it does not", () => {
  const ends = (key: string, inField: boolean, some: Partial<Press> = {}): boolean => endsWriting(press(key, some), inField);
  assert.ok(ends("Tab", true) && ends("Escape", true) && ends("Enter", true, { ctrlKey: true }));
  assert.ok(!ends("ArrowDown", true) && !ends("Home", true) && !ends("Enter", true) && !ends("a", true));
  assert.ok(ends("ArrowDown", false) && ends("PageDown", false));
  assert.ok(!ends("a", false) && !ends(" ", false) && !ends("Backspace", false) && !ends("Enter", false));
});
