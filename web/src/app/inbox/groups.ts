// The list in groups: by run, and within a run by the batch that asks together.

import type { ListItem } from "../../state/inbox.reduce.js";

export interface Batch {
  readonly id: string | null;
  readonly items: readonly ListItem[];
}

export interface RunGroup {
  readonly run: string;
  readonly batches: readonly Batch[];
}

/** Runs in the order of their first question; what belongs to a batch stands together. */
export function grouped(items: readonly ListItem[]): readonly RunGroup[] {
  const runs = by(items, (each) => each.run);
  return [...runs].map(([run, asked]) => {
    const batches = by(asked, (each) => each.group_id ?? each.id);
    return {
      run,
      batches: [...batches.values()].map((members) => ({ id: members[0]?.group_id ?? null, items: members })),
    };
  });
}

function by(items: readonly ListItem[], name: (item: ListItem) => string): Map<string, ListItem[]> {
  const found = new Map<string, ListItem[]>();
  for (const item of items) {
    const known = found.get(name(item));
    if (known === undefined) found.set(name(item), [item]);
    else known.push(item);
  }
  return found;
}

/** The questions in the order in which the list shows them. */
export function inOrder(groups: readonly RunGroup[]): readonly string[] {
  return groups.flatMap((group) => group.batches.flatMap((batch) => batch.items.map((each) => each.id)));
}

/** Where J (1) and K (-1) lead from here; at the ends they stay, and from nowhere they begin at the first. */
export function neighbour(order: readonly string[], from: string | null, step: 1 | -1): string | null {
  const at = from === null ? -1 : order.indexOf(from);
  if (at < 0) return order[0] ?? null;
  return order[Math.min(order.length - 1, Math.max(0, at + step))] ?? null;
}

/** What is shown after this one was answered: the next in the list, else the last that is left. */
export function after(order: readonly string[], answered: string): string | null {
  const rest = order.filter((each) => each !== answered);
  const at = order.indexOf(answered);
  return rest[Math.min(Math.max(0, at), rest.length - 1)] ?? null;
}
