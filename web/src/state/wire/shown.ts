// What a question shows besides: files, wider answers, an edited call.

import type { Shown } from "./detail.js";
import type { Page, Token } from "./diffs.js";
import type { Args } from "./json.js";
import type { PartVerdict, Question } from "./questions.js";

export interface FileLine {
  readonly number: number;
  readonly text: string;
  readonly tokens: readonly Token[];
}

export interface FileLines {
  readonly path: string;
  readonly rows: readonly FileLine[];
  readonly offset: number;
  readonly total: number;
  readonly ends_with_newline: boolean;
}

export interface WouldAlso {
  readonly of: number;
  readonly matches: number;
  readonly examples: readonly string[];
}

/** Something an answer may be remembered for; the first one is the operation itself, without a name. */
export interface Covered {
  readonly index: number;
  readonly name: string;
  readonly label: string;
  readonly pattern: string;
  readonly would_also: WouldAlso;
}

export interface WiderAnswers {
  readonly wider: readonly Covered[];
}

/** An edited call, judged and drawn. */
export interface Redraw {
  readonly verdict: PartVerdict;
  readonly reason: string;
  readonly problem: string | null;
  readonly digest: string | null;
  readonly message: Question | null;
  readonly rows: Page | null;
  /** What the edited call shows, as a question has it. */
  readonly presentation?: Shown | null;
  /** What an approval of the edited call may be remembered for. */
  readonly wider?: readonly Covered[] | null;
  readonly schema: Args | null;
}

export interface ToolSchema {
  readonly schema: Args | null;
}
