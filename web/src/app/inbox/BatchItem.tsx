// One of several questions that are answered together: what would happen, and why it was not answered.

import type { ReactElement } from "react";
import { Preview } from "../../detail/Preview.js";
import type { ListItem } from "../../state/inbox.reduce.js";
import { visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { chain } from "../format.js";
import { Countdown } from "../parts/Countdown.js";

const ROWS = 24;

interface BatchItemProps {
  /** What it is told apart by in the list. */
  readonly name: string;
  readonly item: ListItem;
  readonly chosen: boolean;
  /** Whether it still waits for an answer. */
  readonly waits: boolean;
  /** Why the last answer does not count. */
  readonly failure: string | undefined;
  readonly onChoose: (chosen: boolean) => void;
}

export function BatchItem({ name, item, chosen, waits, failure, onChoose }: BatchItemProps): ReactElement {
  const what = visibleLine(item.description);
  return (
    <li className={chosen ? "batch-item" : "batch-item batch-item-out"} data-item={name}>
      <label className="batch-item-head">
        <input
          type="checkbox"
          aria-label={strings.batch.include(what)}
          checked={chosen}
          disabled={!waits}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <span className="batch-item-what">{what}</span>
        {failure !== undefined && (
          <span className="note note-danger" role="alert">
            {visibleLine(failure)}
          </span>
        )}
        <span className="muted mono">{visibleLine(item.tool_name)}</span>
        {item.agents.length > 0 && <span className="muted cut">{chain(item.agents)}</span>}
        {waits && (
          <span className="muted">
            <Countdown expires={item.expires} />
          </span>
        )}
      </label>
      <Preview id={item.id} rows={ROWS} />
    </li>
  );
}
