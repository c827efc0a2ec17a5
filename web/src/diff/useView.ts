// Where a box is scrolled to, and how much of it can be seen on the screen.

import { useCallback, useEffect, useState } from "react";
import type { RefObject } from "react";
import type { View } from "./window.js";

export interface Looked {
  /** The whole box. */
  readonly view: View;
  /** The part of it that is on the screen: the page around it may be scrolled too. */
  readonly shown: View;
  /** How far it is scrolled to the right, and how wide it is. */
  readonly left: number;
  readonly width: number;
}

const FIRST: Looked = { view: { top: 0, height: 800 }, shown: { top: 0, height: 0 }, left: 0, width: 0 };

/** Follows the scrolling and the size of the box. */
export function useView(box: RefObject<HTMLElement | null>): readonly [Looked, () => void] {
  const [looked, setLooked] = useState(FIRST);
  const look = useCallback(() => {
    const element = box.current;
    if (element !== null) setLooked((before) => same(before, lookedAt(element)));
  }, [box]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    // Scroll events do not bubble: those of every box around this one are caught on their way down.
    window.addEventListener("scroll", look, { capture: true, passive: true });
    window.addEventListener("resize", look);
    return () => {
      sizes.disconnect();
      window.removeEventListener("scroll", look, { capture: true });
      window.removeEventListener("resize", look);
    };
  }, [box, look]);
  return [looked, look];
}

function lookedAt(element: HTMLElement): Looked {
  const view = { top: element.scrollTop, height: element.clientHeight };
  const rect = element.getBoundingClientRect();
  let [top, bottom] = [Math.max(rect.top, 0), Math.min(rect.top + element.clientHeight, window.innerHeight)];
  const around = element.parentElement?.closest("[data-scrolls]")?.getBoundingClientRect();
  if (around !== undefined) [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
  const shown = { top: view.top + Math.max(top - rect.top, 0), height: Math.max(bottom - top, 0) };
  return { view, shown, left: element.scrollLeft, width: element.clientWidth };
}

function same(before: Looked, now: Looked): Looked {
  const equal = (one: View, other: View): boolean => one.top === other.top && one.height === other.height;
  const isSame = equal(before.view, now.view) && equal(before.shown, now.shown);
  return isSame && before.left === now.left && before.width === now.width ? before : now;
}
