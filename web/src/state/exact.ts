// JSON with every whole number as it was written: beyond 2^53 a number of JavaScript is another one.

import type { Json } from "./wire.js";

/** No text has it: it is drawn anew for each page, and never leaves it. */
const MARK = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");
const NUMBERS = /-?\d[\d.eE+-]*/g;
const MANY_DIGITS = /\d{16}/;

/** A whole number that JavaScript cannot count to. */
class Exact {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  toJSON(): string {
    return MARK + this.#digits;
  }
}

/** Reads JSON; what is too large for a number keeps its digits, and `writeExact` writes them again. */
export function readExact(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  if (!MANY_DIGITS.test(text)) return plain;
  return JSON.parse(marked(text), (_, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? new Exact(value.slice(MARK.length)) : value,
  );
}

/** The JSON of a value, with the digits that were read. */
export function writeExact(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(MARKED, "$1");
}

/** Whether both are the same, in whatever order the keys stand. */
export function isSame(one: Json, other: Json): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: Json): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** The text with such numbers as strings; what stands in strings stays. */
function marked(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('"', at);
    parts.push(text.slice(at, open < 0 ? text.length : open).replace(NUMBERS, markedNumber));
    if (open < 0) break;
    at = endOfString(text, open);
    parts.push(text.slice(open, at));
  }
  return parts.join("");
}

function markedNumber(digits: string): string {
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits)) ? `"${MARK}${digits}"` : digits;
}

/** The place behind the string that begins here. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close >= 0 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close < 0 ? text.length : close + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}
