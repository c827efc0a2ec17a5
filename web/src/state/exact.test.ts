import assert from "node:assert/strict";
import { test } from "node:test";
import { isSame, readExact, writeExact } from "./exact.js";
import type { Args } from "./wire.js";

const read = (text: string): Args => readExact(text) as Args;

test("a number beyond 2^53 is written as it was read, whatever else is edited", () => {
  const args = read('{"text":"hi","chat_id":9007199254740993,"more":[-123456789012345678901,1]}');
  assert.equal(writeExact({ ...args, text: "hello" }), '{"text":"hello","chat_id":9007199254740993,"more":[-123456789012345678901,1]}');
});

test("two such numbers are only the same if their digits are", () => {
  assert.ok(isSame(read('{"a":9007199254740993,"b":1}'), read('{"b":1,"a":9007199254740993}')));
  assert.ok(!isSame(read('{"a":9007199254740993}'), read('{"a":9007199254740992}')));
  assert.ok(!isSame(read('{"a":9007199254740993}'), { a: "9007199254740993" }));
});

test("digits in a text, and numbers that fit, stay what they are", () => {
  const text = String.raw`{"a":"9007199254740993","b":"\\","c":"\" 9007199254740993 \\\"","9007199254740993":1,"d":1763212345.1234567,"e":12}`;
  assert.deepEqual(readExact(text), JSON.parse(text));
  assert.equal(writeExact(readExact(text)), text);
});

test("what is no JSON is none with large numbers either", () => {
  for (const text of ["{9007199254740993", "{9007199254740993: 1}", "[09007199254740993]", '{"a": 9007199254740993x}', '"9007199254740993']) {
    assert.throws(() => readExact(text), SyntaxError);
  }
});

test("the digits can be read back from what is shown", () => {
  assert.equal(writeExact(read('{"n":9007199254740993}'), 2), '{\n  "n": 9007199254740993\n}');
});
