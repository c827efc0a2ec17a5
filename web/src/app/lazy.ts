// Views that are not needed at once: they come with a file of their own.

import { lazy } from "react";

const load = () => import("./later.js");

export const BatchSheet = lazy(async () => ({ default: (await load()).BatchSheet }));
export const HistoryView = lazy(async () => ({ default: (await load()).HistoryView }));
export const GrantsView = lazy(async () => ({ default: (await load()).GrantsView }));
export const SettingsView = lazy(async () => ({ default: (await load()).SettingsView }));

/** Fetch the file before anybody asks for it; what fails now is tried again when it is needed. */
export function fetchAhead(): void {
  load().catch(() => undefined);
}
