// What can be seen: nothing in a tab in the background, and nothing below the dialog on top.

import { useSyncExternalStore } from "react";
import type { RefObject } from "react";

const sheets: Element[] = [];
const watchers = new Set<() => void>();

/** This dialog is on top now; what is returned says that it is gone. */
export function onTop(sheet: Element): () => void {
  sheets.push(sheet);
  tell();
  return () => {
    sheets.splice(sheets.indexOf(sheet), 1);
    tell();
  };
}

/** The dialog that was opened last; null if there is none. */
export function topSheet(): Element | null {
  return sheets.at(-1) ?? null;
}

/** Whether somebody may be looking at this element. */
export function inSight(element: Element | null): boolean {
  return !document.hidden && (topSheet()?.contains(element) ?? true);
}

/** Calls `watcher` whenever something may have come into sight or gone out of it. */
export function watchSight(watcher: () => void): () => void {
  if (watchers.size === 0) document.addEventListener("visibilitychange", tell);
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) document.removeEventListener("visibilitychange", tell);
  };
}

export function useInSight(element: RefObject<Element | null>): boolean {
  return useSyncExternalStore(watchSight, () => inSight(element.current));
}

function tell(): void {
  for (const watcher of [...watchers]) watcher();
}
