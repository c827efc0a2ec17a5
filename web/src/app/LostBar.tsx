// The connection is lost: that it is, what that means, and when the next attempt is made.

import { type ReactElement, useEffect, useState } from "react";
import { useConnection } from "../state/connection.js";
import { retry } from "../state/start.js";
import { strings } from "../strings.js";

/** A connection that comes back at once is not worth a word. */
const GRACE_MS = 800;

export function LostBar(): ReactElement | null {
  const link = useConnection((state) => state.link);
  const retryAt = useConnection((state) => state.retryAt);
  const [now, setNow] = useState(Date.now);
  const [shown, setShown] = useState(false);
  const lost = link === "lost";
  useEffect(() => {
    if (!lost) {
      setShown(false);
      return;
    }
    const appear = setTimeout(() => setShown(true), GRACE_MS);
    const tick = setInterval(() => setNow(Date.now()), 500);
    return () => {
      clearTimeout(appear);
      clearInterval(tick);
    };
  }, [lost]);
  if (!lost || !shown) return null;
  const left = retryAt === null ? 0 : Math.ceil((retryAt - now) / 1000);
  return (
    <div className="lost">
      <p role="alert">{strings.connection.lostLong}</p>
      <span className="tabular">{strings.connection.retryIn(Math.max(0, left))}</span>
      <button type="button" className="button" onClick={retry}>
        {strings.connection.retryNow}
      </button>
    </div>
  );
}
