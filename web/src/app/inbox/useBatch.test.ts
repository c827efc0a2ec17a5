import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListItem } from "../../state/inbox.reduce.js";
import { stillShown, together } from "./useBatch.js";

function item(id: string): ListItem {
  return {
    id,
    request_id: `${id}-shown`,
    digest: "d",
    tool_name: "Write",
    description: `Write ${id}`,
    reason: "",
    run: "r",
    agents: [],
    group_id: null,
    created: 0,
    expires: null,
    seconds_left: null,
    presentation: "diff",
    tool_use_id: id,
    file_path: null,
  };
}

test("what failed is shown although it has ended, and nothing twice", () => {
  const [one, two] = [item("one"), item("two")];
  const failed = [one, two].map((each) => ({ item: each, why: "too late" }));
  assert.deepEqual(stillShown([two], failed), [two, one]);
});

test("a reason that many share is said once and names them all", () => {
  const failed = ["one", "two", "three"].map((id) => ({ item: item(id), why: id === "two" ? "too late" : "no disk" }));
  assert.deepEqual(together(failed), ["Write one, Write three: no disk", "Write two: too late"]);
});
