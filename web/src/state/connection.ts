// Whether the server is there, who we are to it, and what it allows.

import { create } from "zustand";
import type { Hello, PermissionMode } from "./wire.js";

export type Link = "starting" | "connecting" | "open" | "lost" | "stranger";

export interface Server {
  readonly you: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly allowBypass: boolean;
  /** Those that would start a run; without an agent there are none, and it only shows and takes answers. */
  readonly modes: readonly PermissionMode[];
  readonly cwd: string | null;
  readonly model: string | null;
  readonly offline: boolean;
  readonly version: string;
}

interface ConnectionState {
  readonly link: Link;
  readonly server: Server | null;
  /** When the next attempt is made, in milliseconds of this device. */
  readonly retryAt: number | null;
  /** Why we are not let in, in the server's words. */
  readonly turnedAway: string | null;
  readonly set: (some: Partial<Pick<ConnectionState, "link" | "retryAt" | "turnedAway">>) => void;
  readonly greet: (hello: Hello) => void;
}

export const MODES: readonly PermissionMode[] = ["sdk", "bypassPermissions", "toolApproval"];

export const useConnection = create<ConnectionState>()((set) => ({
  link: "starting",
  server: null,
  retryAt: null,
  turnedAway: null,
  set: (some) => set(some),
  greet: (hello) => set({ link: "open", retryAt: null, turnedAway: null, server: serverOf(hello) }),
}));

/** Whether the server has an agent: without one it only shows and takes answers. */
export function hasModes({ server }: { readonly server: Server | null }): boolean {
  return (server?.modes.length ?? 0) > 0;
}

/** What a greeting says of the server; an older one says less. */
export function serverOf(hello: Hello): Server {
  return {
    you: hello.you,
    labels: hello.permission_modes,
    allowBypass: hello.allow_bypass ?? false,
    modes: hello.modes ?? ["sdk"],
    cwd: hello.cwd ?? null,
    model: hello.model ?? null,
    offline: hello.offline ?? false,
    version: hello.version ?? "",
  };
}
