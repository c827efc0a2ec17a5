import assert from "node:assert/strict";
import { test } from "node:test";
import { isSeenTo, leftFor, seenTo } from "./across.js";

const view = (left: number): { left: number; width: number } => ({ left, width: 800 });

test("a row that is longer than the view was seen when it was scrolled to its end", () => {
  const first = seenTo(0, view(0), 96);
  assert.ok(isSeenTo(first, 800));
  assert.ok(!isSeenTo(first, 3000));
  const last = [600, 1200, 1800, 2200].reduce((seen, left) => seenTo(seen, view(left), 96), first);
  assert.ok(isSeenTo(last, 3000));
});

test("what a jump to the right leaves out was not seen", () => {
  assert.equal(seenTo(800, view(2200), 96), 800);
  assert.equal(seenTo(0, view(300), 96), 0);
});

test("what is scrolled under the numbers was not seen either", () => {
  assert.equal(seenTo(800, view(750), 96), 800);
  assert.equal(seenTo(800, view(704), 96), 1504);
});

test("going on where it was left reaches the end", () => {
  let seen = 0;
  for (let times = 0; times < 10 && !isSeenTo(seen, 5000); times++) seen = seenTo(seen, view(leftFor(seen, 96)), 96);
  assert.ok(isSeenTo(seen, 5000));
  assert.equal(leftFor(0, 96), 0);
});
