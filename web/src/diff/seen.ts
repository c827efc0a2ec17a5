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

/** What lies between two views of one scroll: a row that both cut was seen, what was left out was not. */
export function passed(before: Span | null, now: Span): Span {
  if (before === null) return now;
  const gap = Math.max(now.first - before.end, before.first - now.end, 0);
  if (gap > CUT) return now;
  return { first: Math.min(before.first, now.first), end: Math.max(before.end, now.end) };
}

/** So many rows may stand half in the one view and half in the other, where a wheel turns by whole screens. */
const CUT = 2;

/** What was in view of something of this height, in pixels from its top. */
export interface Looked {
  readonly height: number;
  readonly spans: readonly Span[];
}

/** What was seen of it after this view, too; drawn in another height, it is seen anew. */
export function lookedAt(before: Looked | undefined, shown: Span, view: Span): Looked {
  const height = shown.end - shown.first;
  const spans = before?.height === height ? before.spans : [];
  // The edges are rounded: a pixel more or less is none.
  const first = Math.max(view.first - 1 - shown.first, 0);
  const end = Math.min(view.end + 1 - shown.first, height);
  return { height, spans: withSpan(spans, { first, end }) };
}

export function isSeen(looked: Looked | undefined): boolean {
  return looked !== undefined && firstUnseen(looked.spans, looked.height) === null;
}
