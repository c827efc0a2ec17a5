// What was written down: grants, runs, the journal, the history.

import type { Outcome, Scope } from "./answers.js";
import type { Args } from "./json.js";

export interface Done {
  readonly done: boolean;
}

export interface Grant {
  readonly id: string;
  readonly operation: string;
  readonly tool_name: string;
  readonly description: string;
  readonly allow: boolean;
  readonly scope: Scope;
  readonly run: string | null;
  readonly agents: readonly string[] | null;
  readonly by: string;
  readonly at: number;
  readonly note: string;
  readonly pattern: string;
  readonly expires: number | null;
  readonly calls: number | null;
}

export interface Run {
  readonly id: string;
  readonly started: number;
  readonly ended: number | null;
  readonly stopped: { readonly by: string; readonly at: number } | null;
  readonly agents: readonly string[];
  readonly asked: number;
  readonly waiting: number;
  readonly running: number;
  readonly unknown: number;
}

export interface JournalEntry {
  readonly seq: number;
  readonly kind: string;
  readonly at: number;
  readonly run: string;
  readonly body: Args;
  readonly previous: string;
  readonly hash: string;
}

export interface Chain {
  readonly whole: boolean;
  readonly broken_at: number | null;
  readonly reason: string;
}

export interface Past {
  readonly id: string;
  readonly tool_name: string;
  readonly description: string;
  readonly run: string;
  readonly agents: readonly string[];
  readonly created: number;
  readonly proposed: Args;
  readonly approved: Args | null;
  readonly decision: {
    readonly kind: string;
    readonly outcome?: Outcome;
    readonly note: string;
    readonly by: string;
    readonly at: number;
    readonly scope?: Scope | null;
    /** Which changes were approved, counted from 0; then `approved` is null. */
    readonly hunks?: readonly number[] | null;
    /** How many there were to choose from. */
    readonly of?: number | null;
  } | null;
  readonly executed: { readonly state: string; readonly at: number; readonly detail: string } | null;
}

export interface History {
  readonly items: readonly Past[];
  readonly next: string | number | null;
}
