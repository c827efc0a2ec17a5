// The keys of the page that concern a question: the shell hears them, the question acts on them.

import { useEffect, useRef } from "react";

export type Key = "approve" | "reject" | "edit" | "select" | "find";

/** Calls `act` whenever the person presses this key. */
export function useKey(key: Key, act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const hear = (event: Event): void => {
      if (event instanceof CustomEvent && event.detail === key) latest.current();
    };
    window.addEventListener("assent:key", hear);
    return () => window.removeEventListener("assent:key", hear);
  }, [key]);
}
