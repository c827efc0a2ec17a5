// Which of the previews in a list were seen in full: whole ones, every part of which was in view.

import { type RefObject, useCallback, useEffect, useRef } from "react";
import { type Looked, type Span, isSeen, lookedAt } from "../../diff/seen.js";
import { inSight, watchSight } from "../../state/sight.js";

/** Those of these previews that were not seen in full; one that has not come was not seen. */
export type Unseen = (ids: readonly string[]) => readonly string[];

/** Previews come one by one and push each other away: what stood there for less than this was not seen. */
const SETTLED_MS = 200;

/** Looks whenever the list has grown or is scrolled; a preview stands in an element with `data-item`. */
export function useSeenItems(list: RefObject<HTMLElement | null>): Unseen {
  const looked = useRef(new WeakMap<HTMLElement, Looked>());

  const look = useCallback(() => {
    const box = list.current?.closest(".sheet-body");
    // In a tab that nobody looks at, nothing is seen.
    if (!list.current || !box || !inSight(box)) return;
    const view = extentOf(box);
    for (const preview of previewsIn(list.current)) {
      // Taken out, it is not drawn; put back, what was seen of it counts.
      if (preview.getClientRects().length === 0) continue;
      looked.current.set(preview, lookedAt(looked.current.get(preview), extentOf(preview), view));
    }
  }, [list]);

  useEffect(() => {
    const box = list.current?.closest(".sheet-body");
    if (!list.current || !box) return;
    let due: ReturnType<typeof setTimeout> | undefined;
    const grown = new ResizeObserver(() => {
      clearTimeout(due);
      due = setTimeout(look, SETTLED_MS);
    });
    grown.observe(list.current);
    box.addEventListener("scroll", look, { passive: true });
    const unwatch = watchSight(look);
    return () => {
      clearTimeout(due);
      grown.disconnect();
      box.removeEventListener("scroll", look);
      unwatch();
    };
  }, [list, look]);

  return useCallback(
    (ids) => {
      look();
      const previews = list.current === null ? [] : previewsIn(list.current);
      const seen = previews.filter((each) => isWhole(each) && isSeen(looked.current.get(each)));
      const known = new Set(seen.map((each) => each.closest<HTMLElement>("[data-item]")?.dataset["item"]));
      return ids.filter((id) => !known.has(id));
    },
    [list, look],
  );
}

function previewsIn(list: HTMLElement): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[data-item] .d-previewed")];
}

/** Whether nothing is left out: neither rows, which a caption counts, nor the end of a long line. */
function isWhole(preview: HTMLElement): boolean {
  return preview.querySelector("figcaption, .d-more") === null;
}

function extentOf(element: Element): Span {
  const { top, height } = element.getBoundingClientRect();
  const first = Math.round(top);
  return { first, end: first + Math.round(height) };
}
