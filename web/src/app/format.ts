// Times, numbers and names as people read them.

import { writeExact } from "../state/exact.js";
import { visibleLine } from "../state/visible.js";
import type { Args, Json } from "../state/wire.js";
import { strings } from "../strings.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in one unit: `40 s`, `5 min`, `3 h`, `2 d`. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return strings.time.seconds(whole);
  if (whole < HOUR) return strings.time.minutes(Math.floor(whole / MINUTE));
  if (whole < DAY) return strings.time.hours(Math.floor(whole / HOUR));
  return strings.time.days(Math.floor(whole / DAY));
}

/** What is left of a time, to the second when it is short: `4:05`, else as `span`. */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole >= HOUR) return span(whole);
  return `${Math.floor(whole / MINUTE)}:${String(whole % MINUTE).padStart(2, "0")}`;
}

/** How long ago something was. */
export function ago(then: number, now: number): string {
  return now - then < 5 ? strings.inbox.justNow : strings.inbox.age(span(now - then));
}

/** A moment: the time of today, and the day before it on other days. */
export function moment(seconds: number, now: Date = new Date()): string {
  const at = new Date(seconds * 1000);
  const time = at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === now.toDateString()) return time;
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
  return `${at.toLocaleDateString(undefined, { day: "numeric", month: "short", ...year })}, ${time}`;
}

/** A moment to the second, for whoever wants to know exactly. */
export function exactly(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString();
}

export function number(value: number): string {
  return value.toLocaleString("en");
}

/** A sum that may be very small. */
export function money(value: number): string {
  return value >= 1 ? value.toFixed(2) : String(Number(value.toPrecision(2)));
}

/** The start of a long id; enough to tell two apart. */
export function short(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id;
}

/** The chain of agents, outermost first. */
export function chain(agents: readonly string[]): string {
  return agents.map(visibleLine).join(" › ");
}

const MOST = 300;
const TELLING = ["file_path", "path", "command", "pattern", "url", "query", "description"];

/** The one argument that says most of a call; below this folder a path is short. */
export function gist(input: Args | null, below = ""): string {
  if (input === null) return "";
  const name = TELLING.find((each) => typeof input[each] === "string") ?? Object.keys(input)[0];
  if (name === undefined) return "";
  const text = words(input[name] ?? null);
  const isBelow = below !== "" && name !== "command" && text.startsWith(`${below}/`);
  const from = isBelow ? below.length + 1 : 0;
  // Of a long one the beginning is enough to look at.
  return visibleLine(text.slice(from, from + 4 * MOST)).slice(0, MOST);
}

/** A value as text: as it is if it is text, else as JSON. */
export function words(value: Json): string {
  return typeof value === "string" ? value : writeExact(value, 2);
}

/** A path shortened from the left, which is the part that repeats. */
export function folder(path: string): string {
  const parts = path.split("/").filter(Boolean);
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path;
}

/** What is asked, on one line, with the path in it shortened: the name of the file is what tells it from others. */
export function brief(description: string, path: Json): string {
  return visibleLine(typeof path === "string" && path !== "" ? description.replace(path, () => folder(path)) : description);
}
