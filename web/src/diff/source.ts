// Where the rows of a table come from.

import type { Row } from "../state/wire.js";

export interface RowSource {
  /** How many rows there are; null until that is known. */
  readonly total: number | null;
  /** Counts up whenever something about it changed. */
  readonly version: number;
  /** Why rows are missing, if asking for them failed. */
  readonly problem: string | null;
  /** The longest line that is known, in characters. */
  readonly longest: number;
  row(at: number): Row | undefined;
  /** These rows are looked at: get them first, and then those around them. */
  want(first: number, end: number): void;
  /** Get these rows, whoever looks at them. */
  load(first: number, end: number): Promise<void>;
  /** Ask again for what failed. */
  retry(): void;
  subscribe(listener: () => void): () => void;
}

const NOTHING = (): void => undefined;

/** Rows that are all here. */
export function fixedRows(rows: readonly Row[]): RowSource {
  const longest = rows.reduce((most, row) => Math.max(most, row.text.length), 0);
  return {
    total: rows.length,
    version: 0,
    problem: null,
    longest,
    row: (at) => rows[at],
    want: NOTHING,
    load: () => Promise.resolve(),
    retry: NOTHING,
    subscribe: () => NOTHING,
  };
}

/** A text as rows, one for each line. */
export function textRows(text: string): Row[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, at) => ({ kind: "context", old: null, new: at + 1, text: line, changed: [], tokens: [] }));
}
