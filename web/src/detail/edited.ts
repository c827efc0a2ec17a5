// The question as it would be with the edited arguments: nothing of the call that was asked about stands for it.

import type { Detail, Redraw } from "../state/wire.js";
import { repeatedRows } from "./files.js";
import { presented, rowsIn } from "./presented.js";
import type { Asking, Presented } from "./presented.js";

export interface Edited {
  readonly asking: Asking;
  readonly shown: Presented;
  /** How many rows there are to be seen; null if not all of them are here, so that nobody can. */
  readonly total: number | null;
  /** So many of them at the top say what was said already. */
  readonly skip: number;
}

/** What the edited call shows; null where the server does not say all of it. */
export function editedOf({ pending }: Pick<Detail, "pending">, { message, presentation, rows, digest }: Redraw): Edited | null {
  if (message === null || digest === null || presentation == null) return null;
  const { call, request, preview } = pending;
  const asking: Asking = {
    message,
    pending: {
      ...pending,
      call: { ...call, args: message.tool_input },
      request: { ...request, description: message.description, reason: message.reason, covers: message.covers },
      preview: { ...preview, presentation },
    },
  };
  const shown = presented(asking);
  const isWhole = rows !== null && rows.total <= rows.rows.length;
  return {
    asking,
    shown,
    total: rowsIn(shown, isWhole ? rows.total : null),
    skip: shown.body.kind === "diff" ? repeatedRows((at) => rows?.rows[at], shown.path, shown.changes.length) : 0,
  };
}
