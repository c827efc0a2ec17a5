// A question, as the list and the WebSocket have it.

import type { Args } from "./json.js";

export interface Item {
  readonly id: string;
  readonly request_id: string;
  readonly digest: string;
  readonly tool_name: string;
  readonly description: string;
  readonly reason: string;
  readonly run: string;
  readonly agents: readonly string[];
  readonly group_id: string | null;
  readonly created: number;
  readonly expires: number | null;
  readonly seconds_left: number | null;
  readonly presentation: string;
}

export interface Inbox {
  readonly now: number;
  readonly items: readonly Item[];
}

export interface Wider {
  readonly name: string;
  readonly description: string;
  readonly pattern: string;
}

export type PreviewType = "diff" | "multi_diff" | "command" | "generic";

/** What was not sent because it is large: how many characters or lines. */
export interface LeftOut {
  readonly original_content?: number;
  readonly new_content?: number;
  readonly diff_lines?: number;
}

export interface FilePreview {
  readonly file_path: string | null;
  readonly is_new_file: boolean;
  readonly original_lines: number;
  readonly new_lines: number;
  readonly is_deleted?: boolean;
  readonly original_media_type?: string;
  readonly left_out?: LeftOut;
}

export interface SeveralPreview {
  readonly file_path: string;
  readonly edits: number;
  readonly files: readonly (FilePreview & { readonly diff_lines: readonly string[] })[];
}

export type PartVerdict = "allow" | "ask" | "deny";

export interface CommandPart {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly verdict: PartVerdict;
  readonly rule: string;
  readonly why: string;
}

export interface CommandPreview {
  readonly command: string;
  readonly description: string;
  readonly cwd: string | null;
  readonly warnings: readonly string[];
  readonly parts: readonly CommandPart[];
  readonly sandbox: string;
}

export interface GenericPreview {
  readonly input: Args;
  readonly description: string;
  readonly type: string;
  readonly content?: string;
  readonly language?: string | null;
}

interface Asked {
  readonly type: "tool_approval_request";
  readonly request_id: string;
  readonly tool_name: string;
  readonly tool_input: Args;
  readonly tool_use_id: string;
  readonly file_path: string | null;
  readonly original_content: string | null;
  readonly new_content: string | null;
  readonly diff_lines: readonly string[];
}

/** The question as everybody is shown it. */
export type ApprovalRequest = Asked &
  (
    | { readonly preview_type: "diff"; readonly preview_data: FilePreview }
    | { readonly preview_type: "multi_diff"; readonly preview_data: SeveralPreview }
    | { readonly preview_type: "command"; readonly preview_data: CommandPreview }
    | { readonly preview_type: "generic"; readonly preview_data: GenericPreview }
  );

/** What a client that counts is told besides. */
export interface QuestionDetails {
  readonly pending: string;
  readonly digest: string;
  readonly run: string;
  readonly agents: readonly string[];
  readonly group_id: string | null;
  readonly description: string;
  readonly reason: string;
  readonly created: number;
  readonly expires: number | null;
  readonly covers: string;
  readonly wider: readonly Wider[];
}

export type Question = ApprovalRequest & QuestionDetails;

/** A question without what it shows, as whoever comes is told what waits. */
export type Listed = Pick<Question, keyof QuestionDetails | "request_id" | "tool_name" | "tool_use_id" | "preview_type" | "file_path">;
