// Answering what was chosen together: what counts goes, what failed stays and says why.

import { useEffect, useMemo, useRef, useState } from "react";
import type { ListItem } from "../../state/inbox.reduce.js";
import { toast } from "../../state/toasts.js";
import type { ApprovalDecision } from "../../state/wire.js";
import { strings } from "../../strings.js";
import { type NotAnswered, answerAll } from "./answers.js";

export interface Batch {
  /** What is shown: those that wait, and those that were not answered. */
  readonly shown: readonly ListItem[];
  readonly busy: boolean;
  /** Why this one was not answered, by its id. */
  readonly failures: ReadonlyMap<string, string>;
  readonly answer: (chosen: readonly ListItem[], decision: ApprovalDecision) => Promise<void>;
}

interface Ends {
  readonly onClose: () => void;
  readonly onAnswered: (ids: readonly string[]) => void;
}

export function useBatch(items: readonly ListItem[], selected: ReadonlySet<string>, ends: Ends): Batch {
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<readonly NotAnswered[]>([]);
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const first = useRef(selected);
  const isOpen = useIsOpen();
  const shown = useMemo(
    () => stillShown(items.filter((each) => first.current.has(each.id) && !done.has(each.request_id)), failed),
    [items, failed, done],
  );
  const failures = useMemo(() => new Map(failed.map(({ item, why }) => [item.id, why])), [failed]);

  const answer = async (chosen: readonly ListItem[], decision: ApprovalDecision): Promise<void> => {
    setBusy(true);
    setFailed([]);
    const left = await answerAll(chosen, decision);
    const answered = chosen.filter((each) => !left.some(({ item }) => item === each));
    toast(strings.batch.answered(answered.length, chosen.length), { bad: left.length > 0 });
    if (!isOpen.current) for (const words of together(left)) toast(words, { bad: true });
    else if (left.length === 0) ends.onClose();
    setBusy(false);
    setFailed(left);
    setDone((before) => new Set([...before, ...answered.map((each) => each.request_id)]));
    ends.onAnswered(answered.map((each) => each.id));
  };
  return { shown, busy, failures, answer };
}

/** Those that wait; and what was not answered, even if it has ended meanwhile. */
export function stillShown(waiting: readonly ListItem[], failed: readonly NotAnswered[]): readonly ListItem[] {
  const ids = new Set(waiting.map((each) => each.id));
  return [...waiting, ...failed.map(({ item }) => item).filter((item) => !ids.has(item.id))];
}

/** What to say of those that failed where they are not shown: each reason once. */
export function together(failed: readonly NotAnswered[]): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { item, why } of failed) reasons.set(why, [...(reasons.get(why) ?? []), item.description]);
  return [...reasons].map(([why, what]) => strings.batch.failed(what.join(", "), why));
}

/** Whether the sheet is still there, for what comes later. */
function useIsOpen(): { readonly current: boolean } {
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return isOpen;
}
