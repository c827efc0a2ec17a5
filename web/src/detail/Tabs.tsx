// What of a question is shown: its change, the whole file, the arguments, the edit.

import type { KeyboardEvent, ReactNode } from "react";
import { useSettings } from "../state/settings.js";
import { strings } from "./strings.js";

export type Tab = "main" | "file" | "raw" | "edit";

/** What makes an element the one that the tabs choose the content of. */
export const PANEL = { id: "q-panel", role: "tabpanel" } as const;

interface Props {
  readonly tabs: readonly (readonly [Tab, string])[];
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
}

export function Tabs({ tabs, tab, onTab }: Props): ReactNode {
  const { shortcuts } = useSettings();
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const at = tabs.findIndex(([name]) => name === tab);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onTab(next[0]);
    document.getElementById(`q-tab-${next[0]}`)?.focus();
    event.preventDefault();
  };
  return (
    <div role="tablist" aria-label={strings.tabs.label} className="q-tabs" onKeyDown={onKeyDown}>
      {tabs.map(([name, label]) => (
        <button
          key={name}
          id={`q-tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === tab}
          aria-controls={PANEL.id}
          tabIndex={name === tab ? 0 : -1}
          onClick={() => onTab(name)}
        >
          {label}
          {name === "edit" && shortcuts && <kbd aria-hidden="true">E</kbd>}
        </button>
      ))}
    </div>
  );
}
