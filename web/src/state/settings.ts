// What a person has set for this browser; kept in its own storage, where it has one.

import { create } from "zustand";

export type Theme = "system" | "light" | "dark";
export type DiffLayout = "unified" | "split";

export interface Settings {
  readonly theme: Theme;
  readonly shortcuts: boolean;
  readonly notifications: boolean;
  readonly diff: DiffLayout;
  readonly wrap: boolean;
  readonly autoApproveReads: boolean;
}

export const DEFAULTS: Settings = {
  theme: "system",
  shortcuts: true,
  notifications: false,
  diff: "unified",
  wrap: true,
  autoApproveReads: true,
};
const KEY = "assent.settings";

/** The settings in this text; whatever is missing or odd in it is as it is by default. */
export function readSettings(text: string | null): Settings {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "{}");
  } catch {
    return DEFAULTS;
  }
  const found = typeof kept === "object" && kept !== null ? (kept as Readonly<Record<string, unknown>>) : {};
  const flag = (name: "shortcuts" | "notifications" | "wrap" | "autoApproveReads"): boolean => {
    const value = found[name];
    return typeof value === "boolean" ? value : DEFAULTS[name];
  };
  return {
    theme: found["theme"] === "light" || found["theme"] === "dark" ? found["theme"] : "system",
    shortcuts: flag("shortcuts"),
    notifications: flag("notifications"),
    diff: found["diff"] === "split" ? "split" : "unified",
    wrap: flag("wrap"),
    autoApproveReads: flag("autoApproveReads"),
  };
}

interface SettingsState extends Settings {
  readonly change: (some: Partial<Settings>) => void;
}

export const useSettings = create<SettingsState>()((set) => ({
  ...readSettings(kept()),
  change: (some) =>
    set((state) => {
      const { change: _, ...before } = state;
      const after: Settings = { ...before, ...some };
      keep(after);
      return after;
    }),
}));

// Another tab of the same browser has the same settings.
if (typeof window !== "undefined") {
  window.addEventListener("storage", (event) => {
    if (event.key === KEY) useSettings.setState(readSettings(event.newValue));
  });
}

function kept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // A browser that keeps nothing: the defaults hold.
  }
}

function keep(settings: Settings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // It holds until the page is closed.
  }
}
