// Sending an answer; it names exactly what was seen.

import { Problem, post } from "../state/http.js";
import { useInbox } from "../state/inbox.js";
import type { ApprovalDecision, Approve, Decided, Reject, Ruling } from "../state/wire.js";
import { BEATEN } from "./words.js";

interface Seen {
  /** What was seen; what the inbox shows, if nothing is said. */
  readonly digest?: string;
  /** How the edited call was drawn. */
  readonly redrawn?: string | null;
}

export type ApproveOptions = Seen & Omit<Approve, "kind" | "by">;
export type RejectOptions = Seen & Omit<Reject, "kind" | "by" | "note">;

/** Approve a question; throws a Problem if the answer does not count. */
export function approve(id: string, { digest, redrawn, ...more }: ApproveOptions = {}): Promise<Ruling> {
  return answer(id, { kind: "approve", ...more }, digest, redrawn);
}

/** Reject a question with words for the agent; throws a Problem if the answer does not count. */
export function reject(id: string, feedback = "", { digest, redrawn: _, ...more }: RejectOptions = {}): Promise<Ruling> {
  return answer(id, { kind: "reject", note: feedback, ...more }, digest);
}

async function answer(id: string, decision: ApprovalDecision, digest?: string, redrawn?: string | null): Promise<Ruling> {
  const seen = digest ?? useInbox.getState().items.find((item) => item.id === id)?.digest;
  if (seen === undefined) throw new Problem(409, "already_decided", BEATEN);
  const body = { digest: seen, decision, ...(redrawn == null ? {} : { redrawn }) };
  const { ruling } = await post<Decided>(`/api/inbox/${encodeURIComponent(id)}/decision`, body);
  return ruling;
}
