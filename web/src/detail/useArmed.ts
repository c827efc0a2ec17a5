// Approving begins to count only when a person can have seen what there is to see.

import { useEffect, useState } from "react";
import type { RefObject } from "react";
import { inSight, watchSight } from "../state/sight.js";

export const QUIET = 350;

/** Whether `key` has been on the screen for a moment, in `box`; null: nothing is there to be approved. */
export function useArmed(key: string | null, box: RefObject<Element | null>): boolean {
  const [armed, setArmed] = useState<string | null>(null);
  useEffect(() => {
    setArmed(null);
    if (key === null) return;
    let timer = 0;
    const wait = (): void => {
      window.clearTimeout(timer);
      setArmed(null);
      // What comes back to the front, or out from under a dialog, has only just appeared, too.
      if (inSight(box.current)) timer = window.setTimeout(() => setArmed(key), QUIET);
    };
    wait();
    const unwatch = watchSight(wait);
    return () => {
      window.clearTimeout(timer);
      unwatch();
    };
  }, [key, box]);
  return key !== null && armed === key;
}
