// Which of the past questions a person wants to see.

import type { Past } from "../../state/wire.js";

export type Kind = "all" | "approved" | "refused" | "waiting" | "failed";
export const KINDS: readonly Kind[] = ["all", "approved", "refused", "waiting", "failed"];

/** Whether it was let through, was not, or still waits. */
export function kindOf(past: Past): "approved" | "refused" | "waiting" {
  if (past.decision === null) return "waiting";
  return past.decision.kind === "approve" ? "approved" : "refused";
}

/** Those of this kind that have every one of these words somewhere. */
export function matching(items: readonly Past[], kind: Kind, text: string): readonly Past[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((each) => isOf(each, kind) && wanted.every((word) => textOf(each).includes(word)));
}

function isOf(past: Past, kind: Kind): boolean {
  if (kind === "all") return true;
  if (kind === "failed") return past.executed?.state === "failed" || past.executed?.state === "unknown";
  return kindOf(past) === kind;
}

function textOf(past: Past): string {
  const { decision } = past;
  const parts = [past.tool_name, past.description, past.run, ...past.agents, decision?.by ?? "", decision?.note ?? ""];
  return parts.join("\n").toLowerCase();
}

/** Whether something else was approved than was proposed. */
export function isChanged(past: Past): boolean {
  if (past.decision?.hunks != null) return true;
  return past.approved !== null && JSON.stringify(past.approved) !== JSON.stringify(past.proposed);
}
