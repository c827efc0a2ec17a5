// How long a question still waits, in words, and when to say it aloud.

export type Urgency = "calm" | "soon" | "now" | "over";

/** How near the end is. */
export function urgencyOf(seconds: number): Urgency {
  if (seconds <= 0) return "over";
  if (seconds <= 10) return "now";
  return seconds <= 60 ? "soon" : "calm";
}

/** `4:05`, `2 h 10 min`, `3 d 4 h`. */
export function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours >= 1) return `${hours} h ${minutes % 60} min`;
  return `${minutes}:${String(whole % 60).padStart(2, "0")}`;
}

/** The times at which it is said aloud, in seconds. */
const MARKS = [60, 10] as const;

/** The mark that was passed between these two times; null if none was. */
export function markPassed(before: number, now: number): number | null {
  return MARKS.find((mark) => now <= mark && mark < before) ?? null;
}
