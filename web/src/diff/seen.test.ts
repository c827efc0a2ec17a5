import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUnseen, passed, seenCount, withSpan } from "./seen.js";
import type { Span } from "./seen.js";

const span = (first: number, end: number): Span => ({ first, end });

test("spans that touch become one, in whatever order they come", () => {
  const spans = [span(50, 60), span(0, 10), span(10, 20), span(55, 70)].reduce(withSpan, [] as readonly Span[]);
  assert.deepEqual(spans, [span(0, 20), span(50, 70)]);
  assert.equal(seenCount(spans), 40);
  assert.equal(firstUnseen(spans, 100), 20);
});

test("all was seen only when nothing was left out", () => {
  assert.equal(firstUnseen([span(0, 100)], 100), null);
  assert.equal(firstUnseen([span(1, 100)], 100), 0);
  assert.equal(firstUnseen([span(0, 40), span(41, 100)], 100), 40);
  assert.equal(firstUnseen([], 0), null);
});

test("what was left out between two views was not seen", () => {
  assert.deepEqual(passed(span(0, 20), span(15, 35)), span(0, 35));
  assert.deepEqual(passed(span(0, 20), span(21, 41)), span(0, 41), "the row between them stood half in both");
  assert.deepEqual(passed(span(45, 65), span(24, 44)), span(24, 65));
  assert.deepEqual(passed(span(0, 20), span(45, 65)), span(45, 65));
  assert.deepEqual(passed(span(0, 20), span(4980, 5000)), span(4980, 5000));
  assert.deepEqual(passed(null, span(7, 9)), span(7, 9));
});
