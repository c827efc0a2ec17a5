import assert from "node:assert/strict";
import { test } from "node:test";
import { TALLEST, uniform } from "./extent.js";
import { measured } from "./measured.js";
import { inView, scrollToRow, seenIn, windowOf } from "./window.js";

test("only the rows in view and some around them are drawn", () => {
  const rows = uniform(10_000, 20);
  assert.deepEqual(windowOf(rows, { top: 0, height: 400 }, 10), { first: 0, end: 31, offset: 0 });
  assert.deepEqual(windowOf(rows, { top: 2000, height: 400 }, 10), { first: 90, end: 131, offset: 1800 });
});

test("at the end the last row is drawn and none behind it", () => {
  const rows = uniform(100, 20);
  assert.deepEqual(windowOf(rows, { top: 1600, height: 400 }, 5), { first: 75, end: 100, offset: 1500 });
});

test("scrolled beyond the end, as some browsers do, the last rows stay in view", () => {
  const rows = uniform(100, 20);
  assert.deepEqual(windowOf(rows, { top: 1750, height: 400 }, 0), { first: 80, end: 100, offset: 1600 });
  assert.deepEqual(windowOf(rows, { top: -80, height: 400 }, 0), { first: 0, end: 21, offset: 0 });
});

test("nothing to draw is drawn without trouble", () => {
  assert.deepEqual(windowOf(uniform(0, 20), { top: 0, height: 400 }, 5), { first: 0, end: 0, offset: 0 });
  assert.deepEqual(seenIn(uniform(0, 20), { top: 0, height: 400 }), { first: 0, end: 0 });
});

test("more rows than a browser can lay out are all reached, the last one too", () => {
  const total = 5_000_000;
  const rows = uniform(total, 20);
  assert.equal(rows.height, TALLEST);
  const end = windowOf(rows, { top: TALLEST - 400, height: 400 }, 0);
  assert.equal(end.end, total);
  // What is drawn stands where the view is.
  const middle = windowOf(rows, { top: TALLEST / 2, height: 400 }, 0);
  assert.ok(Math.abs(middle.offset - TALLEST / 2) < 20, String(middle.offset));
  const at = scrollToRow(rows, { top: 0, height: 400 }, 3_000_000);
  const there = windowOf(rows, { top: at, height: 400 }, 0);
  assert.ok(there.first <= 3_000_000 && 3_000_000 < there.end);
});

test("a row counts as seen when all of it is in view", () => {
  const rows = uniform(100, 20);
  assert.deepEqual(seenIn(rows, { top: 0, height: 410 }), { first: 0, end: 20 });
  assert.deepEqual(seenIn(rows, { top: 10, height: 400 }), { first: 1, end: 20 });
  assert.deepEqual(seenIn(rows, { top: 1600, height: 400 }), { first: 80, end: 100 });
  assert.deepEqual(seenIn(rows, { top: 1600.4, height: 399.7 }), { first: 80, end: 100 });
  assert.deepEqual(seenIn(rows, { top: 0, height: 0 }), { first: 0, end: 0 });
});

test("a row that is taller than the view is never seen as a whole, not even at its end", () => {
  const rows = measured(10, 20);
  rows.measure(3, 900);
  assert.deepEqual(seenIn(rows, { top: 100, height: 400 }), { first: 4, end: 4 });
  assert.deepEqual(seenIn(rows, { top: 560, height: 400 }), { first: 4, end: 4 });
  assert.deepEqual(inView(rows, { top: 560, height: 400 }), { first: 560, end: 960 });
});

test("such a row is gone through from where it was left", () => {
  const rows = measured(10, 20);
  rows.measure(3, 900);
  assert.equal(scrollToRow(rows, { top: 0, height: 400 }, 3, "top", 380), 440);
  assert.equal(scrollToRow(rows, { top: 440, height: 400 }, 3, "top", 760), 680);
});

test("a row in view is not moved; another one comes to the middle", () => {
  const rows = uniform(1000, 20);
  assert.equal(scrollToRow(rows, { top: 200, height: 400 }, 15), 200);
  assert.equal(scrollToRow(rows, { top: 0, height: 400 }, 500), 10_000 - 190);
  assert.equal(scrollToRow(rows, { top: 10_000, height: 400 }, 0), 0);
  assert.equal(scrollToRow(rows, { top: 0, height: 400 }, 999), 20_000 - 400);
  assert.equal(scrollToRow(rows, { top: 200, height: 400 }, 15, "top"), 300);
});

test("measured heights move what stands below, and nothing above", () => {
  const rows = measured(1000, 20);
  assert.equal(rows.measure(10, 60), 40);
  assert.equal(rows.measure(10, 60), 0);
  assert.equal(rows.height, 20_040);
  assert.equal(rows.topOf(10), 200);
  assert.equal(rows.topOf(11), 260);
  assert.equal(rows.rowAt(259), 10);
  assert.equal(rows.rowAt(260), 11);
  assert.equal(rows.topOf(1000), 20_040);
});

test("whatever was measured, each place belongs to the row that begins before it", () => {
  const rows = measured(777, 20);
  for (let row = 0; row < 777; row += 3) rows.measure(row, 20 + ((row * 7) % 90));
  for (let row = 0; row < 777; row++) {
    assert.equal(rows.rowAt(rows.topOf(row)), row);
    assert.equal(rows.rowAt(rows.topOf(row + 1) - 1), row);
  }
  assert.equal(rows.rowAt(-5), 0);
  assert.equal(rows.rowAt(1e9), 776);
});
