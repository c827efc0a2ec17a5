// The messages of the WebSocket, and reading one: what nobody knows here is left aside.

import { readExact } from "./exact.js";
import type { Args, Ended, Hello, PermissionMode, Question } from "./wire.js";

interface Numbered {
  readonly seq?: number;
  /** The run it is of: ids of calls are unique only there. */
  readonly run?: string;
  readonly agents?: readonly string[];
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly requests: number;
  readonly cost: number | null;
  readonly conversation: string;
}

export interface RunStarted {
  readonly prompt: string;
  readonly continue: boolean;
  readonly permission_mode: PermissionMode;
  readonly by: string;
}

type Assistant = Numbered & { readonly type: "assistant" } & (
    | { readonly subtype: "text" | "text_delta" | "thinking_delta"; readonly content: { readonly text: string } }
    | { readonly subtype: "tool_use_start"; readonly content: { readonly id: string; readonly name: string } }
    | { readonly subtype: "tool_use_delta"; readonly content: { readonly id: string; readonly partial_json: string } }
    | {
        readonly subtype: "tool_use";
        readonly content: { readonly id: string; readonly name: string; readonly input: Args };
      }
  );

interface ToolResult extends Numbered {
  readonly type: "user";
  readonly subtype: "tool_result";
  readonly content: {
    readonly tool_use_id: string;
    readonly content: string;
    readonly is_error: boolean;
    readonly code?: string;
  };
}

type System = Numbered & { readonly type: "system" } & (
    | { readonly subtype: "superseded"; readonly content: { readonly reason: string; readonly attempt: number } }
    | { readonly subtype: "usage"; readonly content: Usage }
  );

interface RunBegun extends Numbered {
  readonly type: "run";
  readonly subtype: "started";
  readonly content: RunStarted;
}

interface RunEnded extends Numbered {
  readonly type: "result";
  readonly subtype: "success" | "error" | "stopped";
  readonly content: { readonly message: string; readonly code?: string };
}

interface ApprovalEnded extends Numbered {
  readonly type: "tool_approval_ended";
  readonly request_id: string;
  readonly tool_use_id: string;
  readonly run: string;
  readonly content: Ended;
}

interface Complaint extends Numbered {
  readonly type: "error";
  readonly subtype: string;
  readonly content: { readonly message: string };
}

interface Greeting extends Numbered {
  readonly type: "hello";
  readonly content: Hello;
}

export type QuestionAsked = Question & { readonly seq?: number };
export type ServerMessage =
  | Greeting
  | RunBegun
  | Assistant
  | ToolResult
  | System
  | QuestionAsked
  | ApprovalEnded
  | RunEnded
  | Complaint;

const TYPES: ReadonlySet<string> = new Set([
  "hello",
  "run",
  "assistant",
  "user",
  "system",
  "tool_approval_request",
  "tool_approval_ended",
  "result",
  "error",
]);

/** The message in this text; null if it is none that this page knows. */
export function readMessage(text: string): ServerMessage | null {
  let said: unknown;
  try {
    said = readExact(text);
  } catch {
    return null;
  }
  if (typeof said !== "object" || said === null || !("type" in said)) return null;
  // The server is ours and typed; a newer one may say more, and that is left aside.
  return typeof said.type === "string" && TYPES.has(said.type) ? (said as ServerMessage) : null;
}

export type Command =
  | {
      readonly command: "run";
      readonly prompt: string;
      readonly continue: boolean;
      readonly permission_mode: PermissionMode;
      readonly auto_approve_safe: boolean;
    }
  | { readonly command: "stop" };
