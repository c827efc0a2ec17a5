// How far to the right each row was seen, where lines are not wrapped.

/** What of the box is in sight from left to right, in pixels of its content. */
export interface Across {
  readonly left: number;
  readonly width: number;
}

/** Browsers round where they scroll to. */
const ROUND = 1;

/** How far a row is seen now, without a gap; `gutter` stays in place and covers what is scrolled under it. */
export function seenTo(before: number, { left, width }: Across, gutter: number): number {
  const start = left <= ROUND ? 0 : left + gutter;
  return start <= before + ROUND ? Math.max(before, left + width) : before;
}

/** Whether the row, which ends there, was seen to its end. */
export function isSeenTo(seen: number, end: number): boolean {
  return end <= seen + ROUND;
}

/** Where to scroll, to see more of a row that was seen so far; its beginning, if it was not. */
export function leftFor(seen: number, gutter: number): number {
  return Math.max(Math.floor(seen - gutter - ROUND), 0);
}
