// Other arguments for a call, as a person writes them: one text of it, or all of it as JSON.

import { readExact, writeExact } from "../state/exact.js";
import type { Args } from "../state/wire.js";
import { strings } from "./strings.js";

/** What a person would edit first, as the terminal has it: the command, the new text. */
const TEXTS = ["command", "content", "new_string", "new_str", "text", "patch"] as const;

/** The argument that is a text of its own; null if there is none. */
export function textField(args: Args): string | null {
  return TEXTS.find((name) => typeof args[name] === "string") ?? null;
}

export interface Draft {
  /** The arguments of which `field` is edited; what was changed in the others is in them. */
  readonly base: Args;
  /** The field that is edited as text; null: all arguments as JSON. */
  readonly field: string | null;
  readonly text: string;
}

/** The call as it is, ready to be edited. */
export function draftOf(args: Args, field: string | null): Draft {
  const text = field === null ? writeExact(args, 2) : args[field];
  return { base: args, field, text: typeof text === "string" ? text : "" };
}

/** The same edit in its other form; as it is, where it cannot be read or the field is no text. */
export function switched(draft: Draft, field: string | null): Draft {
  const { args } = readDraft(draft);
  return args !== null && (field === null || typeof args[field] === "string") ? draftOf(args, field) : draft;
}

export type Read = { readonly args: Args; readonly problem: null } | { readonly args: null; readonly problem: string };

/** The arguments that were written; or what is wrong with them. */
export function readDraft({ base, field, text }: Draft): Read {
  if (field !== null) return { args: { ...base, [field]: text }, problem: null };
  let value: unknown;
  try {
    value = readExact(text);
  } catch (error) {
    return { args: null, problem: strings.edit.notJson(error instanceof Error ? error.message : String(error)) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { args: null, problem: strings.edit.notObject };
  return { args: value as Args, problem: null };
}
