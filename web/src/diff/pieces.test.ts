import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../state/wire.js";
import { hiddenIn } from "./hidden.js";
import { piecesOf } from "./pieces.js";

function row(text: string, more: Partial<Row> = {}): Row {
  return { kind: "context", old: 1, new: 1, text, changed: [], tokens: [], ...more };
}

const texts = (one: Row): string[] => piecesOf(one).map((piece) => piece.text);

test("the pieces are the text, whole and in order", () => {
  const one = row("def load(path):", {
    tokens: [
      { start: 0, end: 3, kind: "keyword" },
      { start: 4, end: 8, kind: "name" },
    ],
    changed: [[4, 8]],
    kind: "added",
  });
  assert.deepEqual(
    piecesOf(one).map(({ text, token, word }) => [text, token, word]),
    [
      ["def", "keyword", false],
      [" ", null, false],
      ["load", "name", true],
      ["(path):", null, false],
    ],
  );
});

test("positions count code points, also behind an emoji", () => {
  const one = row("😀 ab", { tokens: [{ start: 2, end: 4, kind: "string" }] });
  assert.deepEqual(
    piecesOf(one).map(({ text, token }) => [text, token]),
    [
      ["😀 ", null],
      ["ab", "string"],
    ],
  );
});

test("what draws nothing is spelled and marked", () => {
  const pieces = piecesOf(row("a\u202Eb\tc\u200B"));
  assert.deepEqual(
    pieces.map(({ text, sign }) => [text, sign]),
    [
      ["a", null],
      ["⟨U+202E⟩", "mark"],
      ["b", null],
      ["\t", "tab"],
      ["c", null],
      ["⟨U+200B⟩", "mark"],
    ],
  );
});

test("blanks at the end of a changed line can be seen, and only there", () => {
  assert.deepEqual(
    piecesOf(row("a  ", { kind: "added" })).map(({ text, sign }) => [text, sign]),
    [
      ["a", null],
      ["  ", "blank"],
    ],
  );
  assert.deepEqual(texts(row("a  ")), ["a  "]);
});

test("a line end of Windows is a sign, one in the middle is spelled", () => {
  assert.deepEqual(piecesOf(row("a\r")).at(-1)?.sign, "return");
  assert.deepEqual(texts(row("a\rb")), ["a", "⟨U+000D⟩", "b"]);
});

test("what was found is marked across tokens", () => {
  const one = row("abc", { tokens: [{ start: 0, end: 2, kind: "name" }] });
  const pieces = piecesOf(one, [{ start: 1, end: 3, current: true }]);
  assert.deepEqual(
    pieces.map(({ text, hit }) => [text, hit]),
    [
      ["a", null],
      ["b", "current"],
      ["c", "current"],
    ],
  );
});

test("of a long line only the beginning is cut into pieces", () => {
  assert.equal(texts(row("x".repeat(5000))).join("").length, 5000);
  assert.equal(
    piecesOf(row("x".repeat(5000)), [], 100)
      .map((piece) => piece.text)
      .join(""),
    "x".repeat(100),
  );
});

test("hidden characters are counted with an example; line ends of Windows are none", () => {
  assert.deepEqual(hiddenIn([], ["a\r\nb\tc ⟨ok⟩"]), { count: 0, example: "" });
  assert.deepEqual(hiddenIn(["path\nwith break"], ["\u202E\u202E"]), { count: 3, example: "⟨U+202E⟩" });
});

test("a flood of blanks inside a line takes no longer than another text", () => {
  const text = `a${" ".repeat(1_000_000)}b\t`;
  assert.deepEqual(texts(row(text, { kind: "added" })), [text.slice(0, -1), "\t"]);
});
