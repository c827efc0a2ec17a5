// What waits for an answer, kept live; and which of it the person has chosen.

import { create } from "zustand";
import type { ServerMessage } from "./events.js";
import { EMPTY, type Waiting, listed } from "./inbox.reduce.js";

interface InboxState extends Waiting {
  readonly tell: (messages: readonly ServerMessage[]) => void;
  readonly choose: (ids: readonly string[], chosen: boolean) => void;
  readonly chooseNone: () => void;
}

export const useInbox = create<InboxState>()((set) => ({
  ...EMPTY,
  tell: (messages) => set((state) => messages.reduce<Waiting>(listed, state)),
  choose: (ids, chosen) =>
    set((state) => {
      const selected = new Set(state.selected);
      const waiting = new Set(state.items.map((each) => each.id));
      for (const id of ids) {
        if (chosen && waiting.has(id)) selected.add(id);
        else selected.delete(id);
      }
      return { selected };
    }),
  chooseNone: () => set({ selected: new Set() }),
}));
