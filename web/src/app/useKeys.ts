// Listens for keys and passes them on: to the list, or to the question that is open.

import { useEffect } from "react";
import { useSettings } from "../state/settings.js";
import { topSheet } from "../state/sight.js";
import { type Action, type QuestionKey, Quiet, actionOf, endsWriting, isForQuestion, takesText } from "./keys.js";

/** Does what the list understands; returns whether it was something of its own. */
export type ListActs = (action: Action) => boolean;

/**
 * A letter that another key follows within this time is the beginning of a word, not an answer. Shorter than what
 * comes meanwhile stays asleep (`useArmed`): the answer is to what was there when the key was pressed, or to nothing.
 */
const WORD_MS = 300;

const quiet = new Quiet();
let list: ListActs | null = null;
let approval: ReturnType<typeof setTimeout> | undefined;

/** While this is on the page, list keys go to it. */
export function useListKeys(act: ListActs): void {
  useEffect(() => {
    list = act;
    return () => {
      if (list === act) list = null;
    };
  }, [act]);
}

/** What was written has been sent: its person does not write any more. */
export function wroteAll(): void {
  quiet.acted();
}

/** Listens on the whole page. */
export function useKeys(onHelp: () => void): void {
  const on = useSettings((state) => state.shortcuts);
  useEffect(() => {
    // Before everybody else: a field may keep a key for itself, but it was typed all the same.
    const watch = (event: KeyboardEvent): void => {
      clearTimeout(approval);
      const inField = takesText(targetOf(event));
      if (endsWriting(event, inField)) quiet.acted();
      else if (inField) quiet.typed(performance.now());
    };
    const listen = (event: KeyboardEvent): void => {
      const target = targetOf(event);
      if (takesText(target) || !on || event.defaultPrevented) return;
      const action = actionOf(event);
      if (action === null || quiet.isTypingAhead(performance.now())) return;
      if (done(action, target, onHelp)) event.preventDefault();
    };
    window.addEventListener("keydown", watch, { capture: true });
    window.addEventListener("keydown", listen);
    window.addEventListener("pointerdown", wroteAll, { capture: true });
    return () => {
      window.removeEventListener("keydown", watch, { capture: true });
      window.removeEventListener("keydown", listen);
      window.removeEventListener("pointerdown", wroteAll, { capture: true });
    };
  }, [on, onHelp]);
}

function targetOf(event: KeyboardEvent): HTMLElement {
  return event.target instanceof HTMLElement ? event.target : document.body;
}

function done(action: Action, target: HTMLElement, onHelp: () => void): boolean {
  const sheet = topSheet();
  if (isForQuestion(action)) {
    if (sheet !== null && !sheet.querySelector("[data-question]")) return false;
    // A dialog opens by itself, perhaps before somebody who is about to write.
    if (sheet !== null && action === "approve") approval = setTimeout(() => tell(action), WORD_MS);
    else tell(action);
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

function tell(key: QuestionKey): void {
  window.dispatchEvent(new CustomEvent("assent:key", { detail: key }));
}
