// Listens for keys and passes them on: to the list, or to the question that is open.

import { useEffect } from "react";
import { useSettings } from "../state/settings.js";
import { type Action, Quiet, actionOf, isForQuestion, takesText } from "./keys.js";

/** Does what the list understands; returns whether it was something of its own. */
export type ListActs = (action: Action) => boolean;

const quiet = new Quiet();
let list: ListActs | null = null;

/** While this is on the page, list keys go to it. */
export function useListKeys(act: ListActs): void {
  useEffect(() => {
    list = act;
    return () => {
      if (list === act) list = null;
    };
  }, [act]);
}

/** Listens on the whole page. */
export function useKeys(onHelp: () => void): void {
  const on = useSettings((state) => state.shortcuts);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const target = event.target instanceof HTMLElement ? event.target : document.body;
      const now = performance.now();
      if (takesText(target)) {
        quiet.typed(now);
        return;
      }
      if (!on || event.defaultPrevented) return;
      const action = actionOf(event);
      if (action === null || quiet.isTypingAhead(now)) return;
      if (done(action, target, onHelp)) event.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [on, onHelp]);
}

function done(action: Action, target: HTMLElement, onHelp: () => void): boolean {
  const sheet = document.querySelector("dialog[open]");
  if (isForQuestion(action)) {
    if (sheet !== null && !sheet.querySelector("[data-question]")) return false;
    window.dispatchEvent(new CustomEvent("assent:key", { detail: action }));
    return true;
  }
  if (sheet !== null) return false;
  if (action === "help") {
    onHelp();
    return true;
  }
  // On a link or button, Enter belongs to it.
  if (action === "open" && target.closest("a, button, summary, input, label") !== null) return false;
  return list?.(action) ?? false;
}
