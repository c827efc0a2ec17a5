// Which rows are drawn: those in view and some around them.

import { clamp } from "./extent.js";
import type { Extent } from "./extent.js";
import type { Span } from "./seen.js";

/** Where the box is scrolled to, and how much of it is seen. */
export interface View {
  readonly top: number;
  readonly height: number;
}

export interface RowWindow {
  readonly first: number;
  /** The row behind the last one that is drawn. */
  readonly end: number;
  /** How far down in the box the first one stands. */
  readonly offset: number;
}

/** The rows to draw; `overscan` rows more on each side, so that a scroll finds them ready. */
export function windowOf(extent: Extent, view: View, overscan: number): RowWindow {
  if (extent.total === 0) return { first: 0, end: 0, offset: 0 };
  const y = contentTop(extent, view);
  const first = Math.max(extent.rowAt(y) - overscan, 0);
  const end = Math.min(extent.rowAt(y + view.height) + 1 + overscan, extent.total);
  return { first, end, offset: extent.topOf(first) + clampedTop(extent, view) - y };
}

/** What of the content is in view. */
export function inView(extent: Extent, view: View): Span {
  const y = contentTop(extent, view);
  return { first: y, end: y + view.height };
}

/** The rows that a person can see whole, up to the one behind the last. */
export function seenIn(extent: Extent, view: View): Span {
  if (extent.total === 0 || view.height <= 0) return { first: 0, end: 0 };
  const { first: y, end: bottom } = inView(extent, view);
  // Half a pixel: browsers round where they scroll to.
  let first = extent.rowAt(y);
  if (extent.topOf(first) < y - 0.5) first += 1;
  let end = extent.rowAt(bottom);
  if (extent.topOf(end + 1) <= bottom + 0.5) end += 1;
  return { first, end: Math.max(end, first) };
}

/** Where to scroll, so that the row is in the middle or, from `down` pixels below its beginning, at the top. */
export function scrollToRow(extent: Extent, view: View, row: number, place: "middle" | "top" = "middle", down = 0): number {
  const y = contentTop(extent, view);
  const top = extent.topOf(row);
  const bottom = extent.topOf(row + 1);
  // What is in view already does not have to be moved to be found.
  if (place === "middle" && top >= y && bottom <= y + view.height) return view.top;
  const above = place === "top" ? -down : (view.height - (bottom - top)) / 2;
  const wanted = clamp(top - above, 0, Math.max(extent.topOf(extent.total) - view.height, 0));
  return extent.scrollTo(wanted, view.height);
}

function contentTop(extent: Extent, view: View): number {
  return extent.contentAt(clampedTop(extent, view), view.height);
}

/** Some browsers scroll a little beyond both ends. */
function clampedTop(extent: Extent, view: View): number {
  return clamp(view.top, 0, Math.max(extent.height - view.height, 0));
}
