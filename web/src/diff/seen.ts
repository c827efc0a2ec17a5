// What a person has had before their eyes: rows of which none was skipped.

export interface Span {
  readonly first: number;
  readonly end: number;
}

/** The spans with another one, in order and without overlap. */
export function withSpan(spans: readonly Span[], span: Span): readonly Span[] {
  if (span.end <= span.first) return spans;
  if (spans.some((each) => each.first <= span.first && span.end <= each.end)) return spans;
  let { first, end } = span;
  const apart: Span[] = [];
  for (const each of spans) {
    if (each.end < first || each.first > end) apart.push(each);
    else {
      first = Math.min(first, each.first);
      end = Math.max(end, each.end);
    }
  }
  return [...apart, { first, end }].sort((one, other) => one.first - other.first);
}

/** How many rows were seen. */
export function seenCount(spans: readonly Span[]): number {
  return spans.reduce((sum, each) => sum + each.end - each.first, 0);
}

/** The first row that was not seen; null if all of them were. */
export function firstUnseen(spans: readonly Span[], total: number): number | null {
  const start = spans[0];
  const row = start !== undefined && start.first <= 0 ? start.end : 0;
  return row < total ? row : null;
}

/** What lies between two views of one scroll: passed before the eyes, unless it was a jump. */
export function passed(before: Span | null, now: Span): Span {
  if (before === null) return now;
  const screen = Math.max(now.end - now.first, before.end - before.first, 1);
  const gap = Math.max(now.first - before.end, before.first - now.end, 0);
  if (gap > screen * SCREENS) return now;
  return { first: Math.min(before.first, now.first), end: Math.max(before.end, now.end) };
}

/** A fast wheel leaves out this many screens between two frames; whoever jumps leaves out more. */
const SCREENS = 2;
