import assert from "node:assert/strict";
import { test } from "node:test";
import { readMessage } from "./events.js";
import { Sequence, pause } from "./socket.js";

const hello = (missed: boolean) => readMessage(JSON.stringify({ type: "hello", content: { missed, pending: [] } }));
const numbered = (seq: number) => readMessage(JSON.stringify({ type: "result", subtype: "success", content: {}, seq }));

test("pauses grow, have an end, and are not the same for everybody", () => {
  assert.deepEqual([0, 1, 2].map((attempt) => pause(attempt, 1)), [500, 1000, 2000]);
  assert.equal(pause(50, 1), 15_000);
  assert.ok(pause(3, 0) < pause(3, 1));
});

test("what was seen is not told again, and the numbers go on", () => {
  const sequence = new Sequence();
  const news = [5, 6, 6, 5, 9].map((seq) => {
    const message = numbered(seq);
    return message !== null && sequence.take(message);
  });
  assert.deepEqual(news, [true, true, false, false, true]);
  assert.equal(sequence.seen, 9);
});

test("where something was missed, everything is told from the beginning", () => {
  const sequence = new Sequence();
  const [first, gap, second] = [numbered(9), hello(true), numbered(3)];
  assert.ok(first && gap && second);
  sequence.take(first);
  sequence.take(gap);
  assert.equal(sequence.take(second), true);
});

test("what is no message of ours is left aside", () => {
  assert.deepEqual(["", "[]", "{}", '{"type":"weather"}', "null"].map(readMessage), [null, null, null, null, null]);
});
