// Tells which rows were on the screen.

import { useCallback, useEffect, useRef } from "react";
import type { RefObject } from "react";
import { useInSight } from "../state/sight.js";
import type { Extent } from "./extent.js";
import type { Lines } from "./lines.js";
import { isWhole } from "./RowText.js";
import { firstUnseen, isSeen, lookedAt, passed } from "./seen.js";
import type { Looked as Parts, Span } from "./seen.js";
import type { RowSource } from "./source.js";
import type { Reach } from "./useAcross.js";
import type { Looked } from "./useView.js";
import { inView, seenIn } from "./window.js";

interface Wanted {
  readonly box: RefObject<Element | null>;
  readonly source: RowSource;
  readonly extent: Extent;
  readonly lines: Lines;
  readonly looked: Looked;
  readonly reach: Reach;
  readonly version: number;
  readonly whole: ReadonlySet<number>;
  readonly onSeen: ((rows: readonly number[]) => void) | undefined;
}

/** What is returned says how far down a line was seen that does not fit the view, in pixels. */
export function useSeenRows(wanted: Wanted): (line: number) => number {
  const { box, source, extent, lines, looked, reach, version, whole, onSeen } = wanted;
  const last = useRef<Span | null>(null);
  /** The lines that were seen in parts. */
  const parts = useRef(new Map<number, Parts>());
  const isInSight = useInSight(box);
  useEffect(() => {
    last.current = null;
    parts.current.clear();
  }, [source, lines]);
  useEffect(() => {
    // Where nobody looks, nothing is seen.
    if (onSeen === undefined || lines.count === 0 || looked.shown.height <= 0 || !isInSight) return;
    const now = seenIn(extent, looked.shown);
    const rows = new Set<number>();
    const see = (line: number): void => rowsOf(lines, line).forEach((at) => rows.add(at));
    // What is not here yet, or only its beginning, was not seen.
    const isHere = (at: number): boolean => {
      const row = source.row(at);
      return row !== undefined && isWhole(row, whole, at);
    };
    if (now.end > now.first) {
      const span = passed(last.current, now);
      last.current = now;
      for (let line = span.first; line < span.end; line++) if (reach.isWhole(line)) see(line);
    }
    const view = inView(extent, looked.shown);
    for (const line of new Set([extent.rowAt(view.first), extent.rowAt(view.end)])) {
      if (now.first <= line && line < now.end) continue;
      if (!rowsOf(lines, line).every(isHere)) continue;
      const part = lookedAt(parts.current.get(line), { first: extent.topOf(line), end: extent.topOf(line + 1) }, view);
      parts.current.set(line, part);
      if (isSeen(part) && reach.isWhole(line)) see(line);
    }
    const seen = [...rows].filter(isHere).sort((one, other) => one - other);
    if (seen.length > 0) onSeen(seen);
  }, [source, extent, extent.height, lines, looked, reach, version, whole, onSeen, isInSight]);
  return useCallback((line) => {
    const part = parts.current.get(line);
    return part === undefined ? 0 : (firstUnseen(part.spans, part.height) ?? 0);
  }, []);
}

/** The rows on this line. */
function rowsOf(lines: Lines, line: number): readonly number[] {
  const { left, right } = lines.at(line);
  return [left, right].filter((at) => at !== null);
}
