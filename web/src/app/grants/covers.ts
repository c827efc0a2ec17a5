// What a grant covers, as a person would say it in one line.

import type { Grant } from "../../state/wire.js";

export interface Covers {
  readonly title: string;
  /** Whether the title is something to be read letter by letter. */
  readonly exact: boolean;
  /** What there is to say besides. */
  readonly more: string;
}

/** The pattern; without one, the command it was given for; else the description. */
export function covers(grant: Grant): Covers {
  const exact = grant.pattern || commandIn(grant.operation);
  if (exact === "") return { title: grant.description, exact: false, more: "" };
  return { title: exact, exact: true, more: grant.description };
}

/** An operation is filed as its tool and what tells it from others. */
function commandIn(operation: string): string {
  try {
    const filed: unknown = JSON.parse(operation);
    const told: unknown = Array.isArray(filed) ? filed.at(-1) : null;
    return typeof told === "object" && told !== null && "command" in told && typeof told.command === "string" ? told.command : "";
  } catch {
    return "";
  }
}
