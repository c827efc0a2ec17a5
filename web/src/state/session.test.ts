import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerMessage } from "./events.js";
import { sent } from "./session.js";

const begun: ServerMessage = {
  type: "run",
  subtype: "started",
  content: { prompt: "hi", continue: false, permission_mode: "sdk", by: "ana" },
};
const refused: ServerMessage = { type: "error", subtype: "run_in_progress", content: { message: "a run is under way" } };
const back: ServerMessage = {
  type: "hello",
  content: { you: "", running: false, permission_modes: {}, since: 0, head: 0, missed: false, pending: [] },
};
const before = { draft: "hi", sending: "hi", refused: null, fresh: true, resumes: false };

test("a prompt that was taken leaves the box, and what was written meanwhile stays", () => {
  assert.equal(sent(before, [begun]).draft, "");
  assert.equal(sent({ ...before, draft: "hi, and more" }, [begun]).draft, "hi, and more");
  assert.equal(sent({ ...before, sending: null, draft: "mine" }, [begun]).draft, "mine");
});

test("a prompt that was not taken stays in the box, and it is said why", () => {
  assert.deepEqual(sent(before, [refused]), { sending: null, refused: "a run is under way" });
});

test("a prompt that went with the connection can be sent again", () => {
  assert.equal(sent(before, [back]).sending, null);
  assert.deepEqual(sent({ ...before, sending: null }, [back]), {});
  assert.equal(sent(before, [back, begun]).draft, "");
});
