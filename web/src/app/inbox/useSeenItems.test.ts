import assert from "node:assert/strict";
import { test } from "node:test";
import { type Looked, type Span, isSeen, lookedAt } from "../../diff/seen.js";

const VIEW: Span = { first: 100, end: 500 };

/** What was seen of a preview that stood here and there, one after the other. */
function seenAt(height: number, ...tops: readonly number[]): Looked | undefined {
  return tops.reduce<Looked | undefined>(
    (before, first) => lookedAt(before, { first, end: first + height }, VIEW),
    undefined,
  );
}

test("a preview that stands in view as a whole was seen", () => {
  assert.ok(isSeen(seenAt(300, 150)));
  assert.ok(isSeen(seenAt(0, 150)), "of an empty one there is nothing to see");
});

test("what nobody looked at was not seen", () => {
  assert.ok(!isSeen(undefined));
});

test("a preview that was jumped over was not seen", () => {
  assert.ok(!isSeen(seenAt(300, 600, -400)));
  assert.ok(!isSeen(seenAt(300, 320, -120)), "its middle was never in view");
});

test("a preview higher than the view is seen by scrolling along it", () => {
  assert.ok(!isSeen(seenAt(1000, 150, -350)));
  assert.ok(isSeen(seenAt(1000, 150, -150, -450, -550)));
});

test("a preview that is drawn in another height must be seen again", () => {
  const before = seenAt(300, 150);
  const after = lookedAt(before, { first: 300, end: 700 }, VIEW);
  assert.ok(!isSeen(after));
});
