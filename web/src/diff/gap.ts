// What a hunk's head leaves out: so many lines that stay as they are.

import type { Row } from "../state/wire.js";

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

export interface Gap {
  /** How many lines stay as they are above the hunk; null if that is not known. */
  readonly lines: number | null;
  /** `@@ -4,7 +4,8 @@` */
  readonly numbers: string;
  /** What stands behind the numbers, often the function it is in. */
  readonly title: string;
}

/** What to say for a hunk's head at this row. */
export function gapAt(row: (at: number) => Row | undefined, at: number): Gap {
  const text = row(at)?.text ?? "";
  const head = HEAD.exec(text);
  if (head === null) return { lines: null, numbers: text, title: "" };
  const title = head[5] ?? "";
  return { lines: above(row, at, head), numbers: text.slice(0, text.length - title.length).trimEnd(), title };
}

function above(row: (at: number) => Row | undefined, at: number, head: RegExpExecArray): number | null {
  const [old, added] = [start(head[1], head[2]), start(head[3], head[4])];
  let before = at - 1;
  while (row(before)?.kind === "no_newline") before -= 1;
  const last = row(before);
  if (last === undefined) return at === 0 ? Math.max(old, added) - 1 : null;
  if (last.kind === "file") return Math.max(Math.max(old, added) - 1, 0);
  if (last.new !== null) return Math.max(added - last.new - 1, 0);
  return last.old === null ? null : Math.max(old - last.old - 1, 0);
}

/** The first line; a side without lines is numbered by the line it comes after. */
function start(line: string | undefined, count: string | undefined): number {
  return Number(line) + (count === "0" ? 1 : 0);
}
