// The session as the page has it: the timeline, and what the person is about to send.

import { create } from "zustand";
import { strings } from "../strings.js";
import type { ServerMessage } from "./events.js";
import { told } from "./session.reduce.js";
import { NOTHING, type Timeline } from "./timeline.js";

interface SessionState {
  readonly timeline: Timeline;
  /** What the person has written so far. */
  readonly draft: string;
  /** The prompt that was sent and has not begun yet. */
  readonly sending: string | null;
  /** Why the last prompt was not taken. */
  readonly refused: string | null;
  /** Whether the next prompt begins a new conversation. */
  readonly fresh: boolean;
  /** Whether it goes on with one from before this server was started, of which nothing is shown. */
  readonly resumes: boolean;
  readonly tell: (messages: readonly ServerMessage[]) => void;
  readonly setDraft: (draft: string) => void;
  readonly setSending: (prompt: string | null, refused?: string | null) => void;
  readonly setFresh: (fresh: boolean) => void;
  readonly setResumes: (resumes: boolean) => void;
}

type Sent = Pick<SessionState, "draft" | "sending" | "refused" | "fresh" | "resumes">;

/** What became of the prompt that was sent: taken, its words stand in the conversation; else they stay in the box. */
export function sent(before: Sent, messages: readonly ServerMessage[]): Partial<Sent> {
  if (messages.some((each) => each.type === "run")) {
    const draft = before.draft === before.sending ? "" : before.draft;
    return { draft, sending: null, refused: null, fresh: false, resumes: false };
  }
  const complaint = messages.findLast((each) => each.type === "error");
  if (complaint?.type === "error") return { sending: null, refused: complaint.content.message };
  const back = messages.some((each) => each.type === "hello");
  return back && before.sending !== null ? { sending: null, refused: strings.session.notSent } : {};
}

export const useSession = create<SessionState>()((set) => ({
  timeline: NOTHING,
  draft: "",
  sending: null,
  refused: null,
  fresh: false,
  resumes: false,
  tell: (messages) => set((state) => ({ timeline: messages.reduce(told, state.timeline), ...sent(state, messages) })),
  setDraft: (draft) => set({ draft, refused: null }),
  setSending: (sending, refused = null) => set({ sending, refused }),
  setFresh: (fresh) => set({ fresh }),
  setResumes: (resumes) => set({ resumes }),
}));
