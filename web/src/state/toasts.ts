// Short words to the person: what was done, or was not; they go by themselves.

import { create } from "zustand";

const SHOWN_MS = 6_000;
const SHOWN_BAD_MS = 12_000;

export interface Toast {
  readonly key: number;
  readonly text: string;
  readonly bad: boolean;
}

interface ToastState {
  readonly toasts: readonly Toast[];
  /** The last thing worth hearing, for screen readers. */
  readonly spoken: { readonly key: number; readonly text: string };
  readonly drop: (key: number) => void;
}

let next = 1;

export const useToasts = create<ToastState>()((set) => ({
  toasts: [],
  spoken: { key: 0, text: "" },
  drop: (key) => set((state) => ({ toasts: state.toasts.filter((each) => each.key !== key) })),
}));

/** Show and speak this. */
export function toast(text: string, { bad = false } = {}): void {
  const key = next++;
  useToasts.setState((state) => ({
    toasts: [...state.toasts.slice(-3), { key, text, bad }],
    spoken: { key, text },
  }));
  setTimeout(() => useToasts.getState().drop(key), bad ? SHOWN_BAD_MS : SHOWN_MS);
}

/** Only speak it: the page shows it already. */
export function speak(text: string): void {
  useToasts.setState({ spoken: { key: next++, text } });
}
