// Short words to the person: what was done, or was not; they go by themselves.

import { create } from "zustand";

const SHOWN_MS = 6_000;
const SHOWN_BAD_MS = 12_000;
/** So many have room. */
const MOST = 4;

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

/** Where there are too many, the oldest goes; what was not done is told longest. */
export function withRoom(toasts: readonly Toast[]): readonly Toast[] {
  if (toasts.length <= MOST) return toasts;
  const out = toasts.find((each) => !each.bad) ?? toasts[0];
  return toasts.filter((each) => each !== out);
}

/** Show and speak this. */
export function toast(text: string, { bad = false } = {}): void {
  const key = next++;
  useToasts.setState((state) => ({
    toasts: withRoom([...state.toasts, { key, text, bad }]),
    spoken: { key, text },
  }));
  setTimeout(() => useToasts.getState().drop(key), bad ? SHOWN_BAD_MS : SHOWN_MS);
}

/** Only speak it: the page shows it already. */
export function speak(text: string): void {
  useToasts.setState({ spoken: { key: next++, text } });
}
