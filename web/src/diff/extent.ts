// How tall a list of rows is and where each row stands, without drawing them.

/** Browsers cannot lay out a taller box; a longer list is scrolled faster instead. */
export const TALLEST = 15_000_000;

/** Where rows stand. Content counts every pixel; the scroll bar may have fewer. */
export interface Extent {
  readonly total: number;
  /** The height of the box that is scrolled. */
  readonly height: number;
  /** The row at this place of the content; the nearest one, if there is none. */
  rowAt(y: number): number;
  /** Where this row begins in the content; where the content ends, for the row behind the last. */
  topOf(row: number): number;
  /** What part of the content stands at the top of a view that is scrolled to here. */
  contentAt(scrollTop: number, view: number): number;
  /** Where to scroll, so that this part of the content stands at the top. */
  scrollTo(y: number, view: number): number;
}

/** Rows that all have the same height. */
export function uniform(total: number, rowHeight: number, tallest = TALLEST): Extent {
  const content = total * rowHeight;
  const height = Math.min(content, tallest);
  const ratio = (view: number): number => (height > view && content > height ? (content - view) / (height - view) : 1);
  return {
    total,
    height,
    rowAt: (y) => clamp(Math.floor(y / rowHeight), 0, Math.max(total - 1, 0)),
    topOf: (row) => clamp(row, 0, total) * rowHeight,
    contentAt: (scrollTop, view) => scrollTop * ratio(view),
    scrollTo: (y, view) => y / ratio(view),
  };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
