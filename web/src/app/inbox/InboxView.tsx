// What waits for an answer: the list beside the question that is open; on a phone one of them.

import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Detail } from "../../detail/Detail.js";
import { hasModes, useConnection } from "../../state/connection.js";
import { useInbox } from "../../state/inbox.js";
import { useSettings } from "../../state/settings.js";
import { strings } from "../../strings.js";
import { BatchSheet } from "../lazy.js";
import { Boundary } from "../parts/Boundary.js";
import { Empty } from "../parts/Empty.js";
import { Icon } from "../parts/Icon.js";
import { go, hashOf, routeOf } from "../route.js";
import type { Action } from "../keys.js";
import { useListKeys } from "../useKeys.js";
import { BatchBar } from "./BatchBar.js";
import { after, grouped, inOrder, neighbour } from "./groups.js";
import { List } from "./List.js";

export function InboxView({ id }: { readonly id: string | null }): ReactElement {
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const all = useInbox((state) => state.items);
  // Answered here, and the server has not told so yet: it waits no more.
  const items = useMemo(() => all.filter((each) => !done.has(each.request_id)), [all, done]);
  const { selected, choose } = useInbox();
  const shortcuts = useSettings((state) => state.shortcuts);
  const groups = useMemo(() => grouped(items), [items]);
  const order = useMemo(() => inOrder(groups), [groups]);
  const [batch, setBatch] = useState(false);
  const pane = useRef<HTMLElement>(null);

  const open = useCallback(() => pane.current?.focus(), []);
  const act = useCallback(
    (action: Action): boolean => {
      if (action === "next" || action === "previous") {
        const to = neighbour(order, id, action === "next" ? 1 : -1);
        if (to !== null) go("inbox", to, { replace: id !== null });
      } else if (action === "select" && id !== null) choose([id], !selected.has(id));
      else if (action === "open") open();
      else return false;
      return true;
    },
    [order, id, selected, choose, open],
  );
  useListKeys(act);
  useFirst(id, order);
  const latest = useRef(order);
  latest.current = order;
  const answered = useCallback(
    (ids: readonly string[]) => {
      const shown = all.filter((each) => ids.includes(each.id)).map((each) => each.request_id);
      setDone((before) => new Set([...before, ...shown]));
      const { view, id: open } = routeOf(location.hash);
      // Whoever has gone on meanwhile stays where they are.
      if (view !== "inbox") return;
      const isOver = open !== null && ids.includes(open);
      const rest = latest.current.filter((each) => each === open || !ids.includes(each));
      // On a phone back to the list, which shows what is left.
      const next = !isOver ? open : hasRoom() ? after(rest, open) : null;
      if (isOver) go("inbox", next ?? undefined, { replace: true });
      // The focus stays in the list: on the next question, or on the page itself.
      requestAnimationFrame(() => (isOver || isFocusLost()) && focusRow(next));
    },
    [all],
  );

  if (items.length === 0 && id === null && !batch) return <NothingWaits />;
  return (
    <div className={id === null ? "inbox" : "inbox inbox-open"}>
      <section className="inbox-side" aria-label={strings.inbox.list}>
        <header className="side-head">
          <h1>
            {strings.inbox.title} <span className="muted tabular">{items.length}</span>
          </h1>
          {shortcuts && (
            <span className="side-keys muted">
              <kbd>J</kbd> <kbd>K</kbd> {strings.inbox.keysHint}
            </span>
          )}
        </header>
        <List groups={groups} open={id} onOpenAgain={open} />
        <BatchBar onReview={() => setBatch(true)} />
      </section>
      <section className="inbox-detail" aria-label={strings.inbox.detail} ref={pane} tabIndex={-1} data-question>
        {id === null ? (
          <p className="inbox-pick muted">{strings.inbox.pick}</p>
        ) : (
          <>
            <a className="back" href={hashOf("inbox")}>
              <Icon name="left" size={14} /> {strings.inbox.back}
            </a>
            <Boundary key={id}>
              <Detail id={id} onAnswered={() => answered([id])} />
            </Boundary>
          </>
        )}
      </section>
      {batch && (
        <Boundary>
          <BatchSheet onClose={() => setBatch(false)} onAnswered={answered} />
        </Boundary>
      )}
    </div>
  );
}

/** Whether the list and a question stand side by side. */
function hasRoom(): boolean {
  return matchMedia("(min-width: 901px)").matches;
}

/** Where there is room for both, the oldest question is open from the start. */
function useFirst(id: string | null, order: readonly string[]): void {
  const first = order[0];
  useEffect(() => {
    if (id === null && first !== undefined && hasRoom()) go("inbox", first, { replace: true });
  }, [id, first]);
}

/** Whether what has the focus is gone, or goes with what was chosen. */
function isFocusLost(): boolean {
  const { activeElement: at } = document;
  return at === null || at === document.body || at.closest(".batch-bar") !== null;
}

function focusRow(id: string | null): void {
  const row = id === null ? null : document.querySelector<HTMLElement>(`a[href="${hashOf("inbox", id)}"]`);
  (row ?? document.querySelector<HTMLElement>("main"))?.focus();
}

function NothingWaits(): ReactElement {
  const hasAgent = useConnection(hasModes);
  return (
    <div className="inbox-nothing">
      <h1 className="sr-only">{strings.inbox.title}</h1>
      <Empty icon="inbox" title={strings.inbox.empty} how={strings.inbox.emptyHow}>
        {hasAgent && (
          <a className="button" href={hashOf("session")}>
            {strings.inbox.emptyStart}
          </a>
        )}
      </Empty>
    </div>
  );
}
