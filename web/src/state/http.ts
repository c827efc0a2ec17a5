// Asking the server over HTTP; whatever is not done becomes a Problem that says why.

import { strings } from "../strings.js";
import { readExact, writeExact } from "./exact.js";
import { addressOf } from "./place.js";

/** Something was not done; the message is for the person. */
export class Problem extends Error {
  readonly status: number;
  readonly error: string;

  constructor(status: number, error: string, message: string) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.error = error;
  }
}

/** The status of a Problem where no answer came at all. */
export const NO_ANSWER = 0;

let strangers: (() => void) | null = null;

/** Called whenever the server does not know us any more. */
export function onStranger(act: () => void): void {
  strangers = act;
}

export function get<T>(path: string): Promise<T> {
  return asked<T>(path, { method: "GET" });
}

export function post<T>(path: string, body: unknown): Promise<T> {
  return asked<T>(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: writeExact(body) });
}

export function del<T>(path: string): Promise<T> {
  return asked<T>(path, { method: "DELETE" });
}

export async function bytes(path: string): Promise<Uint8Array> {
  const answer = await answered(path, { method: "GET" });
  return new Uint8Array(await answer.arrayBuffer());
}

async function asked<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await answered(path, init);
  // No digit of a large number is lost, whether it is shown or edited and sent back.
  return readExact(await answer.text()) as T;
}

async function answered(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(addressOf(path), { ...init, credentials: "same-origin", cache: "no-store" });
  } catch {
    throw new Problem(NO_ANSWER, "no_answer", strings.connection.noAnswer);
  }
  if (answer.ok) return answer;
  const problem = await problemIn(answer);
  if (problem.status === 401) strangers?.();
  throw problem;
}

async function problemIn(answer: Response): Promise<Problem> {
  try {
    const said: unknown = await answer.json();
    if (typeof said === "object" && said !== null && "error" in said && "message" in said) {
      return new Problem(answer.status, String(said.error), String(said.message));
    }
  } catch {
    // Not one of our answers: a proxy in between, perhaps.
  }
  return new Problem(answer.status, "http", strings.connection.answered(answer.status, answer.statusText));
}

/** What to tell a person about anything that was thrown. */
export function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
