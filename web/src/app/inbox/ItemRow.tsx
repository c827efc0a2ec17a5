// One question in the list: what would happen, who asks, since when, and how long it still waits.

import { type ReactElement, memo } from "react";
import { useNow } from "../../state/clock.js";
import { useInbox } from "../../state/inbox.js";
import type { EndedItem, ListItem } from "../../state/inbox.reduce.js";
import { visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { ago, brief, chain, exactly } from "../format.js";
import { Countdown } from "../parts/Countdown.js";
import { hashOf } from "../route.js";

interface ItemRowProps {
  readonly item: ListItem;
  readonly open: boolean;
  readonly onOpenAgain: () => void;
}

export const ItemRow = memo(function ItemRow({ item, open, onOpenAgain }: ItemRowProps): ReactElement {
  const chosen = useInbox((state) => state.selected.has(item.id));
  const choose = useInbox((state) => state.choose);
  const what = visibleLine(item.description);
  return (
    <li className={open ? "item item-open" : "item"}>
      <input
        type="checkbox"
        aria-label={strings.inbox.select(what)}
        checked={chosen}
        onChange={(event) => choose([item.id], event.target.checked)}
      />
      <a
        href={hashOf("inbox", item.id)}
        aria-current={open ? "true" : undefined}
        onClick={(event) => {
          if (!open) return;
          event.preventDefault();
          onOpenAgain();
        }}
      >
        <span className="item-what" title={what}>
          {brief(item.description, item.file_path)}
        </span>
        <span className="item-about">
          <span className="item-tool mono">{visibleLine(item.tool_name)}</span>
          {item.agents.length > 0 && <span className="cut">{chain(item.agents)}</span>}
          <Age since={item.created} />
          <Countdown expires={item.expires} />
        </span>
      </a>
    </li>
  );
});

function Age({ since }: { readonly since: number }): ReactElement {
  const now = useNow();
  return (
    <time className="tabular" title={exactly(since)} dateTime={new Date(since * 1000).toISOString()}>
      {ago(since, now)}
    </time>
  );
}

/** A question that ended while it was open: who was first, and how. */
export function EndedRow({ ended }: { readonly ended: EndedItem }): ReactElement {
  return (
    <div className="item item-open item-ended">
      <p>
        <span className="item-what">{visibleLine(ended.item.description)}</span>
        <span className="item-about">{strings.inbox.ended(strings.outcome[ended.outcome], visibleLine(ended.by))}</span>
      </p>
    </div>
  );
}
