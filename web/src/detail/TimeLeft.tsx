// How long the question still waits, by the server's clock.

import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { useNow } from "../state/clock.js";
import { clockOf, markPassed, urgencyOf } from "./countdown.js";
import { strings } from "./strings.js";

export function TimeLeft({ expires }: { readonly expires: number }): ReactNode {
  const left = expires - useNow();
  const before = useRef(left);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const mark = markPassed(before.current, left);
    if (mark !== null) setSaid(strings.time.mark(mark));
    if (left <= 0 && before.current > 0) setSaid(strings.time.overLong);
    before.current = left;
  }, [left]);
  const urgency = urgencyOf(left);
  const text = urgency === "over" ? strings.time.over : strings.time.left(clockOf(left));
  return (
    <>
      <span className={`q-time q-time-${urgency} tabular`} role="timer" aria-label={strings.time.label}>
        {text}
      </span>
      <span className="sr-only" role="status">
        {said}
      </span>
    </>
  );
}
