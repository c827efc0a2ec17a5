import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../state/wire.js";
import { gapAt } from "./gap.js";
import { matchesIn, nearest, placesIn, stepped } from "./search.js";

function row(text: string, more: Partial<Row> = {}): Row {
  return { kind: "context", old: 1, new: 1, text, changed: [], tokens: [], ...more };
}

test("capitals matter only if there is one among the words", () => {
  assert.deepEqual(placesIn("Load load LOAD", "load"), [
    [0, 4],
    [5, 9],
    [10, 14],
  ]);
  assert.deepEqual(placesIn("Load load LOAD", "Load"), [[0, 4]]);
  assert.deepEqual(placesIn("anything", ""), []);
});

test("a letter whose lower case is longer does not move the places", () => {
  assert.deepEqual(placesIn("İİ ab", "ab"), [[3, 5]]);
});

test("matches know their row, and stepping goes around the ends", () => {
  const rows = [row("a b a"), row("b"), row("a")];
  const found = matchesIn((at) => rows[at], 0, 3, "a");
  assert.deepEqual(
    found.map((match) => [match.row, match.start]),
    [
      [0, 0],
      [0, 4],
      [2, 0],
    ],
  );
  assert.equal(nearest(found, 1), 2);
  assert.equal(nearest(found, 9), 0);
  assert.equal(stepped(2, 1, 3), 0);
  assert.equal(stepped(0, -1, 3), 2);
  assert.equal(stepped(0, 1, 0), 0);
});

test("a hunk's head says how many lines above it stay as they are", () => {
  const rows = [
    row("a.py", { kind: "file", old: null, new: null }),
    row("@@ -5,3 +5,4 @@ def load():", { kind: "hunk", old: null, new: null }),
    row("x", { kind: "context", old: 5, new: 5 }),
    row("y", { kind: "removed", old: 6, new: null }),
    row("@@ -20,2 +20,2 @@", { kind: "hunk", old: null, new: null }),
  ];
  const at = (index: number): Row | undefined => rows[index];
  assert.deepEqual(gapAt(at, 1), { lines: 4, numbers: "@@ -5,3 +5,4 @@", title: "def load():" });
  assert.equal(gapAt(at, 4).lines, 13);
  assert.equal(gapAt((index) => (index === 4 ? rows[4] : undefined), 4).lines, null);
});

test("the head of a new file leaves nothing out", () => {
  const rows = [row("a", { kind: "file" }), row("@@ -0,0 +1,8 @@", { kind: "hunk" })];
  assert.equal(gapAt((at) => rows[at], 1).lines, 0);
});
