// The server's clock: questions expire by it, whatever this device believes.

import { useSyncExternalStore } from "react";

/** Two clocks of this device that went apart by more than this: one was put right, or stood still. */
const DRIFT_MS = 2000;

let ahead = 0;
let apart = 0;
let drifted = (): void => undefined;
let now = 0;
let ticking: ReturnType<typeof setInterval> | null = null;
const readers = new Set<() => void>();

/** The server says that it is this late now, in seconds. */
export function setServerTime(seconds: number): void {
  ahead = seconds - Date.now() / 1000;
  apart = Date.now() - performance.now();
  tick();
}

/** How late it is for the server, in seconds. */
export function serverNow(): number {
  const drift = Date.now() - performance.now() - apart;
  if (Math.abs(drift) > DRIFT_MS) {
    apart += drift;
    drifted();
  }
  return Date.now() / 1000 + ahead;
}

/** Whom to tell that the server must be asked again how late it is. */
export function onDrift(tell: () => void): void {
  drifted = tell;
}

function tick(): void {
  now = Math.floor(serverNow());
  for (const read of readers) read();
}

function read(): number {
  // While nobody reads it does not tick.
  if (ticking === null) now = Math.floor(serverNow());
  return now;
}

function subscribe(read: () => void): () => void {
  readers.add(read);
  ticking ??= setInterval(tick, 1000);
  return () => {
    readers.delete(read);
    if (readers.size > 0 || ticking === null) return;
    clearInterval(ticking);
    ticking = null;
  };
}

/** How late it is for the server, in whole seconds; drawn anew every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, read);
}
