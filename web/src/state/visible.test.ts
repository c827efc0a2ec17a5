import assert from "node:assert/strict";
import { test } from "node:test";
import { visible, visibleLine } from "./visible.js";

test("plain text, line breaks and letters of any script stay as they are", () => {
  assert.equal(visible("a\tb\nπ 日本 é"), "a\tb\nπ 日本 é");
});

test("bidi, control and invisible characters are spelled out", () => {
  assert.equal(visible("a\u202Eb\u200Bc\u001B[31m\u00A0\r"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+001B⟩[31m⟨U+00A0⟩⟨U+000D⟩");
});

test("what to Unicode is a sign, and draws nothing, is spelled out too", () => {
  const blank = ["\uFFFC", "\u2D7F", "\u{10A3F}", "\u{1107F}", "\u{13441}", "\u{13442}"];
  assert.equal(visible(blank.join("")), "⟨U+FFFC⟩⟨U+2D7F⟩⟨U+10A3F⟩⟨U+1107F⟩⟨U+13441⟩⟨U+13442⟩");
});

test("no text can pretend that something was spelled", () => {
  assert.equal(visible("⟨U+202E⟩"), "⟨U+27E8⟩U+202E⟩");
});

test("lone surrogates and characters beyond the first plane are spelled whole", () => {
  assert.equal(visible("\uD800 \u{E0101}"), "⟨U+D800⟩ ⟨U+E0101⟩");
});

test("on one line a line break is a sign", () => {
  assert.equal(visibleLine("a\n  b"), "a ⏎ b");
});

test("a text that is nothing but blanks takes no longer than another", () => {
  // Looked for from each of them, a line break would be found after many minutes.
  const blanks = " ".repeat(1_000_000);
  assert.equal(visibleLine(`a${blanks}b`), `a${blanks}b`);
  assert.equal(visibleLine(`a${blanks}\n${blanks}b`), "a ⏎ b");
});
