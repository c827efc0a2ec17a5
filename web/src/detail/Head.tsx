// The top of a question: tool, place, size of the change, who asks, how long it waits.

import type { ReactNode } from "react";
import { sizeOf } from "../diff/blocks.js";
import { visibleWord } from "../diff/hidden.js";
import { useInbox } from "../state/inbox.js";
import type { Block, Item } from "../state/wire.js";
import { TimeLeft } from "./TimeLeft.js";
import type { Presented } from "./presented.js";
import { strings } from "./strings.js";

interface Props {
  readonly item: Item;
  readonly shown: Pick<Presented, "title" | "path" | "isNew">;
  readonly blocks: readonly Block[];
  readonly isOpen: boolean;
  readonly compact: boolean;
}

export function Head({ item, shown, blocks, isOpen, compact }: Props): ReactNode {
  const Title = compact ? "h3" : "h2";
  const hasPath = shown.path !== null && !shown.title.includes(shown.path);
  return (
    <header className="q-head">
      <div className="q-line">
        <span className="badge badge-accent mono q-tool-name">{visibleWord(item.tool_name)}</span>
        <Title className="q-title" tabIndex={-1}>
          <bdi>{visibleWord(shown.title)}</bdi>
        </Title>
        {shown.isNew && <span className="badge badge-ok">{strings.head.newFile}</span>}
        {blocks.length > 0 && <Size blocks={blocks} />}
        {item.expires !== null && isOpen && <TimeLeft expires={item.expires} />}
      </div>
      <p className="q-meta">
        {hasPath && <bdi className="mono">{visibleWord(shown.path ?? "")}</bdi>}
        {item.agents.length > 0 && (
          <span aria-label={strings.head.agents(visibleWord(item.agents.join(" › ")))}>{visibleWord(item.agents.join(" › "))}</span>
        )}
        <span title={visibleWord(item.run)}>{strings.head.run(visibleWord(short(item.run)))}</span>
        <Place item={item} />
      </p>
    </header>
  );
}

function Size({ blocks }: { readonly blocks: readonly Block[] }): ReactNode {
  const { added, removed } = sizeOf(blocks);
  return (
    <span className="q-size tabular mono">
      <span className="q-added" aria-label={strings.head.added(added)}>
        +{added.toLocaleString("en")}
      </span>{" "}
      <span className="q-removed" aria-label={strings.head.removed(removed)}>
        −{removed.toLocaleString("en")}
      </span>
    </span>
  );
}

/** Which one of its batch it is, among those that still wait. */
function Place({ item }: { readonly item: Item }): ReactNode {
  const ids = useInbox((inbox) =>
    item.group_id === null
      ? ""
      : inbox.items
          .filter((each) => each.group_id === item.group_id && each.run === item.run)
          .map((each) => each.id)
          .join(" "),
  );
  const batch = ids.split(" ");
  const at = batch.indexOf(item.id);
  return at >= 0 && batch.length > 1 ? <span>{strings.head.batch(at + 1, batch.length)}</span> : null;
}

function short(run: string): string {
  return run.length > 16 ? `${run.slice(0, 8)}…` : run;
}
