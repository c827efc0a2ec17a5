// JSON as rows with colours: the keys, texts and numbers of a call's arguments.

import { textRows } from "../diff/source.js";
import type { Row, Token, TokenKind } from "../state/wire.js";

const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(\btrue\b|\bfalse\b|\bnull\b)/gu;
/** Longer lines have no colours. */
const LONGEST = 1000;

/** The rows of a text that is JSON, written over several lines. */
export function jsonRows(text: string): Row[] {
  return textRows(text).map((row) => (row.text.length > LONGEST ? row : { ...row, tokens: tokensOf(row.text) }));
}

function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  for (const found of line.matchAll(PARTS)) {
    const whole = found[1] ?? found[0];
    const start = points(line.slice(0, found.index));
    tokens.push({ start, end: start + points(whole), kind: kindOf(found) });
  }
  return tokens;
}

function kindOf(found: RegExpMatchArray): TokenKind {
  if (found[1] !== undefined) return found[2] === undefined ? "string" : "name";
  return found[3] === undefined ? "keyword" : "number";
}

/** Rows count code points. */
function points(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
