import assert from "node:assert/strict";
import { test } from "node:test";
import { onDrift, serverNow, setServerTime } from "./clock.js";

test("when this device's clock is put right, the server is asked again, once", (context) => {
  let asked = 0;
  onDrift(() => (asked += 1));
  setServerTime(1000);
  assert.equal(Math.floor(serverNow()), 1000);
  assert.equal(asked, 0);
  const late = Date.now() + 3600_000;
  context.mock.method(Date, "now", () => late);
  serverNow();
  serverNow();
  assert.equal(asked, 1);
  setServerTime(1001);
  assert.equal(Math.floor(serverNow()), 1001);
});
