import assert from "node:assert/strict";
import { test } from "node:test";
import { readMessage } from "./events.js";
import { Sequence, Wire, pause } from "./socket.js";

const hello = (missed: boolean, head = 0) =>
  readMessage(JSON.stringify({ type: "hello", content: { missed, head, pending: [] } }));
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

test("a server that counts from a lower number is listened to all the same", () => {
  const sequence = new Sequence();
  const [last, back, next] = [numbered(9), hello(false, 4), numbered(5)];
  assert.ok(last && back && next);
  sequence.take(last);
  sequence.take(back);
  assert.equal(sequence.seen, 4);
  assert.equal(sequence.take(next), true);
});

test("a tab that is left is told at once what waited for a frame, and all that comes then", async (context) => {
  const page = { hidden: false };
  const sockets: EventTarget[] = [];
  class Socket extends EventTarget {
    constructor() {
      super();
      sockets.push(this);
    }
  }
  // A browser whose frames never come, as in a tab that was left.
  Object.assign(globalThis, { document: page, WebSocket: Socket, requestAnimationFrame: () => 0 });
  context.after(() => ["document", "WebSocket", "requestAnimationFrame"].forEach((name) => Reflect.deleteProperty(globalThis, name)));
  const heard: number[] = [];
  const nothing = (): void => undefined;
  const wire = new Wire({
    address: () => "",
    onMessages: (messages) => heard.push(...messages.map((each) => ("seq" in each ? (each.seq ?? 0) : 0))),
    onOpen: nothing,
    onLost: () => Promise.resolve(false),
    onRetry: nothing,
  });
  wire.connect();
  const say = (seq: number): void => {
    const data = JSON.stringify({ type: "result", subtype: "success", content: {}, seq });
    sockets[0]?.dispatchEvent(new MessageEvent("message", { data }));
  };
  say(1);
  assert.deepEqual(heard, []);
  page.hidden = true;
  say(2);
  await Promise.resolve();
  assert.deepEqual(heard, [1, 2]);
  page.hidden = false;
  say(3);
  wire.hide();
  assert.deepEqual(heard, [1, 2, 3]);
});

test("what is no message of ours is left aside", () => {
  assert.deepEqual(["", "[]", "{}", '{"type":"weather"}', "null"].map(readMessage), [null, null, null, null, null]);
});
