// What waits for an answer after one message more, and how what does not wait any more ended.

import type { ServerMessage } from "./events.js";
import type { Ended, Item, Listed } from "./wire.js";

/** A question in the list, and what the list says of it besides. */
export interface ListItem extends Item {
  readonly tool_use_id: string;
  readonly file_path: string | null;
}

/** How a question ended, and what it was. */
export interface EndedItem extends Ended {
  readonly item: ListItem;
}

export interface Waiting {
  readonly items: readonly ListItem[];
  readonly ended: Readonly<Record<string, EndedItem>>;
  readonly selected: ReadonlySet<string>;
  /** Every question that was ever shown here, by the id it was shown under. */
  readonly shown: ReadonlyMap<string, ListItem>;
  /** Whether the server has told what waits. */
  readonly known: boolean;
}

export const EMPTY: Waiting = { items: [], ended: {}, selected: new Set(), shown: new Map(), known: false };

/** The list after this message. */
export function listed(waiting: Waiting, message: ServerMessage): Waiting {
  switch (message.type) {
    case "hello":
      return greeted(waiting, message.content.pending);
    case "tool_approval_request":
      return asked(waiting, itemOf(message));
    case "tool_approval_ended":
      return ended(waiting, message.request_id, message.content);
    default:
      return waiting;
  }
}

/** The question as it stands in the list. */
export function itemOf(question: Listed): ListItem {
  return {
    id: question.pending,
    request_id: question.request_id,
    digest: question.digest,
    tool_name: question.tool_name,
    description: question.description,
    reason: question.reason,
    run: question.run,
    agents: question.agents,
    group_id: question.group_id,
    created: question.created,
    expires: question.expires,
    seconds_left: null,
    presentation: question.preview_type,
    tool_use_id: question.tool_use_id,
    file_path: question.file_path,
  };
}

function greeted(waiting: Waiting, pending: readonly Listed[]): Waiting {
  const items = pending.map(itemOf);
  const ids = new Set(items.map((each) => each.id));
  return {
    ...waiting,
    known: true,
    items,
    ended: Object.fromEntries(Object.entries(waiting.ended).filter(([id]) => !ids.has(id))),
    selected: new Set([...waiting.selected].filter((id) => ids.has(id))),
    shown: new Map([...waiting.shown, ...items.map((each) => [each.request_id, each] as const)]),
  };
}

/** A new question, or one that was drawn anew: then what was chosen before is not chosen any more. */
function asked(waiting: Waiting, item: ListItem): Waiting {
  const at = waiting.items.findIndex((each) => each.id === item.id);
  const items = at < 0 ? [...waiting.items, item] : waiting.items.with(at, item);
  const { [item.id]: _, ...others } = waiting.ended;
  return {
    ...waiting,
    items,
    ended: others,
    selected: waiting.items[at]?.digest === item.digest ? waiting.selected : without(waiting.selected, item.id),
    shown: new Map(waiting.shown).set(item.request_id, item),
  };
}

function ended(waiting: Waiting, request: string, how: Ended): Waiting {
  const item = waiting.shown.get(request);
  if (item === undefined) return waiting;
  return {
    ...waiting,
    // Only what was shown under this id has ended: drawn anew, it waits under another one.
    items: waiting.items.filter((each) => each.request_id !== request),
    ended: { ...waiting.ended, [item.id]: { ...how, item } },
    selected: without(waiting.selected, item.id),
  };
}

function without(selected: ReadonlySet<string>, id: string): ReadonlySet<string> {
  if (!selected.has(id)) return selected;
  const rest = new Set(selected);
  rest.delete(id);
  return rest;
}
