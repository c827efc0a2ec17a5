import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListItem } from "../../state/inbox.reduce.js";
import { told } from "../../state/session.reduce.js";
import { NOTHING } from "../../state/timeline.js";
import { asked } from "./useQuestions.js";

// Of a question, only whose call it is about matters here.
const item = (id: string, run: string, toolUseId: string): ListItem => ({ id, run, tool_use_id: toolUseId }) as ListItem;

test("only questions about the calls of this run are its questions, whatever ids others use", () => {
  const mine = told(NOTHING, {
    type: "assistant",
    subtype: "tool_use",
    run: "mine",
    content: { id: "call_1", name: "Write", input: {} },
  });
  const items = [item("a", "theirs", "call_1"), item("b", "mine", "call_1"), item("c", "mine", "call_2")];
  assert.deepEqual(asked(mine, items).map((each) => each.id), ["b"]);
  assert.deepEqual(asked(NOTHING, items), []);
});
