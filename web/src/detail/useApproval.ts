// What an approval would be now (all of it, some changes, an edit), and whether it may be given.

import { useCallback, useSyncExternalStore } from "react";
import { textRows } from "../diff/source.js";
import type { ApproveOptions } from "./actions.js";
import type { Ready } from "./ActionBar.js";
import { repeatedRows } from "./files.js";
import type { Presented } from "./presented.js";
import { redrawnTotal } from "./Redrawn.js";
import { strings } from "./strings.js";
import { useArmed } from "./useArmed.js";
import { useChoice } from "./useChoice.js";
import type { Chosen } from "./useChoice.js";
import { useEdit } from "./useEdit.js";
import type { Edit } from "./useEdit.js";
import type { Loaded } from "./useQuestion.js";
import { useSeen } from "./useSeen.js";

export interface Approval {
  readonly ready: Ready;
  /** What is sent; null if there is nothing that could be approved. */
  readonly options: ApproveOptions | null;
  readonly skip: number;
  /** Whether changes can be chosen. */
  readonly picks: boolean;
  readonly choice: Chosen;
  readonly edit: Edit;
  readonly onSeen: (rows: readonly number[]) => void;
  readonly onEditSeen: (rows: readonly number[]) => void;
}

const text = strings.actions;

export function useApproval({ detail, rows, blocks: { blocks, narrows } }: Loaded, shown: Presented, onStale: () => void): Approval {
  const { item, pending } = detail;
  useSyncExternalStore(
    useCallback((listener: () => void) => rows.subscribe(listener), [rows]),
    () => rows.version,
  );
  const edit = useEdit(item.id, item.digest, pending.call.args, onStale);
  const picks = narrows && blocks.length > 1;
  const choice = useChoice(item.digest, blocks.length);
  const skip = shown.body.kind === "diff" ? repeatedRows((at) => rows.row(at), shown.path, shown.changes.length) : 0;
  const total = totalOf(shown, rows.total);
  const seen = useSeen(item.digest, total, skip);
  const drawn = edit.drawn;
  const editTotal = drawn === null ? null : redrawnTotal(drawn, pending.preview.presentation);
  const editRows = drawn?.rows?.rows ?? [];
  const editSkip = repeatedRows((at) => editRows[at], drawn?.message?.file_path ?? null, 1);
  const editSeen = useSeen(`${item.digest} ${edit.times}`, editTotal, editSkip);
  const isSome = picks && choice.chosen.size < blocks.length;
  const key = edit.isChanged ? `${item.digest} ${drawn?.digest ?? "?"} ${edit.times}` : total === null ? null : item.digest;
  const isArmed = useArmed(key);
  const blocked = edit.isChanged ? editBlocked(edit) : isSome && choice.chosen.size === 0 ? text.noChange : null;
  const label = edit.isChanged ? text.approveEdit : isSome ? text.approveSome(choice.chosen.size, blocks.length) : text.approve;
  const options = optionsOf(item.digest, edit, isSome ? [...choice.chosen] : null);
  return {
    ready: { label, blocked, isArmed, seen: edit.isChanged ? editSeen : seen },
    options: blocked === null ? options : null,
    skip,
    picks: picks && !edit.isChanged,
    choice,
    edit,
    onSeen: seen.onSeen,
    onEditSeen: editSeen.onSeen,
  };
}

/** How many rows there are to be seen; null while nobody knows. */
function totalOf({ body }: Presented, rows: number | null): number | null {
  switch (body.kind) {
    case "diff":
      return rows;
    case "command":
      return textRows(body.command.command).length;
    case "text":
      return textRows(body.text).length;
    case "facts":
      return 0;
  }
}

/** Why the edit cannot be approved; null if it can. */
function editBlocked({ problem, drawn, failure }: Edit): string | null {
  if (problem !== null || failure !== null || drawn?.verdict === "deny") return text.cannot;
  return drawn === null ? strings.edit.checking : null;
}

function optionsOf(digest: string, edit: Edit, hunks: readonly number[] | null): ApproveOptions {
  if (edit.isChanged && edit.args !== null) return { digest, override_args: edit.args, redrawn: edit.drawn?.digest ?? null };
  return hunks === null ? { digest } : { digest, hunks };
}
