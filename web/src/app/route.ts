// Which view is shown: the address behind `#`, so that back, forward and reload work.

import { useSyncExternalStore } from "react";
import { decoded } from "../state/place.js";

export type View = "session" | "inbox" | "history" | "grants" | "settings";

export interface Route {
  readonly view: View;
  /** Of the inbox: which question is open. */
  readonly id: string | null;
}

export const VIEWS: readonly View[] = ["session", "inbox", "history", "grants", "settings"];

/** The route that an address names; what nobody knows is the session. */
export function routeOf(hash: string): Route {
  const [, name = "", id = ""] = hash.replace(/^#/, "").split("/");
  const view = VIEWS.find((each) => each === name) ?? "session";
  return { view, id: view === "inbox" && id ? decoded(id) : null };
}

export function hashOf(view: View, id?: string): string {
  return id === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
}

/** Go there; `replace` leaves no step to come back to. */
export function go(view: View, id?: string, { replace = false } = {}): void {
  const hash = hashOf(view, id);
  if (hash === location.hash) return;
  if (!replace) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

let known = "";
let route = routeOf(known);

function read(): Route {
  if (location.hash !== known) {
    known = location.hash;
    route = routeOf(known);
  }
  return route;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, read);
}
