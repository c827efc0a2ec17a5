// One message more: what the session looks like after it.

import type { ServerMessage } from "./events.js";
import { type Call, type CallStatus, type Timeline, type Words, NOTHING, add, begin, change, current, nameOf, withEntries } from "./timeline.js";
import type { Ended, Outcome } from "./wire.js";

const UNFINISHED: ReadonlySet<CallStatus> = new Set(["writing", "proposed", "waiting", "running"]);
const REFUSALS: ReadonlySet<string> = new Set(["denied", "rejected", "stopped"]);
const AFTER: Readonly<Record<Outcome, CallStatus>> = {
  approved: "running",
  responded: "running",
  rejected: "refused",
  stopped: "refused",
  // Nobody said no: it just did not come to it.
  expired: "stopped",
  cancelled: "stopped",
  failed: "stopped",
};
const OVER: ReadonlySet<CallStatus> = new Set(["refused", "stopped"]);

/** The session after this message. */
export function told(timeline: Timeline, message: ServerMessage): Timeline {
  switch (message.type) {
    case "hello": {
      const waiting = new Set(message.content.pending.map((each) => nameOf(each.run, each.tool_use_id)));
      const kept = message.content.missed ? { ...NOTHING, missed: timeline.conversations.length > 0 } : timeline;
      return { ...kept, running: message.content.running, waiting };
    }
    case "run":
      return begin(timeline, message.content);
    case "assistant":
      return said(timeline, message);
    case "tool_approval_request":
      return asked(timeline, nameOf(message.run, message.tool_use_id));
    case "tool_approval_ended":
      return answered(timeline, nameOf(message.run, message.tool_use_id), message.content);
    case "user":
      return resulted(timeline, message);
    case "system":
      return message.subtype === "usage"
        ? { ...timeline, usage: message.content }
        : superseded(timeline, message.content.reason);
    case "result":
      return finished(timeline, message.subtype, message.content.message);
    case "error":
      return timeline;
  }
}

type Said = Extract<ServerMessage, { readonly type: "assistant" }>;

function said(timeline: Timeline, message: Said): Timeline {
  const { agents = [], run = "" } = message;
  switch (message.subtype) {
    case "text":
      return wrote(timeline, "text", message.content.text, agents, { whole: true });
    case "text_delta":
      return wrote(timeline, "text", message.content.text, agents, { whole: false });
    case "thinking_delta":
      return wrote(timeline, "thinking", message.content.text, agents, { whole: false });
    case "tool_use_start":
      return add(closed(timeline), call(run, message.content.id, message.content.name, agents));
    case "tool_use_delta":
      return timeline;
    case "tool_use":
      return called(timeline, run, message.content, agents);
  }
}

/** A few characters more, or the whole of what was written so far. */
function wrote(
  timeline: Timeline,
  kind: Words["kind"],
  text: string,
  agents: readonly string[],
  { whole }: { readonly whole: boolean },
): Timeline {
  const entries = current(timeline);
  const at = entries.findLastIndex((each) => each.kind === kind && each.open && same(each.agents, agents));
  const open = entries[at];
  if (open === undefined || open.kind !== kind) return add(closed(timeline), { kind, text, open: !whole, agents });
  const words: Words = { ...open, text: whole ? text : open.text + text, open: !whole };
  return withEntries(timeline, entries.with(at, words));
}

/** Nothing is being thought any more: what comes next is something else. */
function closed(timeline: Timeline): Timeline {
  const last = current(timeline).at(-1);
  if (last?.kind !== "thinking" || !last.open) return timeline;
  return withEntries(timeline, current(timeline).with(-1, { ...last, open: false }));
}

function called(
  timeline: Timeline,
  run: string,
  { id, name, input }: Extract<Said, { readonly subtype: "tool_use" }>["content"],
  agents: readonly string[],
): Timeline {
  const which = nameOf(run, id);
  const known = current(timeline).some(
    (each) => each.kind === "call" && nameOf(each.run, each.id) === which && each.status === "writing",
  );
  const shown = known ? timeline : add(closed(timeline), call(run, id, name, agents));
  const whole = change(shown, which, (each) => ({ ...each, name, input, status: "proposed" }));
  return timeline.waiting.has(which) ? waits(whole, which) : whole;
}

function call(run: string, id: string, name: string, agents: readonly string[]): Omit<Call, "key"> {
  return { kind: "call", run, id, name, input: null, status: "writing", result: null, ended: null, agents };
}

function asked(timeline: Timeline, which: string): Timeline {
  return waits({ ...timeline, waiting: new Set(timeline.waiting).add(which) }, which);
}

function waits(timeline: Timeline, which: string): Timeline {
  return change(timeline, which, (each) => (UNFINISHED.has(each.status) ? { ...each, status: "waiting" } : each));
}

function answered(timeline: Timeline, which: string, ended: Ended): Timeline {
  const waiting = new Set(timeline.waiting);
  waiting.delete(which);
  // What came of it may have been told before, when a record is read again.
  return change({ ...timeline, waiting }, which, (each) =>
    UNFINISHED.has(each.status) ? { ...each, ended, status: AFTER[ended.outcome] } : { ...each, ended },
  );
}

type Result = Extract<ServerMessage, { readonly type: "user" }>;

function resulted(timeline: Timeline, { content: result, run = "" }: Result): Timeline {
  const after = change(timeline, nameOf(run, result.tool_use_id), (each) => ({
    ...each,
    result: result.content,
    status: result.is_error ? errorStatus(each.status, result.code) : "done",
  }));
  return { ...after, turn: current(after).length };
}

/** What is told as an error was refused by a person or a rule, as far as is known; else it failed. */
function errorStatus(before: CallStatus, code: string | undefined): CallStatus {
  if (OVER.has(before)) return before;
  return code !== undefined && REFUSALS.has(code) ? "refused" : "failed";
}

/** The turn under way failed and is asked for again: what it said so far is void. */
function superseded(timeline: Timeline, reason: string): Timeline {
  return add(withEntries(timeline, current(timeline).slice(0, timeline.turn)), { kind: "remark", text: reason, agents: [] });
}

function finished(timeline: Timeline, status: "success" | "error" | "stopped", message: string): Timeline {
  const entries = current(timeline).map((each) => {
    if (each.kind === "call" && UNFINISHED.has(each.status)) return { ...each, status: "stopped" as const };
    return (each.kind === "text" || each.kind === "thinking") && each.open ? { ...each, open: false } : each;
  });
  const ended = add(withEntries(timeline, entries), {
    kind: "finish",
    status,
    message,
    usage: timeline.usage,
    agents: [],
  });
  return { ...ended, running: false, usage: null, turn: current(ended).length };
}

function same(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}
