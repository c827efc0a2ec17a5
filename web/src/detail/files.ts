// The files of a change, and the row at which each of them begins.

import { gapAt } from "../diff/gap.js";
import type { Change, Row } from "../state/wire.js";

export interface FileEntry {
  readonly path: string;
  readonly row: number;
  readonly added: number;
  readonly removed: number;
  readonly state: "changed" | "added" | "removed";
}

/** A file each; the rows are counted as the server counts them: the two lines of a file's head are one row. */
export function filesOf(changes: readonly Change[]): readonly FileEntry[] {
  let row = 0;
  return changes.map((change) => {
    const lines = change.unified_diff.replace(/\n$/, "").split("\n");
    const entry: FileEntry = {
      path: change.path,
      row,
      added: lines.filter((line, at) => at > 1 && line.startsWith("+")).length,
      removed: lines.filter((line, at) => at > 1 && line.startsWith("-")).length,
      state: change.before === null ? "added" : change.after === null ? "removed" : "changed",
    };
    row += change.unified_diff === "" ? 0 : lines.length - 1;
    return entry;
  });
}

/** How many rows at the top say nothing: the path of the one file that is named above, and that it begins there. */
export function repeatedRows(row: (at: number) => Row | undefined, path: string | null, files: number): number {
  const first = row(0);
  if (first?.kind !== "file" || path === null || files > 1) return 0;
  const names = first.text.split(" → ").filter((name) => name !== "/dev/null");
  if (!names.every((name) => `/${path}`.endsWith(`/${name}`))) return 0;
  const gap = row(1)?.kind === "hunk" ? gapAt(row, 1) : null;
  return gap !== null && gap.lines === 0 && gap.title === "" ? 2 : 1;
}
