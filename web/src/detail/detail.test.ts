import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change, CommandPart, Row } from "../state/wire.js";
import { commandRows, someParts } from "./command.js";
import { clockOf, markPassed, urgencyOf } from "./countdown.js";
import { draftOf, isSame, readDraft, textField } from "./edit.js";
import { filesOf, repeatedRows } from "./files.js";
import { jsonRows } from "./jsonRows.js";
import { FIRST_WISH, isWhole, lastsIn, remembered } from "./remember.js";
import { spansOf } from "./useSeen.js";

test("the time left is short to read, and near its end it says so", () => {
  assert.deepEqual([301, 65, 9.2, 0, -3].map(clockOf), ["5:01", "1:05", "0:10", "0:00", "0:00"]);
  assert.deepEqual([3600, 7200 + 600, 86_400 * 3].map(clockOf), ["1 h 0 min", "2 h 10 min", "3 d 0 h"]);
  assert.deepEqual([61, 60, 10, 0].map(urgencyOf), ["calm", "soon", "now", "over"]);
});

test("it is said aloud at a minute and at ten seconds, once each", () => {
  const said: number[] = [];
  for (let left = 75; left > -5; left -= 1) {
    const mark = markPassed(left + 1, left);
    if (mark !== null) said.push(mark);
  }
  assert.deepEqual(said, [60, 10]);
  assert.equal(markPassed(120, 5), 60);
});

test("what a person edits first is the command or the new text", () => {
  assert.equal(textField({ path: "a", content: "x" }), "content");
  assert.equal(textField({ command: "ls", cwd: null }), "command");
  assert.equal(textField({ content: 5 }), null);
});

test("an edited text becomes the arguments, the others stay", () => {
  const original = { path: "a", content: "old" };
  const draft = { ...draftOf(original, "content"), text: "new" };
  assert.deepEqual(readDraft(original, draft), { args: { path: "a", content: "new" }, problem: null });
  assert.equal(draftOf(original, null).text, '{\n  "path": "a",\n  "content": "old"\n}');
});

test("JSON that is none, or is no object, is told and becomes no arguments", () => {
  assert.equal(readDraft({}, { field: null, text: "{" }).args, null);
  assert.equal(readDraft({}, { field: null, text: "[1]" }).args, null);
  assert.equal(readDraft({}, { field: null, text: "null" }).args, null);
  assert.deepEqual(readDraft({}, { field: null, text: '{"a": 1}' }).args, { a: 1 });
});

test("the order of the arguments is no edit", () => {
  assert.ok(isSame({ a: 1, b: { c: [1, 2], d: 0 } }, { b: { d: 0, c: [1, 2] }, a: 1 }));
  assert.ok(!isSame({ a: [1, 2] }, { a: [2, 1] }));
});

test("a wish becomes the part of the answer that is remembered", () => {
  const base = { covers: "", every_agent: false };
  assert.deepEqual(remembered(FIRST_WISH), { ...base, scope: "session" });
  assert.deepEqual(remembered({ ...FIRST_WISH, lasts: "minutes", minutes: 5 }), { ...base, scope: "session", seconds: 300 });
  assert.deepEqual(remembered({ ...FIRST_WISH, lasts: "calls" }), { ...base, scope: "session", calls: 3 });
  assert.deepEqual(remembered({ ...FIRST_WISH, lasts: "always", covers: "x", everyAgent: true }), {
    covers: "x",
    every_agent: true,
    scope: "always",
  });
  assert.ok(!isWhole({ ...FIRST_WISH, lasts: "calls", calls: Number.NaN }));
  assert.ok(!isWhole({ ...FIRST_WISH, lasts: "minutes", minutes: 0 }));
  assert.equal(lastsIn({ ...FIRST_WISH, lasts: "minutes" }, ["main", "sub"]), "for 15 minutes, only main › sub");
});

const part = (text: string, start: number, verdict: CommandPart["verdict"]): CommandPart => ({
  text,
  start,
  end: start + text.length,
  verdict,
  rule: "",
  why: "",
});

test("in a command only what is not allowed is marked, on whichever line it is", () => {
  const command = "ls\nrm -rf x";
  const parts = [part("ls", 0, "allow"), part("rm -rf x", 3, "ask")];
  const about = { command, parts, description: "", cwd: null, warnings: [], sandbox: "" };
  assert.deepEqual(
    commandRows(about).map((row) => row.changed),
    [[], [[0, 8]]],
  );
  const none = { ...about, parts: [part("rm -rf x", 3, "ask")] };
  assert.ok(commandRows(none).every((row) => row.changed.length === 0));
});

test("a flood of allowed parts does not hide the one that asks", () => {
  const parts = [...Array.from({ length: 100 }, (_, at) => part("true", at * 5, "allow")), part("rm x", 600, "ask")];
  const some = someParts(parts);
  assert.equal(some.length, 31);
  assert.equal(some.at(-1)?.verdict, "ask");
});

const change = (path: string, unified_diff: string, more: Partial<Change> = {}): Change => {
  const version = { sha256: "", bytes: 1, lines: 1, media_type: null };
  return { path, unified_diff, diff_lines: 0, escaped: false, before: version, after: version, ...more };
};

test("each file begins at the row where the server puts its head", () => {
  const one = change("a", "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n");
  const two = change("b", "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+++ looks like a head\n", { before: null });
  const files = filesOf([one, two]);
  assert.deepEqual(
    files.map(({ row, added, removed, state }) => [row, added, removed, state]),
    [
      [0, 1, 1, "changed"],
      [5, 1, 0, "added"],
    ],
  );
});

test("only a head that repeats what stands above is left out", () => {
  const row = (kind: Row["kind"], text: string): Row => ({ kind, old: null, new: null, text, changed: [], tokens: [] });
  const rows = [row("file", "src/a.py"), row("hunk", "@@ -1,2 +1,2 @@")];
  const at = (index: number): Row | undefined => rows[index];
  assert.equal(repeatedRows(at, "work/src/a.py", 1), 2);
  assert.equal(repeatedRows(at, "work/src/b.py", 1), 0);
  assert.equal(repeatedRows(at, "work/src/a.py", 2), 0);
  rows[1] = row("hunk", "@@ -9,2 +9,2 @@");
  assert.equal(repeatedRows(at, "src/a.py", 1), 1);
});

test("JSON has its colours, counted in code points", () => {
  const [, line] = jsonRows('{\n  "😀": "x", \n  "n": -1.5e3\n}');
  assert.deepEqual(line?.tokens, [
    { start: 2, end: 5, kind: "name" },
    { start: 7, end: 10, kind: "string" },
  ]);
});

test("rows that were seen together are one span", () => {
  assert.deepEqual(spansOf([1, 2, 3, 7]), [
    { first: 1, end: 4 },
    { first: 7, end: 8 },
  ]);
});
