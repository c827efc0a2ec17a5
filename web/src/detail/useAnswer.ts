// Sending an answer once, and saying what came of it.

import { useCallback, useEffect, useRef, useState } from "react";
import { Problem, wordsOf } from "../state/http.js";
import { useInbox } from "../state/inbox.js";
import { toast } from "../state/toasts.js";
import type { Ruling } from "../state/wire.js";
import { strings } from "./strings.js";

export interface Answering {
  readonly busy: boolean;
  /** Why the answer does not count, until the next one. */
  readonly problem: string | null;
  readonly send: (answer: () => Promise<Ruling>) => void;
}

/** `key` names what is answered: with another one, nothing is left of what was said. */
export function useAnswer(key: string, onDone: (ruling: Ruling) => void, onGone: () => void): Answering {
  const [busy, setBusy] = useState(false);
  const [problem, say] = useState<string | null>(null);
  /** What the person has before them; nothing once they have gone on. */
  const shown = useRef<string | null>(null);
  useEffect(() => {
    shown.current = key;
    say(null);
    setBusy(false);
    return () => {
      shown.current = null;
    };
  }, [key]);
  const send = useCallback(
    (answer: () => Promise<Ruling>) => {
      setBusy(true);
      say(null);
      const what = useInbox.getState().items.find((each) => each.id === key)?.description ?? key;
      answer().then(
        (ruling) => {
          if (shown.current === key) setBusy(false);
          // Also if the server's word that it ended was faster and took the buttons away; whoever shows it knows
          // whether the person has gone on.
          onDone(ruling);
        },
        (error: unknown) => {
          if (shown.current !== key) {
            toast(`${what}: ${saidOf(error)}`, { bad: true });
            return;
          }
          setBusy(false);
          say(saidOf(error));
          // What is on the desk is not what is shown here: look again.
          if (error instanceof Problem && (error.status === 409 || error.status === 404)) onGone();
        },
      );
    },
    [key, onDone, onGone],
  );
  return { busy, problem, send };
}

function saidOf(error: unknown): string {
  if (error instanceof Problem && error.error === "stale") return strings.changed;
  if (error instanceof Problem && error.error === "already_decided") return strings.beaten;
  return wordsOf(error);
}
