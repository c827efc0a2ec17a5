// Which of the previews in a list were seen to their end: whole ones, scrolled past or in sight.

import { type RefObject, useCallback, useEffect, useRef } from "react";

/** How many of the included previews were not seen in full; one that has not come was not seen. */
export type Unseen = () => number;

/** Looks whenever the list grows or is scrolled; an item is an element with `data-item`. */
export function useSeenItems(list: RefObject<HTMLElement | null>): Unseen {
  const seen = useRef(new Set<string>());

  const look = useCallback(() => {
    const box = list.current?.closest(".sheet-body");
    if (!list.current || !box) return;
    const end = box.getBoundingClientRect().bottom + 1;
    for (const item of itemsIn(list.current)) {
      if (isWhole(item) && item.getBoundingClientRect().bottom <= end) seen.current.add(item.dataset["item"] ?? "");
    }
  }, [list]);

  useEffect(() => {
    const box = list.current?.closest(".sheet-body");
    if (!list.current || !box) return;
    const grown = new ResizeObserver(look);
    grown.observe(list.current);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [list, look]);

  return useCallback(() => {
    look();
    if (!list.current) return Number.POSITIVE_INFINITY;
    const included = itemsIn(list.current).filter((item) => item.dataset["included"] === "true");
    return included.filter((item) => !seen.current.has(item.dataset["item"] ?? "")).length;
  }, [list, look]);
}

function itemsIn(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[data-item]")];
}

/** A preview that has come, and has no caption that says how much is left out. */
function isWhole(item: HTMLElement): boolean {
  return item.querySelector("figure") !== null && item.querySelector("figcaption") === null;
}
