// Tells which rows were seen to their right end, where lines are not wrapped.

import { useEffect, useMemo, useRef } from "react";
import type { RefObject } from "react";
import { isSeenTo, leftFor, seenTo } from "./across.js";
import type { Lines } from "./lines.js";
import type { RowSource } from "./source.js";

export interface Reach {
  /** Whether the line, which is in sight now, has been seen to its end. */
  readonly isWhole: (line: number) => boolean;
  /** Where to scroll to see more of it. */
  readonly leftOf: (line: number) => number;
}

/** `wrap`: there is nothing to the right. */
export function useAcross(box: RefObject<HTMLElement | null>, source: RowSource, lines: Lines, wrap: boolean): Reach {
  const seen = useRef(new Map<number, number>());
  useEffect(() => seen.current.clear(), [source, lines]);
  return useMemo(
    () => ({
      isWhole: (line) => {
        const element = box.current;
        if (wrap || element === null) return wrap;
        // The table is as wide as its longest line: all of it is in sight.
        if (element.scrollWidth <= element.clientWidth) return true;
        const cell = element.querySelector(`[data-line="${line}"] :is(.d-code, .d-wide)`);
        // Of what was passed without being drawn nobody knows how long it is.
        if (cell === null) return false;
        const across = { left: element.scrollLeft, width: element.clientWidth };
        const now = seenTo(seen.current.get(line) ?? 0, across, gutterOf(element));
        seen.current.set(line, now);
        const { width, right } = textIn(cell);
        return width === 0 || isSeenTo(now, right - element.getBoundingClientRect().left + across.left);
      },
      leftOf: (line) => (box.current === null ? 0 : leftFor(seen.current.get(line) ?? 0, gutterOf(box.current))),
    }),
    [box, wrap, lines],
  );
}

/** Where its text is, without what only fills the cell. */
function textIn(cell: Element): DOMRect {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getBoundingClientRect();
}

/** What stays at the left: the numbers. */
function gutterOf(element: HTMLElement): number {
  return element.querySelector<HTMLElement>(".d-code")?.offsetLeft ?? 0;
}
