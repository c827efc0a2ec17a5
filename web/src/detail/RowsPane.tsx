// Rows with what belongs to them: how to show them, finding, copying.

import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { DiffTable } from "../diff/DiffTable.js";
import type { Choice, Target } from "../diff/DiffTable.js";
import { FindBox } from "../diff/FindBox.js";
import type { RowSource } from "../diff/source.js";
import { useFind } from "../diff/useFind.js";
import { useSettings } from "../state/settings.js";
import type { Block } from "../state/wire.js";
import { strings } from "./strings.js";
import { PANEL } from "./Tabs.js";
import { useKey } from "./useKey.js";
import { useWide } from "./useWide.js";

interface Props {
  readonly source: RowSource;
  readonly label: string;
  readonly shape: "diff" | "file" | "text";
  /** What stands left of the tools. */
  readonly tabs?: ReactNode;
  readonly aside?: ReactNode;
  readonly skip?: number;
  readonly blocks?: readonly Block[] | undefined;
  readonly choice?: Choice | undefined;
  readonly target?: Target | null;
  readonly tintOf?: ((line: number) => "added" | null) | undefined;
  readonly onSeen?: ((rows: readonly number[]) => void) | undefined;
  /** All of it as text, for the clipboard. */
  readonly copied?: (() => string) | undefined;
}

export function RowsPane({ tabs, aside, copied, shape, ...table }: Props): ReactNode {
  const { diff, wrap, change } = useSettings();
  const isWide = useWide();
  const [isFinding, setFinding] = useState(false);
  const find = useFind(table.source, table.skip ?? 0);
  const target = useLatest(table.target ?? null, isFinding ? find.target : null);
  const box = useRef<HTMLDivElement>(null);
  const open = (): void => setFinding(true);
  const close = (): void => {
    setFinding(false);
    box.current?.querySelector<HTMLElement>(".d-box")?.focus();
  };
  useKey("find", open);
  useFindKey(open);
  const isSplit = shape === "diff" && diff === "split" && isWide;
  return (
    <>
      <div className="q-bar">
        {tabs}
        <div role="toolbar" aria-label={strings.view.label} className="q-tools">
          {shape === "diff" && isWide && (
            <div role="group" className="q-switch">
              {(["unified", "split"] as const).map((layout) => (
                <button key={layout} type="button" aria-pressed={diff === layout} onClick={() => change({ diff: layout })}>
                  {strings.view[layout]}
                </button>
              ))}
            </div>
          )}
          {!isSplit && (
            <button type="button" className="q-tool" aria-pressed={wrap} onClick={() => change({ wrap: !wrap })}>
              {strings.view.wrap}
            </button>
          )}
          <button type="button" className="q-tool" aria-pressed={isFinding} onClick={() => setFinding(!isFinding)}>
            {strings.view.find}
          </button>
          {copied !== undefined && <CopyButton text={copied} />}
        </div>
      </div>
      {isFinding && <FindBox find={find} onClose={close} />}
      <div ref={box} className="q-rows" {...(tabs === undefined ? {} : PANEL)} aria-label={tabs === undefined ? undefined : table.label}>
        {aside}
        <DiffTable
          {...table}
          shape={isSplit ? "split" : shape}
          wrap={wrap}
          target={target}
          hits={isFinding ? find.hits : undefined}
        />
      </div>
    </>
  );
}

/** Whichever of two targets was named last. */
function useLatest(one: Target | null, other: Target | null): Target | null {
  const [latest, setLatest] = useState<Target | null>(null);
  useEffect(() => setLatest(one), [one]);
  useEffect(() => setLatest(other), [other]);
  return latest;
}

/** Ctrl+F opens our box; pressed again there, the browser's own. */
function useFindKey(open: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "f" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest("[role=search]") !== null) return;
      event.preventDefault();
      open();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });
}

function CopyButton({ text }: { readonly text: () => string }): ReactNode {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid(strings.view.copied),
      () => setSaid(strings.view.copyFailed),
    );
  };
  return (
    <button type="button" className="q-tool" onClick={copy}>
      <span aria-live="polite">{said ?? strings.view.copy}</span>
    </button>
  );
}
