// A row cut into pieces: each token in its colour, each changed word on its tint, all of it visible.

import { visible } from "../state/visible.js";
import type { Row, TokenKind } from "../state/wire.js";
import { unitsOf } from "./spans.js";

export type Sign = "mark" | "tab" | "blank" | "return";
/** A place that was searched for, in UTF-16 units. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  readonly current: boolean;
}

export interface Piece {
  readonly text: string;
  readonly token: TokenKind | null;
  readonly word: boolean;
  /** What is drawn instead of something that draws nothing. */
  readonly sign: Sign | null;
  readonly hit: "hit" | "current" | null;
}

const PLAIN = /^[\x20-\x7E]*$/;
const SIGNS = /(⟨U\+[0-9A-F]+⟩|\t)/;
const NO_HITS: readonly Hit[] = [];

/** The pieces of the row's text up to `most` UTF-16 units. */
export function piecesOf(row: Row, hits: readonly Hit[] = NO_HITS, most = Number.POSITIVE_INFINITY): Piece[] {
  const ends = row.text.endsWith("\r") && row.text.length <= most;
  const text = (ends ? row.text.slice(0, -1) : row.text).slice(0, most);
  const unit = unitsOf(row.text);
  const blanks = row.kind === "added" || row.kind === "removed" ? text.trimEnd().length : text.length;
  const tail = /^ *$/.test(text.slice(blanks)) ? blanks : text.replace(/(?<! ) +$/, "").length;
  const tokens = row.tokens.map((token) => ({ start: unit(token.start), end: unit(token.end), kind: token.kind }));
  const words = row.changed.map(([start, end]) => ({ start: unit(start), end: unit(end) }));
  const cuts = cutsOf(text.length, [...tokens, ...words, ...hits, { start: tail, end: text.length }]);
  const pieces: Piece[] = [];
  for (let at = 0; at + 1 < cuts.length; at++) {
    const start = cuts[at] ?? 0;
    const hit = hits.find((each) => each.start <= start && start < each.end);
    const base = {
      token: tokens.find((each) => each.start <= start && start < each.end)?.kind ?? null,
      word: words.some((each) => each.start <= start && start < each.end),
      hit: hit === undefined ? null : hit.current ? ("current" as const) : ("hit" as const),
    };
    const part = text.slice(start, cuts[at + 1]);
    // Blanks at the end may be all that changed.
    if (start >= tail && isChange(row)) pieces.push({ ...base, text: part, sign: "blank" });
    else spell(part, base, pieces);
  }
  // The end of a line as Windows writes it is no trick, and on every line of the file.
  if (ends) pieces.push({ text: "", token: null, word: false, sign: "return", hit: null });
  return pieces;
}

function isChange(row: Row): boolean {
  return row.kind === "added" || row.kind === "removed";
}

function cutsOf(length: number, spans: readonly { readonly start: number; readonly end: number }[]): number[] {
  const cuts = new Set([0, length]);
  for (const { start, end } of spans) {
    if (start > 0 && start < length) cuts.add(start);
    if (end > 0 && end < length) cuts.add(end);
  }
  return [...cuts].sort((one, other) => one - other);
}

function spell(text: string, base: Omit<Piece, "text" | "sign">, into: Piece[]): void {
  if (PLAIN.test(text)) {
    if (text !== "") into.push({ ...base, text, sign: null });
    return;
  }
  for (const [at, part] of visible(text).split(SIGNS).entries()) {
    if (part === "") continue;
    into.push({ ...base, text: part, sign: at % 2 === 0 ? null : part === "\t" ? "tab" : "mark" });
  }
}
