// The record: what was asked and what became of it, and what is remembered.

import { create } from "zustand";
import { del, get, wordsOf } from "./http.js";
import type { Chain, Done, Grant, History, Past } from "./wire.js";

const PAGE = 50;

interface HistoryState {
  readonly items: readonly Past[];
  readonly next: History["next"];
  readonly chain: Chain | null;
  readonly loading: boolean;
  readonly problem: string | null;
  /** The newest of it, before what is there already. */
  readonly load: () => Promise<void>;
  readonly more: () => Promise<void>;
  /** Read the whole journal: not something to do again and again. */
  readonly verify: () => Promise<void>;
}

/** The newest page before what was loaded earlier; each question once, as it is now. */
export function merged(newest: readonly Past[], before: readonly Past[]): readonly Past[] {
  const ids = new Set(newest.map((each) => each.id));
  return [...newest, ...before.filter((each) => !ids.has(each.id))];
}

export const useHistory = create<HistoryState>()((set, state) => {
  const reading = async (read: () => Promise<Partial<HistoryState>>): Promise<void> => {
    set({ loading: true });
    try {
      set({ ...(await read()), loading: false, problem: null });
    } catch (error) {
      set({ loading: false, problem: wordsOf(error) });
    }
  };
  return {
    items: [],
    next: null,
    chain: null,
    loading: false,
    problem: null,
    load: () =>
      reading(async () => {
        const page = await get<History>(`/api/history?limit=${PAGE}`);
        const { items, next } = state();
        // What was loaded long ago may not follow on this page: then it is begun anew.
        const follows = page.items.some((each) => items.some((known) => known.id === each.id));
        return follows ? { items: merged(page.items, items), next } : page;
      }),
    more: () =>
      reading(async () => {
        const { next, items } = state();
        if (next === null) return {};
        const page = await get<History>(`/api/history?limit=${PAGE}&before=${encodeURIComponent(String(next))}`);
        return { items: merged(items, page.items), next: page.next };
      }),
    verify: () => reading(async () => ({ chain: await get<Chain>("/api/journal/chain") })),
  };
});

interface GrantsState {
  readonly grants: readonly Grant[] | null;
  readonly problem: string | null;
  readonly load: () => Promise<void>;
  readonly revoke: (id: string) => Promise<void>;
}

export const useGrants = create<GrantsState>()((set) => ({
  grants: null,
  problem: null,
  load: async () => {
    try {
      const { grants } = await get<{ readonly grants: readonly Grant[] }>("/api/grants");
      set({ grants, problem: null });
    } catch (error) {
      set({ problem: wordsOf(error) });
    }
  },
  revoke: async (id) => {
    await del<Done>(`/api/grants/${encodeURIComponent(id)}`);
    set((state) => ({ grants: state.grants?.filter((each) => each.id !== id) ?? null }));
  },
}));
