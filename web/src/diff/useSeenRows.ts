// Tells which rows were on the screen, or passed over it.

import { useEffect, useRef, useSyncExternalStore } from "react";
import type { Extent } from "./extent.js";
import type { Lines } from "./lines.js";
import { isWhole } from "./RowText.js";
import { passed } from "./seen.js";
import type { Span } from "./seen.js";
import type { RowSource } from "./source.js";
import type { Reach } from "./useAcross.js";
import type { Looked } from "./useView.js";
import { seenIn } from "./window.js";

interface Wanted {
  readonly source: RowSource;
  readonly extent: Extent;
  readonly lines: Lines;
  readonly looked: Looked;
  readonly reach: Reach;
  readonly version: number;
  readonly whole: ReadonlySet<number>;
  readonly onSeen: ((rows: readonly number[]) => void) | undefined;
}

export function useSeenRows({ source, extent, lines, looked, reach, version, whole, onSeen }: Wanted): void {
  const last = useRef<Span | null>(null);
  const isLookedAt = usePageVisible();
  useEffect(() => {
    last.current = null;
  }, [source, lines]);
  useEffect(() => {
    // In a tab that nobody looks at, nothing is seen.
    if (onSeen === undefined || lines.count === 0 || !isLookedAt) return;
    const now = seenIn(extent, looked.shown);
    if (now.end <= now.first) return;
    const span = passed(last.current, now);
    last.current = now;
    const rows = new Set<number>();
    for (let line = span.first; line < span.end; line++) {
      if (!reach.isWhole(line)) continue;
      const { left, right } = lines.at(line);
      for (const at of [left, right]) {
        const row = at === null ? undefined : source.row(at);
        // What is not here yet, or only its beginning, was not seen.
        if (at !== null && row !== undefined && isWhole(row, whole, at)) rows.add(at);
      }
    }
    if (rows.size > 0) onSeen([...rows].sort((one, other) => one - other));
  }, [source, extent, extent.height, lines, looked, reach, version, whole, onSeen, isLookedAt]);
}

function usePageVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener("visibilitychange", listener);
      return () => document.removeEventListener("visibilitychange", listener);
    },
    () => !document.hidden,
  );
}
