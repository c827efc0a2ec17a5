// Which rows stand for a question where there is room for a few.

import { textRows } from "../diff/source.js";
import type { Page, Row } from "../state/wire.js";
import { commandRows } from "./command.js";
import { repeatedRows } from "./files.js";
import { jsonRows } from "./jsonRows.js";
import { presented } from "./presented.js";
import type { Asking, Presented } from "./presented.js";

/** Of a longer line only the beginning is shown. */
export const LONGEST = 300;

export interface Previewed {
  readonly detail: Asking;
  readonly presented: Presented;
  readonly rows: readonly Row[];
  /** How many are not among them. */
  readonly more: number;
  /** How many of them are cut short. */
  readonly cut: number;
}

/** The first rows, and how many there are besides. */
export function previewRows(detail: Asking, page: Page | null, most: number): Previewed {
  const shown = presented(detail);
  const { body, path, changes } = shown;
  const cut = (rows: readonly Row[], total: number): Previewed => ({
    detail,
    presented: shown,
    rows: rows.slice(0, most),
    cut: rows.slice(0, most).filter((row) => row.text.length > LONGEST).length,
    more: Math.max(total - Math.min(rows.length, most), 0),
  });
  switch (body.kind) {
    case "diff": {
      const rows = page?.rows ?? [];
      const skip = repeatedRows((at) => rows[at], path, changes.length);
      return cut(rows.slice(skip), (page?.total ?? 0) - skip);
    }
    case "command": {
      const rows = commandRows(body.command);
      return cut(rows, rows.length);
    }
    case "text": {
      const rows = body.isJson ? jsonRows(body.text) : textRows(body.text);
      return cut(rows, rows.length);
    }
    case "facts":
      return cut(textRows(body.facts.map(([label, value]) => `${label}: ${value}`).join("\n")), body.facts.length);
  }
}
