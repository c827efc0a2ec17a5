// Tells of new questions and of ends: to ears, in the title, and on the desktop where that is wanted.

import { useConnection } from "../state/connection.js";
import { useInbox } from "../state/inbox.js";
import { useSession } from "../state/session.js";
import { useSettings } from "../state/settings.js";
import { current } from "../state/timeline.js";
import { speak, toast } from "../state/toasts.js";
import { visibleLine } from "../state/visible.js";
import type { EndedItem, ListItem } from "../state/inbox.reduce.js";
import { strings } from "../strings.js";
import { markTab } from "./favicon.js";
import { go } from "./route.js";

/** The title of the page, with how many questions wait. */
export function titleFor(count: number): string {
  return count > 0 ? `(${count}) ${strings.name}` : strings.name;
}

/** Those of the questions that were not there before. */
export function newOnes(before: readonly ListItem[], after: readonly ListItem[]): readonly ListItem[] {
  const known = new Set(before.map((each) => each.id));
  return after.filter((each) => !known.has(each.id));
}

/** Begin to tell. */
export function startTelling(): void {
  useInbox.subscribe((state, before) => {
    if (state.items === before.items) return;
    document.title = titleFor(state.items.length);
    markTab(state.items.length);
    // What waited when the page came is on it; only what comes later is news.
    if (before.known) for (const item of newOnes(before.items, state.items)) tellOf(item);
  });
  useInbox.subscribe((state, before) => {
    if (state.ended === before.ended || !before.known) return;
    for (const [id, ended] of Object.entries(state.ended)) if (before.ended[id] === undefined) tellEnd(ended);
  });
  useSession.subscribe((state, before) => {
    if (state.timeline.running || !before.timeline.running) return;
    const last = current(state.timeline).at(-1);
    if (last?.kind === "finish") speak(strings.live.finished(strings.session.finish[last.status]));
  });
}

function tellOf(item: ListItem): void {
  const what = visibleLine(item.description);
  speak(strings.live.asked(what));
  if (!document.hidden || !useSettings.getState().notifications || !mayNotify()) return;
  const shown = new Notification(strings.live.notification, { body: what, tag: item.id });
  shown.onclick = () => {
    window.focus();
    go("inbox", item.id);
    shown.close();
  };
}

/** What somebody else answered is seen, what was answered here only heard. */
function tellEnd(ended: EndedItem): void {
  const words = strings.live.ended(ended.item.description, strings.outcome[ended.outcome], ended.by);
  if (ended.by === useConnection.getState().server?.you) speak(words);
  else toast(words);
}

function mayNotify(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}
