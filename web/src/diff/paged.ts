// Rows that the server hands out page by page: what is looked at first, its neighbours next, each once.

import { wordsOf } from "../state/http.js";
import type { Page, Row } from "../state/wire.js";
import type { RowSource } from "./source.js";

/** A little more than a screen: the server colours each row. */
export const PAGE = 100;
/** The most that the server gives at once. */
const MOST = 2000;
/** Requests that are under way at once, so that what is looked at now does not wait behind what was. */
const AT_ONCE = 2;

export type FetchPage = (offset: number, limit: number, signal: AbortSignal) => Promise<Page>;

export class PagedRows implements RowSource {
  total: number | null = null;
  version = 0;
  problem: string | null = null;
  longest = 0;
  readonly #fetch: FetchPage;
  readonly #rows: (Row | undefined)[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #under = new Map<number, AbortController>();
  readonly #chunks = new Map<number, Promise<void>>();
  #wanted: number[] = [0];

  constructor(fetch: FetchPage) {
    this.#fetch = fetch;
    this.#pump();
  }

  row(at: number): Row | undefined {
    return this.#rows[at];
  }

  want(first: number, end: number): void {
    const from = Math.floor(Math.max(first, 0) / PAGE);
    const to = Math.floor(Math.max(end - 1, 0) / PAGE);
    const pages = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    // People scroll down, and fast.
    this.#wanted = [...pages, to + 1, to + 2, from - 1, to + 3];
    for (const page of this.#under.keys()) if (!this.#wanted.includes(page)) this.#drop(page);
    this.#pump();
  }

  async load(first: number, end: number): Promise<void> {
    for (let at = first; at < Math.min(end, this.total ?? end); at++) {
      if (this.#rows[at] === undefined) await this.#many(Math.floor(at / MOST));
      if (this.#rows[at] === undefined) return;
    }
  }

  /** Many rows at once, asked for only once, whoever wants them. */
  #many(chunk: number): Promise<void> {
    const known = this.#chunks.get(chunk);
    if (known !== undefined) return known;
    const asked = this.#fetch(chunk * MOST, MOST, new AbortController().signal).then((page) => this.#take(page));
    this.#chunks.set(chunk, asked);
    void asked.catch(() => undefined).then(() => this.#chunks.delete(chunk));
    return asked;
  }

  /** When the first rows are here, or cannot be had. */
  first(): Promise<void> {
    return new Promise((done) => {
      const leave = this.subscribe(() => {
        if (this.total === null && this.problem === null) return;
        // Not at once: leaving in the middle of being told would stop what others wait for.
        queueMicrotask(() => {
          leave();
          done();
        });
      });
    });
  }

  retry(): void {
    this.problem = null;
    this.#pump();
    this.#tell();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#pump();
    return () => {
      this.#listeners.delete(listener);
      // Nobody looks any more: what is under way would be for nobody.
      if (this.#listeners.size === 0) for (const page of this.#under.keys()) this.#drop(page);
    };
  }

  #drop(page: number): void {
    this.#under.get(page)?.abort();
    this.#under.delete(page);
  }

  #missing(page: number): boolean {
    const start = page * PAGE;
    if (page < 0 || (this.total !== null && start >= this.total) || this.#under.has(page)) return false;
    if (this.total === null) return page === 0;
    for (let at = start; at < Math.min(start + PAGE, this.total); at++) if (this.#rows[at] === undefined) return true;
    return false;
  }

  #pump(): void {
    if (this.problem !== null) return;
    for (const page of this.#wanted) {
      if (this.#under.size >= AT_ONCE) return;
      if (this.#missing(page)) void this.#get(page);
    }
  }

  async #get(page: number): Promise<void> {
    const control = new AbortController();
    this.#under.set(page, control);
    try {
      this.#take(await this.#fetch(page * PAGE, PAGE, control.signal));
    } catch (error) {
      if (control.signal.aborted) return;
      this.problem = wordsOf(error);
    }
    if (this.#under.get(page) === control) this.#under.delete(page);
    if (this.problem !== null) this.#tell();
    if (this.#listeners.size > 0) this.#pump();
  }

  #take(page: Page): void {
    this.total = page.total;
    for (const [at, row] of page.rows.entries()) {
      this.#rows[page.offset + at] = row;
      if (row.text.length > this.longest) this.longest = row.text.length;
    }
    this.#tell();
  }

  #tell(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}
