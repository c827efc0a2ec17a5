import assert from "node:assert/strict";
import { test } from "node:test";
import { isSame, readExact } from "../state/exact.js";
import type { Args, Change, CommandPart, Pending, Question, Redraw, Row, Shown } from "../state/wire.js";
import { commandRows, someParts } from "./command.js";
import { clockOf, markPassed, urgencyOf } from "./countdown.js";
import { draftOf, readDraft, switched, textField } from "./edit.js";
import { editedOf } from "./edited.js";
import { filesOf, repeatedRows } from "./files.js";
import { jsonRows } from "./jsonRows.js";
import { previewRows } from "./previewRows.js";
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
  assert.deepEqual(readDraft(draft), { args: { path: "a", content: "new" }, problem: null });
  assert.equal(draftOf(original, null).text, '{\n  "path": "a",\n  "content": "old"\n}');
});

test("JSON that is none, or is no object, is told and becomes no arguments", () => {
  const read = (text: string): Args | null => readDraft({ base: {}, field: null, text }).args;
  assert.deepEqual(["{", "[1]", "null"].map(read), [null, null, null]);
  assert.deepEqual(read('{"a": 1}'), { a: 1 });
});

test("an edit stays when its other form is chosen", () => {
  const original = { command: "make", cwd: "/prod" };
  const json = draftOf(original, null);
  const edited = { ...json, text: json.text.replace("/prod", "/tmp") };
  const back = switched(edited, "command");
  assert.deepEqual(readDraft(back).args, { command: "make", cwd: "/tmp" });
  const more = switched({ ...back, text: "make all" }, null);
  assert.deepEqual(readDraft(more).args, { command: "make all", cwd: "/tmp" });
});

test("what cannot be read, or is no text any more, is not thrown away by choosing another form", () => {
  const broken = { ...draftOf({ command: "make" }, null), text: '{"command": ' };
  assert.equal(switched(broken, "command"), broken);
  const number = { ...broken, text: '{"command": 5}' };
  assert.equal(switched(number, "command"), number);
});

test("a number too large for a browser is not changed by an edit of something else", () => {
  const original = readExact('{"text": "hi", "chat_id": 9007199254740993}') as Args;
  const edited = switched({ ...draftOf(original, "text"), text: "hello" }, null);
  assert.match(edited.text, /"chat_id": 9007199254740993/);
  const other = readDraft({ ...edited, text: edited.text.replace("993", "992").replace("hello", "hi") });
  assert.ok(other.args !== null && !isSame(other.args, original));
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

const PENDING: Pending = {
  id: "",
  call: { run: "", id: "", tool_name: "Read", args: {}, agents: [], group_id: null, metadata: {} },
  request: { description: "Read README.md", fingerprint: {}, reason: "", group_id: null, covers: "", wider: [] },
  preview: { presentation: { type: "read", description: "Read README.md", path: "README.md", file_exists: true }, evidence: [] },
  digest: "",
  created: 0,
  expires: null,
};

function redrawn(presentation: Shown | undefined, message: Partial<Question>): Redraw {
  const base = { description: "", reason: "", covers: "", file_path: null, diff_lines: [], tool_input: {}, preview_data: { is_new_file: true } };
  const asked = { ...base, ...message } as unknown as Question;
  const drawn = { verdict: "ask", reason: "", problem: null, digest: "d", message: asked, rows: null, schema: null } as const;
  return presentation === undefined ? drawn : { ...drawn, presentation };
}

test("an edited call shows what it would do itself, nothing of the call that was asked about", () => {
  const shown: Shown = { type: "read", description: "Read secrets.env", path: "secrets.env", file_exists: true, file_lines: 1, file_bytes: 6 };
  const edited = editedOf({ pending: PENDING }, redrawn(shown, { preview_type: "generic" }));
  assert.equal(edited?.shown.title, "Read secrets.env");
  assert.deepEqual(edited.shown.body.kind === "facts" && edited.shown.body.facts.map(([, value]) => value), ["secrets.env", "1 line, 6 bytes"]);
  assert.equal(edited.total, 2);
});

test("over a file that is no text, the text of the edit is shown", () => {
  const shown: Shown = { type: "write", description: "", path: "a.bin", content: "what was typed\n" };
  const data = { file_path: null, is_new_file: false, original_lines: 0, new_lines: 1, original_media_type: "application/octet-stream" };
  const edited = editedOf({ pending: PENDING }, redrawn(shown, { preview_type: "diff", preview_data: data }));
  assert.equal(edited?.shown.body.kind === "text" && edited.shown.body.text, "what was typed\n");
  assert.equal(edited?.shown.warnings[0]?.danger, true);
});

test("where nobody says what an edit shows, nothing of it counts as shown", () => {
  assert.equal(editedOf({ pending: PENDING }, redrawn(undefined, { preview_type: "generic" })), null);
});

test("of an edit with more rows than came, nobody has seen all", () => {
  const row: Row = { kind: "added", old: null, new: 1, text: "x", changed: [], tokens: [] };
  const drawn = redrawn({ type: "write", description: "" }, { preview_type: "diff", diff_lines: ["+x"] });
  assert.equal(editedOf({ pending: PENDING }, { ...drawn, rows: { rows: [row], offset: 0, total: 1 } })?.total, 1);
  assert.equal(editedOf({ pending: PENDING }, { ...drawn, rows: { rows: [row], offset: 0, total: 2 } })?.total, null);
});

test("in a list, a line that is cut short is told like a row that is left out", () => {
  const command = (text: string) => ({ command: text, parts: [], description: "", cwd: null, warnings: [], sandbox: "" });
  const asked = (text: string): number => {
    const { message } = redrawn(undefined, { preview_type: "command", preview_data: command(text) });
    assert.ok(message !== null);
    return previewRows({ pending: PENDING, message }, null, 8).cut;
  };
  assert.deepEqual([asked("echo short"), asked(`echo ${"a".repeat(320)} ; rm -rf x`)], [0, 1]);
});

test("rows that were seen together are one span", () => {
  assert.deepEqual(spansOf([1, 2, 3, 7]), [
    { first: 1, end: 4 },
    { first: 7, end: 8 },
  ]);
});
