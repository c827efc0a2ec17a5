// Finding a text in rows, whether they are drawn or not.

import type { Row } from "../state/wire.js";

/** A place in a row, in UTF-16 units. */
export interface Match {
  readonly row: number;
  readonly start: number;
  readonly end: number;
}

/** More than these are not counted. */
export const MOST_MATCHES = 10_000;

/** Where the words stand in this text; a capital letter among them makes capitals matter. */
export function placesIn(text: string, words: string): readonly (readonly [number, number])[] {
  if (words === "") return [];
  const exact = words !== words.toLowerCase();
  const among = exact ? text : text.toLowerCase();
  // Lower case may have another length: then the places would be wrong.
  if (among.length !== text.length) return placesOf(text, words);
  return placesOf(among, words);
}

function placesOf(text: string, words: string): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    found.push([at, at + words.length]);
  }
  return found;
}

/** The matches in rows `first` up to `end`. */
export function matchesIn(
  row: (at: number) => Row | undefined,
  first: number,
  end: number,
  words: string,
): readonly Match[] {
  const found: Match[] = [];
  for (let at = first; at < end; at++) {
    const text = row(at)?.text;
    if (text === undefined) continue;
    for (const [start, stop] of placesIn(text, words)) found.push({ row: at, start, end: stop });
  }
  return found;
}

/** The first match from this row on; the very first one, if there is none. */
export function nearest(matches: readonly Match[], row: number): number {
  return Math.max(
    matches.findIndex((match) => match.row >= row),
    0,
  );
}

/** The next one, around the end; `by` is 1 or -1. */
export function stepped(at: number, by: number, count: number): number {
  return count === 0 ? 0 : (at + by + count) % count;
}
