// What an approval would be now (all of it, some changes, an edit), and whether it may be given.

import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { RefObject } from "react";
import type { Covered } from "../state/wire.js";
import type { ApproveOptions } from "./actions.js";
import type { Ready } from "./ActionBar.js";
import { editedOf } from "./edited.js";
import type { Edited } from "./edited.js";
import { repeatedRows } from "./files.js";
import { rowsIn } from "./presented.js";
import type { Presented } from "./presented.js";
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
  /** What the edited call would do; null where that is not known. */
  readonly edited: Edited | null;
  /** What the answer may be remembered for: "asked" of the question itself, the list of an edit, null if nobody knows. */
  readonly wider: "asked" | readonly Covered[] | null;
  readonly onSeen: (rows: readonly number[]) => void;
  readonly onEditSeen: (rows: readonly number[]) => void;
}

const text = strings.actions;

interface Wanted {
  readonly loaded: Loaded;
  readonly shown: Presented;
  /** What is on the screen is the edit. */
  readonly isEditing: boolean;
  /** Where it is on the screen. */
  readonly box: RefObject<Element | null>;
  readonly onStale: () => void;
}

export function useApproval({ loaded, shown, isEditing, box, onStale }: Wanted): Approval {
  const { detail, rows, blocks: { blocks, narrows } } = loaded;
  const { item, pending } = detail;
  useSyncExternalStore(
    useCallback((listener: () => void) => rows.subscribe(listener), [rows]),
    () => rows.version,
  );
  const edit = useEdit(item.id, item.digest, pending.call.args, onStale);
  const picks = narrows && blocks.length > 1;
  const choice = useChoice(item.digest, blocks.length);
  const skip = shown.body.kind === "diff" ? repeatedRows((at) => rows.row(at), shown.path, shown.changes.length) : 0;
  const total = rowsIn(shown, rows.total);
  const seen = useSeen(item.digest, total, skip);
  const drawn = edit.drawn;
  const edited = useMemo(() => (drawn === null ? null : editedOf({ pending }, drawn)), [pending, drawn]);
  const editSeen = useSeen(`${item.digest} ${edit.times}`, edited?.total ?? null, edited?.skip ?? 0);
  const isSome = picks && choice.chosen.size < blocks.length;
  const blocked = edit.isChanged ? editBlocked(edit, isEditing) : isSome && choice.chosen.size === 0 ? text.noChange : null;
  const label = edit.isChanged ? text.approveEdit : isSome ? text.approveSome(choice.chosen.size, blocks.length) : text.approve;
  const looked = edit.isChanged ? editSeen : seen;
  const shownAs = edit.isChanged ? editKey(item.digest, edit, isEditing) : total === null ? null : item.digest;
  // When all was seen, or the button says something else, things move: what was aimed at is not there any more.
  const isArmed = useArmed(shownAs === null ? null : `${shownAs} ${looked.isAll} ${label}`, box);
  const options = optionsOf(item.digest, edit, isSome ? [...choice.chosen] : null);
  return {
    ready: { label, blocked, isArmed, seen: looked },
    options: blocked === null ? options : null,
    skip,
    picks: picks && !edit.isChanged,
    choice,
    edit,
    edited,
    wider: edit.isChanged ? offersOf(edit) : "asked",
    onSeen: seen.onSeen,
    onEditSeen: editSeen.onSeen,
  };
}

/** Why the edit cannot be approved; null if it can. */
function editBlocked({ problem, drawn, failure }: Edit, isEditing: boolean): string | null {
  // Who looks at the call as it was asked does not approve another one.
  if (!isEditing) return strings.edit.elsewhereTab;
  if (problem !== null || failure !== null || drawn?.verdict === "deny") return text.cannot;
  return drawn === null ? strings.edit.checking : null;
}

/** What an approval of the edit may be remembered for; null if nobody says. */
function offersOf({ drawn }: Edit): readonly Covered[] | null {
  return drawn?.wider !== undefined && drawn.wider !== null && drawn.wider.length > 0 ? drawn.wider : null;
}

function editKey(digest: string, { drawn, times }: Edit, isEditing: boolean): string | null {
  return isEditing ? `${digest} ${drawn?.digest ?? "?"} ${times}` : null;
}

function optionsOf(digest: string, edit: Edit, hunks: readonly number[] | null): ApproveOptions {
  if (edit.isChanged && edit.args !== null) return { digest, override_args: edit.args, redrawn: edit.drawn?.digest ?? null };
  return hunks === null ? { digest } : { digest, hunks };
}
