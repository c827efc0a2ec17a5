import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, RowKind } from "../state/wire.js";
import { blockAt } from "./blocks.js";
import { split, unified } from "./lines.js";
import type { Lines } from "./lines.js";

const block = (first: number, last: number, removed: number, added: number): Block => ({
  first,
  last,
  removed,
  added,
  old_line: 1,
  new_line: 1,
});
const unknown = (): undefined => undefined;
const all = (lines: Lines): (readonly [number | null, number | null])[] =>
  Array.from({ length: lines.count }, (_, at) => {
    const { left, right } = lines.at(at);
    return [left, right];
  });

test("in one column each row has its line, from the first that is shown", () => {
  const lines = unified(5, 1);
  assert.equal(lines.count, 4);
  assert.deepEqual(lines.at(0), { left: 1, right: 1 });
  assert.equal(lines.lineOf(3), 2);
});

test("in two columns what goes stands beside what comes in its place", () => {
  // hunk, context, -, -, +, context
  const lines = split(6, [block(2, 4, 2, 1)], unknown);
  assert.deepEqual(all(lines), [
    [0, 0],
    [1, 1],
    [2, 4],
    [3, null],
    [5, 5],
  ]);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(lines.lineOf), [0, 1, 2, 3, 2, 4]);
});

test("a missing newline stays on its side", () => {
  const kinds: RowKind[] = ["removed", "no_newline", "added", "no_newline"];
  const lines = split(4, [block(0, 3, 1, 1)], (row) => kinds[row]);
  assert.deepEqual(all(lines), [
    [0, 2],
    [1, 3],
  ]);
});

test("a diff that mixes what goes and what comes is shown in its order", () => {
  const kinds: RowKind[] = ["added", "removed", "added", "removed"];
  const lines = split(4, [block(0, 3, 2, 2)], (row) => kinds[row]);
  assert.deepEqual(all(lines), [
    [null, 0],
    [1, 2],
    [3, null],
  ]);
});

test("every row has a place in two columns, whatever the blocks are", () => {
  const blocks = [block(1, 3, 3, 0), block(4, 4, 0, 1), block(9, 12, 1, 3)];
  const lines = split(15, blocks, unknown);
  const rows = new Set(all(lines).flat());
  for (let row = 0; row < 15; row++) assert.ok(rows.has(row), `row ${row}`);
});

test("a row knows its block", () => {
  const blocks = [block(2, 4, 2, 1), block(8, 8, 1, 0)];
  assert.deepEqual([1, 2, 4, 5, 8, 9].map((row) => blockAt(blocks, row)), [null, 0, 0, null, 1, null]);
  assert.equal(blockAt([], 3), null);
});
