// Approving begins to count only when a person can have seen what there is to see.

import { useEffect, useState } from "react";

export const QUIET = 350;

/** Whether `key` has been on the screen for a moment; null: nothing is there to be approved. */
export function useArmed(key: string | null): boolean {
  const [armed, setArmed] = useState<string | null>(null);
  useEffect(() => {
    setArmed(null);
    if (key === null) return;
    let timer = 0;
    const wait = (): void => {
      window.clearTimeout(timer);
      setArmed(null);
      // A page that comes back to the front has only just appeared, too.
      if (!document.hidden) timer = window.setTimeout(() => setArmed(key), QUIET);
    };
    wait();
    document.addEventListener("visibilitychange", wait);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", wait);
    };
  }, [key]);
  return key !== null && armed === key;
}
