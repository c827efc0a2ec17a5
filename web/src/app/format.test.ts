import assert from "node:assert/strict";
import { test } from "node:test";
import { readMessage } from "../state/events.js";
import type { Args } from "../state/wire.js";
import { ago, brief, chain, countdown, folder, gist, money, short, span, words } from "./format.js";

test("a length of time is told in its largest unit", () => {
  assert.deepEqual([0, 59, 60, 3599, 3600, 86_400 * 3].map(span), ["0 s", "59 s", "1 min", "59 min", "1 h", "3 d"]);
});

test("a countdown counts seconds and never runs below nothing", () => {
  assert.deepEqual([300, 61.2, 9, 0, -5, 7200].map(countdown), ["5:00", "1:02", "0:09", "0:00", "0:00", "2 h"]);
});

test("what just happened is now", () => {
  assert.equal(ago(100, 102), "now");
  assert.equal(ago(100, 110), "10 s ago");
});

test("of a call the telling argument is shown, with nothing hidden in it", () => {
  assert.equal(gist({ content: "x", file_path: "a\u202E.txt" }), "a⟨U+202E⟩.txt");
  assert.equal(gist({ file_path: "/work/src/a.py" }, "/work"), "src/a.py");
  assert.equal(gist({ file_path: "/workshop/a.py" }, "/work"), "/workshop/a.py");
  assert.equal(gist({ n: 3 }), "3");
  assert.equal(gist({}), "");
  assert.equal(gist(null), "");
});

test("a large number in a message is shown with all its digits", () => {
  const said = readMessage('{"type":"assistant","content":[{"type":"tool_use","input":{"id":12345678901234567890}}]}');
  const told = said as unknown as { readonly content: readonly { readonly input: Args }[] };
  const input = told.content[0]?.input ?? null;
  assert.equal(gist(input), "12345678901234567890");
  assert.equal(words(input), '{\n  "id": 12345678901234567890\n}');
});

test("small sums keep their digits", () => {
  assert.equal(money(0.01234), "0.012");
  assert.equal(money(2.5), "2.50");
});

test("names are shortened where they are long", () => {
  assert.equal(short("0123456789abcdef"), "01234567");
  assert.equal(folder("/home/ana/work/project"), "…/work/project");
  assert.equal(folder("/srv"), "/srv");
  assert.equal(chain(["main", "reviewer"]), "main › reviewer");
});

test("of a path in a question the name of the file stays, whatever it is made of", () => {
  assert.equal(brief("Write 1 line to /home/ana/shop/notes/a.md", "/home/ana/shop/notes/a.md"), "Write 1 line to …/notes/a.md");
  assert.equal(brief("Edit /a/b/c/$&.txt: 2 lines", "/a/b/c/$&.txt"), "Edit …/c/$&.txt: 2 lines");
  assert.equal(brief("Run rm /a/b/c/d", null), "Run rm /a/b/c/d");
});

test("a long argument is looked at only as far as it is shown", () => {
  assert.equal(gist({ command: `echo a${" ".repeat(1_000_000)}\nb` }).length, 300);
});
