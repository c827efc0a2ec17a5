// The list of questions, run by run; what has ended while it was open stays until another is opened.

import { type ReactElement, useEffect } from "react";
import { useInbox } from "../../state/inbox.js";
import { visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { short } from "../format.js";
import { hashOf } from "../route.js";
import type { Batch, RunGroup } from "./groups.js";
import { EndedRow, ItemRow } from "./ItemRow.js";
import { RunHead } from "./RunHead.js";

interface ListProps {
  readonly groups: readonly RunGroup[];
  readonly open: string | null;
  readonly onOpenAgain: () => void;
}

export function List({ groups, open, onOpenAgain }: ListProps): ReactElement {
  const ended = useInbox((state) => (open === null ? undefined : state.ended[open]));
  useEffect(() => {
    if (open !== null) document.querySelector(`a[href="${hashOf("inbox", open)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [open]);
  return (
    <div className="list">
      {ended !== undefined && <EndedRow ended={ended} />}
      {groups.map((group) => (
        <section key={group.run} className="run" aria-label={strings.inbox.run(visibleLine(short(group.run)))}>
          <RunHead group={group} />
          {group.batches.map((batch) => (
            <BatchOf key={batch.id ?? batch.items[0]?.id} batch={batch} open={open} onOpenAgain={onOpenAgain} />
          ))}
        </section>
      ))}
    </div>
  );
}

function BatchOf({ batch, open, onOpenAgain }: { readonly batch: Batch } & Omit<ListProps, "groups">): ReactElement {
  const together = batch.items.length > 1;
  return (
    <div className={together ? "batch batch-many" : "batch"}>
      {together && <p className="batch-head">{strings.inbox.batch(batch.items.length)}</p>}
      <ul>
        {batch.items.map((each) => (
          <ItemRow key={each.id} item={each} open={each.id === open} onOpenAgain={onOpenAgain} />
        ))}
      </ul>
    </div>
  );
}
