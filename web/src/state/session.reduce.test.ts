import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerMessage } from "./events.js";
import { told } from "./session.reduce.js";
import { type Call, type Timeline, NOTHING, current } from "./timeline.js";
import type { Hello, Outcome, Question } from "./wire.js";

const run = (prompt: string, goOn = false): ServerMessage => ({
  type: "run",
  subtype: "started",
  content: { prompt, continue: goOn, permission_mode: "sdk", by: "ana" },
});
const delta = (text: string, agents?: readonly string[]): ServerMessage => ({
  type: "assistant",
  subtype: "text_delta",
  content: { text },
  ...(agents ? { agents } : {}),
});
const text = (words: string): ServerMessage => ({ type: "assistant", subtype: "text", content: { text: words } });
const begun = (id: string): ServerMessage => ({
  type: "assistant",
  subtype: "tool_use_start",
  run: "mine",
  content: { id, name: "Write" },
});
const use = (id: string): ServerMessage => ({
  type: "assistant",
  subtype: "tool_use",
  run: "mine",
  content: { id, name: "Write", input: { file_path: "a" } },
});
// Of a question, only the call it is about matters to the session.
const asked = (id: string, run = "mine"): ServerMessage => ({ type: "tool_approval_request", tool_use_id: id, run }) as Question;
const ended = (id: string, outcome: Outcome, run = "mine"): ServerMessage => ({
  type: "tool_approval_ended",
  request_id: "r",
  tool_use_id: id,
  run,
  content: { outcome, by: "ana", at: 1, note: "" },
});
const result = (id: string, content: string, isError = false): ServerMessage => ({
  type: "user",
  subtype: "tool_result",
  run: "mine",
  content: { tool_use_id: id, content, is_error: isError },
});
const done: ServerMessage = { type: "result", subtype: "success", content: { message: "" } };
const hello = (some: Partial<Hello>): ServerMessage => ({
  type: "hello",
  content: { you: "ana", running: false, permission_modes: {}, since: 0, head: 0, missed: false, pending: [], ...some },
});

const after = (...messages: readonly ServerMessage[]): Timeline => messages.reduce(told, NOTHING);
const kinds = (timeline: Timeline): readonly string[] => current(timeline).map((each) => each.kind);
const words = (timeline: Timeline): readonly (readonly [string, boolean])[] =>
  current(timeline).flatMap((each) => (each.kind === "text" ? [[each.text, each.open] as const] : []));
const call = (timeline: Timeline, id = "1"): Call | undefined =>
  current(timeline).find((each): each is Call => each.kind === "call" && each.id === id);

test("words that stream are one entry, and the whole text takes their place", () => {
  const streamed = after(run("hi"), delta("Hel"), delta("lo"));
  assert.deepEqual(kinds(streamed), ["prompt", "text"]);
  assert.deepEqual(words(streamed), [["Hello", true]]);
  const whole = told(streamed, text("Hello!"));
  assert.deepEqual(words(whole), [["Hello!", false]]);
  assert.deepEqual(kinds(told(whole, delta("More"))), ["prompt", "text", "text"]);
});

test("what agents say at the same time is not mixed up", () => {
  const both = after(run("hi"), delta("a"), delta("x", ["child"]), delta("b"));
  assert.deepEqual(words(both).map(([said]) => said), ["ab", "x"]);
});

test("a call is written, proposed, waits, runs and is done", () => {
  const steps = [begun("1"), use("1"), asked("1"), ended("1", "approved"), result("1", "ok")];
  const seen: (string | undefined)[] = [];
  steps.reduce((timeline, message) => {
    const next = told(timeline, message);
    seen.push(call(next)?.status);
    return next;
  }, after(run("hi")));
  assert.deepEqual(seen, ["writing", "proposed", "waiting", "running", "done"]);
});

test("what a person rejected stays refused, whatever the model is told of it", () => {
  const refused = after(run("hi"), use("1"), asked("1"), ended("1", "rejected"), result("1", "User rejected", true));
  assert.equal(call(refused)?.status, "refused");
  assert.equal(call(refused)?.result, "User rejected");
});

test("what nobody answered in time was refused by nobody", () => {
  const late = after(run("hi"), use("1"), asked("1"), ended("1", "expired"), result("1", "nobody answered", true));
  assert.equal(call(late)?.status, "stopped");
});

test("a call that failed by itself has failed", () => {
  assert.equal(call(after(run("hi"), use("1"), result("1", "Error", true)))?.status, "failed");
});

test("after a reload a call waits, although its question is told before it", () => {
  const reloaded = after(hello({ running: true, pending: [{ tool_use_id: "1", run: "mine" } as Question] }), run("hi"), use("1"));
  assert.equal(call(reloaded)?.status, "waiting");
});

test("a question of another run about a call with the same id changes nothing here", () => {
  const theirs = hello({ running: true, pending: [{ tool_use_id: "1", run: "theirs" } as Question] });
  const proposed = after(theirs, run("hi"), begun("1"), use("1"));
  assert.equal(call(proposed)?.status, "proposed");
  assert.equal(call(told(proposed, asked("1", "theirs")))?.status, "proposed");
  const waits = told(proposed, asked("1"));
  assert.equal(call(told(waits, ended("1", "rejected", "theirs")))?.status, "waiting");
  assert.equal(call(told(waits, ended("1", "rejected")))?.status, "refused");
});

test("a turn that failed is void, and what came before it stays", () => {
  const again = after(
    run("hi"),
    use("1"),
    result("1", "ok"),
    delta("half"),
    begun("2"),
    { type: "system", subtype: "superseded", content: { reason: "broke off", attempt: 1 } },
    delta("whole"),
  );
  assert.deepEqual(kinds(again), ["prompt", "call", "remark", "text"]);
  assert.equal(call(again, "2"), undefined);
});

test("the end of a run says what was used, and nothing goes on running", () => {
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0, requests: 1, cost: null, conversation: "c" };
  const over = after(run("hi"), delta("x"), use("1"), { type: "system", subtype: "usage", content: usage }, done);
  assert.equal(over.running, false);
  assert.equal(call(over)?.status, "stopped");
  const last = current(over).at(-1);
  assert.ok(last?.kind === "finish");
  assert.deepEqual([last.status, last.usage], ["success", usage]);
});

test("a prompt goes on with the conversation, or begins another", () => {
  const two = after(run("a"), done, run("b", true), done, run("c"));
  assert.deepEqual(two.conversations.map((each) => each.entries.filter((entry) => entry.kind === "prompt").length), [2, 1]);
});

test("an id that comes again in another run is another call", () => {
  const again = after(run("a"), use("1"), result("1", "old"), done, run("b", true), use("1"));
  assert.deepEqual(
    current(again).flatMap((each) => (each.kind === "call" ? [each.status] : [])),
    ["done", "proposed"],
  );
});

test("told from the beginning again, nothing stands twice", () => {
  const before = after(run("a"), delta("x"));
  const back = [hello({ missed: true, running: true }), run("a"), delta("x")].reduce(told, before);
  assert.equal(back.conversations.length, 1);
  assert.deepEqual(kinds(back), ["prompt", "text"]);
  assert.equal(back.missed, true);
});

test("every entry keeps a key of its own", () => {
  const keys = current(after(run("a"), delta("x"), use("1"), use("2"), done)).map((each) => each.key);
  assert.equal(new Set(keys).size, keys.length);
});
