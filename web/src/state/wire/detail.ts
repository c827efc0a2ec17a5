// All of one question: the call, what is shown of it, and how it ended.

import type { Ruling } from "./answers.js";
import type { Args, Json } from "./json.js";
import type { ApprovalRequest, Item, Wider } from "./questions.js";

/** All of one question. */
export interface Detail {
  readonly item: Item;
  readonly pending: Pending;
  readonly message: ApprovalRequest;
  readonly ruling: Ruling | null;
}

export interface Pending {
  readonly id: string;
  readonly call: {
    readonly run: string;
    readonly id: string;
    readonly tool_name: string;
    readonly args: Args;
    readonly agents: readonly string[];
    readonly group_id: string | null;
    readonly metadata: Args;
  };
  readonly request: {
    readonly description: string;
    readonly fingerprint: Args;
    readonly reason: string;
    readonly group_id: string | null;
    readonly covers: string;
    readonly wider: readonly (Wider & { readonly fingerprint: Args })[];
  };
  readonly preview: { readonly presentation: Shown; readonly evidence: readonly Json[] };
  readonly digest: string;
  readonly created: number;
  readonly expires: number | null;
}

/** A presentation; which fields it has depends on its type. */
export type Shown = { readonly type: string; readonly description: string } & Args;

export interface Version {
  readonly sha256: string;
  readonly bytes: number;
  readonly lines: number;
  readonly media_type: string | null;
}

export interface Change {
  readonly path: string;
  readonly unified_diff: string;
  readonly diff_lines: number;
  readonly escaped: boolean;
  readonly before: Version | null;
  readonly after: Version | null;
}
