import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf, routeOf } from "./route.js";

test("every view has an address, and an address its view", () => {
  assert.deepEqual(routeOf("#/history"), { view: "history", id: null });
  assert.deepEqual(routeOf(hashOf("inbox", "a/b")), { view: "inbox", id: "a/b" });
});

test("an address nobody knows is the session", () => {
  assert.deepEqual(routeOf(""), { view: "session", id: null });
  assert.deepEqual(routeOf("#/nowhere/x"), { view: "session", id: null });
});

test("an address that is badly spelled leads somewhere, too", () => {
  assert.deepEqual(routeOf("#/inbox/%"), { view: "inbox", id: "%" });
});
