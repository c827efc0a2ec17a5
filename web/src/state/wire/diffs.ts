// A change as rows, and the parts of it that can be approved alone.

export type RowKind = "file" | "hunk" | "context" | "removed" | "added" | "no_newline";
export type TokenKind = "keyword" | "name" | "builtin" | "string" | "number" | "comment" | "operator";

export interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: TokenKind;
}

/** One row; positions count code points of `text`. */
export interface Row {
  readonly kind: RowKind;
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
  readonly changed: readonly (readonly [number, number])[];
  readonly tokens: readonly Token[];
}

export interface Page {
  readonly rows: readonly Row[];
  readonly offset: number;
  readonly total: number;
}

export interface Block {
  readonly first: number;
  readonly last: number;
  readonly removed: number;
  readonly added: number;
  readonly old_line: number;
  readonly new_line: number;
}

export interface Blocks {
  readonly blocks: readonly Block[];
  readonly narrows: boolean;
}
