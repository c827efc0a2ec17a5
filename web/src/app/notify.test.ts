import assert from "node:assert/strict";
import { test } from "node:test";
import { titleFor } from "./notify.js";

test("the title says how many questions wait", () => {
  assert.equal(titleFor(0), "assent");
  assert.equal(titleFor(3), "(3) assent");
});
