// How much of what is shown was before the person's eyes, for each thing that is shown.

import { useCallback, useState } from "react";
import { firstUnseen, seenCount, withSpan } from "../diff/seen.js";
import type { Span } from "../diff/seen.js";

export interface Seen {
  readonly count: number;
  readonly total: number;
  readonly isAll: boolean;
  /** The first row that was not seen. */
  readonly next: number | null;
  readonly onSeen: (rows: readonly number[]) => void;
}

interface State {
  readonly key: string;
  readonly spans: readonly Span[];
}

/** `total` rows from row `skip` on are to be seen; null while nobody knows how many there are. */
export function useSeen(key: string, total: number | null, skip: number): Seen {
  const [state, setState] = useState<State>({ key, spans: [] });
  const onSeen = useCallback(
    (rows: readonly number[]) =>
      setState((before) => {
        const old = before.key === key ? before.spans : [];
        const spans = spansOf(rows).reduce(withSpan, old);
        return spans === old && before.key === key ? before : { key, spans };
      }),
    [key],
  );
  const spans = state.key === key ? withSpan(state.spans, { first: 0, end: skip }) : [];
  const next = total === null ? 0 : firstUnseen(spans, total);
  return {
    count: Math.max(seenCount(spans) - skip, 0),
    total: Math.max((total ?? 0) - skip, 0),
    isAll: total !== null && next === null,
    next,
    onSeen,
  };
}

/** Neighbours together. */
export function spansOf(rows: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  for (const row of rows) {
    const last = spans.at(-1);
    if (last !== undefined && last.end === row) spans[spans.length - 1] = { first: last.first, end: row + 1 };
    else spans.push({ first: row, end: row + 1 });
  }
  return spans;
}
