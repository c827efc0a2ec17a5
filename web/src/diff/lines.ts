// The lines of a table: a row each, or old and new beside each other.

import type { Block, RowKind } from "../state/wire.js";

/** One line of the table; in a single column both sides are the same row. */
export interface Line {
  readonly left: number | null;
  readonly right: number | null;
}

export interface Lines {
  readonly count: number;
  at(line: number): Line;
  /** The line on which this row stands. */
  lineOf(row: number): number;
}

/** A line for each row, from row `skip` on. */
export function unified(total: number, skip = 0): Lines {
  return {
    count: Math.max(total - skip, 0),
    at: (line) => ({ left: line + skip, right: line + skip }),
    lineOf: (row) => Math.max(row - skip, 0),
  };
}

/** Lines that go beside those that come in their place; all other rows on both sides. */
export function split(
  total: number,
  blocks: readonly Block[],
  kindOf: (row: number) => RowKind | undefined,
  skip = 0,
): Lines {
  const parts: Part[] = [];
  let line = 0;
  let row = skip;
  const add = (part: Omit<Part, "line">): void => {
    if (part.count === 0) return;
    parts.push({ ...part, line });
    line += part.count;
  };
  for (const block of blocks) {
    if (block.first < row) continue;
    add({ row, count: block.first - row, pairs: null });
    const pairs = pairsOf(block, kindOf);
    add({ row: block.first, count: pairs.length, pairs });
    row = block.last + 1;
  }
  add({ row, count: Math.max(total - row, 0), pairs: null });
  return {
    count: line,
    at: (at) => {
      const part = parts[lastBefore(parts, (each) => each.line <= at)];
      if (part === undefined) return { left: null, right: null };
      const inside = at - part.line;
      return part.pairs?.[inside] ?? { left: part.row + inside, right: part.row + inside };
    },
    lineOf: (wanted) => {
      const part = parts[lastBefore(parts, (each) => each.row <= wanted)];
      if (part === undefined) return 0;
      if (part.pairs === null) return part.line + Math.min(wanted - part.row, part.count - 1);
      const inside = part.pairs.findIndex((pair) => pair.left === wanted || pair.right === wanted);
      return part.line + Math.max(inside, 0);
    },
  };
}

interface Part {
  readonly line: number;
  readonly row: number;
  readonly count: number;
  readonly pairs: readonly Line[] | null;
}

function pairsOf(block: Block, kindOf: (row: number) => RowKind | undefined): readonly Line[] {
  const kinds: RowKind[] = [];
  for (let row = block.first; row <= block.last; row++) {
    const kind = kindOf(row) ?? guessed(block, row);
    kinds.push(kind);
  }
  const pairs: Line[] = [];
  let removed: number[] = [];
  let added: number[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const [at, kind] of kinds.entries()) {
    const row = block.first + at;
    if (kind === "removed") {
      if (added.length > 0) flush();
      removed.push(row);
    } else if (kind === "added") added.push(row);
    // "No newline" belongs to the line above it, on the same side.
    else if (added.length > 0) added.push(row);
    else removed.push(row);
  }
  flush();
  return pairs;
}

/** Until the rows are here: lines that go come first, as our own diffs have it. */
function guessed(block: Block, row: number): RowKind {
  return row - block.first < block.removed ? "removed" : "added";
}

/** The last one for which it is true; it is true up to some place, and then no more. */
function lastBefore<T>(list: readonly T[], holds: (each: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = list[middle];
    if (each !== undefined && holds(each)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
