// An edit under way: every pause in the typing has it judged and drawn anew by the server.

import { useCallback, useEffect, useMemo, useState } from "react";
import { isSame } from "../state/exact.js";
import { Problem, post, wordsOf } from "../state/http.js";
import type { Args, Redraw } from "../state/wire.js";
import { draftOf, readDraft, switched, textField } from "./edit.js";
import type { Draft } from "./edit.js";
import { pathOf } from "./useQuestion.js";

const PAUSE = 400;

export interface Edit {
  readonly draft: Draft;
  readonly write: (text: string) => void;
  readonly use: (field: string | null) => void;
  readonly reset: () => void;
  /** The arguments as they are written; null if they cannot be read. */
  readonly args: Args | null;
  /** Whether it differs from what was proposed. */
  readonly isChanged: boolean;
  /** What is wrong with the text, before anybody is asked. */
  readonly problem: string | null;
  /** What the server says about exactly these arguments; null while it is asked. */
  readonly drawn: Redraw | null;
  readonly failure: string | null;
  /** Counts the drawings. */
  readonly times: number;
}

interface Answer {
  readonly args: Args | null;
  readonly drawn: Redraw | null;
  readonly failure: string | null;
  readonly times: number;
}

const NONE: Answer = { args: null, drawn: null, failure: null, times: 0 };

export function useEdit(id: string, digest: string, original: Args, onStale: () => void): Edit {
  const [draft, setDraft] = useState<Draft>(() => draftOf(original, textField(original)));
  const [answer, setAnswer] = useState(NONE);
  const reset = useCallback(() => setDraft((before) => draftOf(original, before.field)), [original]);
  useEffect(() => {
    setDraft(draftOf(original, textField(original)));
    setAnswer(NONE);
    // Another question, or the same one drawn anew: nothing of the edit is left.
  }, [id, digest]);
  const read = useMemo(() => readDraft(draft), [draft]);
  const isChanged = read.args === null ? true : !isSame(read.args, original);
  useEffect(() => {
    const { args } = read;
    if (args === null || !isChanged) return;
    let isOver = false;
    const timer = setTimeout(() => {
      post<Redraw>(pathOf(id, "/redraw"), { digest, args }).then(
        (drawn) => isOver || setAnswer((before) => ({ args, drawn, failure: null, times: before.times + 1 })),
        (error: unknown) => {
          if (isOver) return;
          if (error instanceof Problem && error.status === 409) onStale();
          setAnswer((before) => ({ args, drawn: null, failure: wordsOf(error), times: before.times + 1 }));
        },
      );
    }, PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [id, digest, read, isChanged, onStale]);
  const write = useCallback((text: string) => setDraft((before) => ({ ...before, text })), []);
  const use = useCallback((field: string | null) => setDraft((before) => switched(before, field)), []);
  const isCurrent = isChanged && read.args !== null && answer.args === read.args;
  return {
    draft,
    write,
    use,
    reset,
    args: read.args,
    isChanged,
    problem: read.problem,
    drawn: isCurrent ? answer.drawn : null,
    failure: isCurrent ? answer.failure : null,
    times: answer.times,
  };
}
