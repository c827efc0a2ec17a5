// Who is there, and what the server allows.

import type { Listed } from "./questions.js";

export type PermissionMode = "sdk" | "bypassPermissions" | "toolApproval";

export interface Who {
  readonly name: string;
  readonly permission_modes: Readonly<Record<string, string>>;
  readonly allow_bypass: boolean;
  readonly running: boolean;
}

export interface Hello {
  readonly you: string;
  readonly running: boolean;
  readonly permission_modes: Readonly<Record<string, string>>;
  readonly since: number;
  readonly head: number;
  readonly missed: boolean;
  readonly pending: readonly Listed[];
  readonly allow_bypass?: boolean;
  /** Those that would start a run here; none where there is no agent. */
  readonly modes?: readonly PermissionMode[];
  readonly cwd?: string | null;
  readonly model?: string | null;
  readonly offline?: boolean;
  readonly version?: string;
  readonly now?: number;
}
