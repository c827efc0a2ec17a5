// What an answer is remembered for, and for how long.

import type { Approve } from "../state/wire.js";
import { strings } from "./strings.js";

export type Lasts = "session" | "minutes" | "calls" | "always";

export interface Wish {
  /** The name of what it covers; empty for the operation itself. */
  readonly covers: string;
  readonly lasts: Lasts;
  readonly minutes: number;
  readonly calls: number;
  readonly everyAgent: boolean;
}

export const FIRST_WISH: Wish = { covers: "", lasts: "session", minutes: 15, calls: 3, everyAgent: false };

type Remembered = Pick<Approve, "scope" | "seconds" | "calls" | "covers" | "every_agent">;

/** The part of an answer that says what is remembered of it. */
export function remembered({ covers, lasts, minutes, calls, everyAgent }: Wish): Remembered {
  const base = { covers, every_agent: everyAgent };
  switch (lasts) {
    case "session":
      return { ...base, scope: "session" };
    case "minutes":
      return { ...base, scope: "session", seconds: minutes * 60 };
    case "calls":
      return { ...base, scope: "session", calls };
    case "always":
      return { ...base, scope: "always" };
  }
}

/** Whether it can be remembered so. */
export function isWhole(wish: Wish): boolean {
  const bound = wish.lasts === "minutes" ? wish.minutes : wish.lasts === "calls" ? wish.calls : 1;
  return Number.isInteger(bound) && bound >= 1;
}

/** How long, in words: `for 15 minutes, only main`. */
export function lastsIn(wish: Wish, agents: readonly string[]): string {
  const { lasts } = strings.remember;
  const long =
    wish.lasts === "minutes" ? lasts.minutes(wish.minutes) : wish.lasts === "calls" ? lasts.calls(wish.calls) : lasts[wish.lasts];
  if (agents.length === 0) return long;
  return `${long}, ${wish.everyAgent ? strings.remember.everyAgent : strings.remember.onlyAgents(agents.join(" › "))}`;
}
