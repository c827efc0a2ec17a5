// Other arguments for a call, as a person writes them: one text of it, or all of it as JSON.

import type { Args, Json } from "../state/wire.js";
import { pretty } from "./presented.js";
import { strings } from "./strings.js";

/** What a person would edit first, as the terminal has it: the command, the new text. */
const TEXTS = ["command", "content", "new_string", "new_str", "text", "patch"] as const;

/** The argument that is a text of its own; null if there is none. */
export function textField(args: Args): string | null {
  return TEXTS.find((name) => typeof args[name] === "string") ?? null;
}

export interface Draft {
  /** The field that is edited as text; null: all arguments as JSON. */
  readonly field: string | null;
  readonly text: string;
}

/** The call as it is, ready to be edited. */
export function draftOf(args: Args, field: string | null): Draft {
  const text = field === null ? pretty(args) : args[field];
  return { field, text: typeof text === "string" ? text : "" };
}

export type Read = { readonly args: Args; readonly problem: null } | { readonly args: null; readonly problem: string };

/** The arguments that were written; or what is wrong with them. */
export function readDraft(original: Args, { field, text }: Draft): Read {
  if (field !== null) return { args: { ...original, [field]: text }, problem: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { args: null, problem: strings.edit.notJson(error instanceof Error ? error.message : String(error)) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { args: null, problem: strings.edit.notObject };
  return { args: value as Args, problem: null };
}

/** Whether both are the same call, in whatever order the arguments stand. */
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
