// What is seen of a session: prompts, answers as they are written, calls and what became of them.

import type { RunStarted, Usage } from "./events.js";
import type { Args, Ended, PermissionMode } from "./wire.js";

/** How far a call got; `writing` is a call the model is still spelling. */
export type CallStatus = "writing" | "proposed" | "waiting" | "running" | "done" | "refused" | "failed" | "stopped";

interface Part {
  /** Its own within the session, and the same from one look to the next. */
  readonly key: number;
  readonly agents: readonly string[];
}

export interface Prompt extends Part {
  readonly kind: "prompt";
  readonly text: string;
  readonly by: string;
  readonly mode: PermissionMode;
}

export interface Words extends Part {
  readonly kind: "text" | "thinking";
  readonly text: string;
  readonly open: boolean;
}

export interface Call extends Part {
  readonly kind: "call";
  readonly id: string;
  /** The run it is of; another one may have a call with the same id. */
  readonly run: string;
  readonly name: string;
  readonly input: Args | null;
  readonly status: CallStatus;
  readonly result: string | null;
  readonly ended: Ended | null;
}

export interface Finish extends Part {
  readonly kind: "finish";
  readonly status: "success" | "error" | "stopped";
  readonly message: string;
  readonly usage: Usage | null;
}

export interface Remark extends Part {
  readonly kind: "remark";
  readonly text: string;
}

export type Entry = Prompt | Words | Call | Finish | Remark;

export interface Conversation {
  readonly key: number;
  readonly entries: readonly Entry[];
}

export interface Timeline {
  readonly conversations: readonly Conversation[];
  readonly running: boolean;
  /** Whether something of it is not kept any more. */
  readonly missed: boolean;
  /** Waiting questions by `nameOf` their call: they may be told before the call is. */
  readonly waiting: ReadonlySet<string>;
  readonly usage: Usage | null;
  /** Where the turn under way began: what comes after is void if the turn fails. */
  readonly turn: number;
  readonly nextKey: number;
}

export const NOTHING: Timeline = {
  conversations: [],
  running: false,
  missed: false,
  waiting: new Set(),
  usage: null,
  turn: 0,
  nextKey: 1,
};

/** Without the key: each kind of entry before it has its place. */
export type Fresh = Entry extends infer Each ? (Each extends Entry ? Omit<Each, "key"> : never) : never;

/** What is at hand of the conversation under way. */
export function current(timeline: Timeline): readonly Entry[] {
  return timeline.conversations.at(-1)?.entries ?? [];
}

/** With these entries instead, in the conversation under way. */
export function withEntries(timeline: Timeline, entries: readonly Entry[]): Timeline {
  const last = timeline.conversations.at(-1);
  const key = last?.key ?? timeline.nextKey;
  return {
    ...timeline,
    nextKey: last ? timeline.nextKey : timeline.nextKey + 1,
    conversations: [...timeline.conversations.slice(0, -1), { key, entries }],
  };
}

/** With one more entry at the end. */
export function add(timeline: Timeline, entry: Fresh): Timeline {
  const keyed = { ...timeline, nextKey: timeline.nextKey + 1 };
  return withEntries(keyed, [...current(timeline), { ...entry, key: timeline.nextKey }]);
}

/** With a run begun: in the conversation before, or in a new one. */
export function begin(timeline: Timeline, run: RunStarted): Timeline {
  const fresh = !run.continue && current(timeline).length > 0;
  const opened: Timeline = fresh
    ? {
        ...timeline,
        nextKey: timeline.nextKey + 1,
        conversations: [...timeline.conversations, { key: timeline.nextKey, entries: [] }],
      }
    : timeline;
  const prompt = { kind: "prompt", text: run.prompt, by: run.by, mode: run.permission_mode, agents: [] } as const;
  const begun = add({ ...opened, running: true, usage: null }, prompt);
  return { ...begun, turn: current(begun).length };
}

/** A call's name among those of all runs. */
export function nameOf(run: string, id: string): string {
  return JSON.stringify([run, id]);
}

/** With the latest call of this name changed; as it is, if there is none. */
export function change(timeline: Timeline, name: string, act: (call: Call) => Call): Timeline {
  const entries = current(timeline);
  const at = entries.findLastIndex((each) => each.kind === "call" && nameOf(each.run, each.id) === name);
  const found = entries[at];
  return found?.kind === "call" ? withEntries(timeline, entries.with(at, act(found))) : timeline;
}
