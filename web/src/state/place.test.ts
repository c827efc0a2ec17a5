import assert from "node:assert/strict";
import { test } from "node:test";
import { baseOf, codeIn } from "./place.js";

test("the server is where the page is, also below a prefix", () => {
  assert.equal(baseOf("/agent"), "");
  assert.equal(baseOf("/approvals/agent/"), "/approvals");
});

test("a link, its end, a code and a token are all understood", () => {
  assert.equal(codeIn(" http://127.0.0.1:8643/agent#code=abc_-1 \n"), "abc_-1");
  assert.equal(codeIn("#code=abc"), "abc");
  assert.equal(codeIn("a-token"), "a-token");
});

test("a code that is badly spelled is taken as it stands", () => {
  assert.equal(codeIn("#code=a%20b"), "a b");
  assert.equal(codeIn("#code=%"), "%");
  assert.equal(codeIn("#code=%E0%A4&x"), "%E0%A4");
});
