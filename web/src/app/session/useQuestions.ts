// The questions of this session: which one is shown, and which the person has put off.

import { useCallback, useEffect, useMemo, useState } from "react";
import { create } from "zustand";
import { useInbox } from "../../state/inbox.js";
import type { ListItem } from "../../state/inbox.reduce.js";
import { type Timeline, current, nameOf } from "../../state/timeline.js";

export interface Questions {
  /** Those that wait, oldest first. */
  readonly waiting: readonly ListItem[];
  /** The one in the dialog. */
  readonly shown: string | null;
  /** Show the question of this call; without one, the oldest. */
  readonly review: (toolUseId?: string) => void;
  /** The one that is shown was answered here: on to the next. */
  readonly answered: () => void;
  /** Close the dialog; nothing is decided. */
  readonly later: () => void;
}

/** What was put off, also while another view is open. */
const usePassed = create<ReadonlySet<string>>()(() => new Set());
const pass = (ids: Iterable<string>): void => usePassed.setState(new Set(ids), true);

/** Those that the calls of this conversation wait for; another run may have calls with the same ids. */
export function asked(timeline: Timeline, items: readonly ListItem[]): readonly ListItem[] {
  const calls = new Set(current(timeline).map((each) => (each.kind === "call" ? nameOf(each.run, each.id) : "")));
  return items.filter((each) => calls.has(nameOf(each.run, each.tool_use_id)));
}

/** `writes`: the person is in the middle of a prompt; nothing takes it from under their fingers. */
export function useQuestions(timeline: Timeline, writes: boolean): Questions {
  const items = useInbox((state) => state.items);
  const passed = usePassed();
  const [shown, setShown] = useState<string | null>(null);
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());

  const waiting = useMemo(() => asked(timeline, items).filter((each) => !done.has(each.id)), [items, timeline, done]);

  const next = waiting.find((each) => !passed.has(each.id))?.id ?? null;
  useEffect(() => {
    if (shown === null && next !== null && !writes) setShown(next);
  }, [shown, next, writes]);

  const review = useCallback(
    (toolUseId?: string) => {
      const found = toolUseId === undefined ? waiting[0] : waiting.find((each) => each.tool_use_id === toolUseId);
      if (found === undefined) return;
      setShown(found.id);
      // Whoever begins to answer goes on with what was put off.
      pass([]);
    },
    [waiting],
  );
  const answered = useCallback(() => {
    if (shown === null) return;
    setDone((before) => new Set(before).add(shown));
    // By the time the answer is known, another one may be looked at.
    setShown((now) => (now === shown ? null : now));
  }, [shown]);
  const later = useCallback(() => {
    pass([...passed, ...waiting.map((each) => each.id)]);
    setShown(null);
  }, [passed, waiting]);
  return { waiting, shown, review, answered, later };
}
