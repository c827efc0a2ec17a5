// A person's answer, and how a question ended.

import type { Args, Json } from "./json.js";

export type Scope = "once" | "session" | "always";

export interface Approve {
  readonly kind: "approve";
  readonly override_args?: Args | null;
  readonly hunks?: readonly number[] | null;
  readonly scope?: Scope;
  readonly seconds?: number | null;
  readonly calls?: number | null;
  readonly covers?: string;
  readonly every_agent?: boolean;
  readonly note?: string;
  readonly by?: string;
}

export interface Reject {
  readonly kind: "reject";
  readonly note?: string;
  readonly stop?: boolean;
  readonly scope?: Scope;
  readonly seconds?: number | null;
  readonly covers?: string;
  readonly every_agent?: boolean;
  readonly by?: string;
}

export interface Respond {
  readonly kind: "respond";
  readonly result: Json;
  readonly note?: string;
  readonly by?: string;
}

export type ApprovalDecision = Approve | Reject | Respond;

export interface Decision {
  readonly digest: string;
  readonly decision: ApprovalDecision;
}

export type Outcome = "approved" | "rejected" | "stopped" | "responded" | "expired" | "cancelled" | "failed";

export interface Ruling {
  readonly pending: string;
  readonly outcome: Outcome;
  readonly by: string;
  readonly at: number;
  readonly decision: ApprovalDecision | null;
  readonly detail: string;
}

/** How a question ended, as the WebSocket tells it. */
export interface Ended {
  readonly outcome: Outcome;
  readonly by: string;
  readonly at: number;
  readonly note: string;
}

export interface Decided {
  readonly ruling: Ruling;
}

/** One of several answers given together, and what came of it. */
export interface DecidedEach {
  readonly id: string;
  readonly status: number;
  readonly ruling: Ruling | null;
  readonly error: string | null;
  readonly message: string;
}
