// All of one question, kept up to date: asked for again when it was drawn anew or has ended.

import { useCallback, useEffect, useRef, useState } from "react";
import { get, wordsOf } from "../state/http.js";
import { useInbox } from "../state/inbox.js";
import type { Blocks, Detail, Page } from "../state/wire.js";
import { PagedRows } from "../diff/paged.js";

export interface Loaded {
  readonly detail: Detail;
  /** The rows of its change; none where nothing is compared. */
  readonly rows: PagedRows;
  readonly blocks: Blocks;
}

export interface Question {
  readonly loaded: Loaded | null;
  /** Rows that are here before all the rest is. */
  readonly rows: PagedRows | null;
  readonly problem: string | null;
  /** It is not what it was when the person began to look at it. */
  readonly hasChanged: boolean;
  readonly reload: () => void;
}

interface State {
  readonly id: string;
  readonly loaded: Loaded | null;
  readonly rows: PagedRows | null;
  readonly problem: string | null;
  readonly hasChanged: boolean;
}

const NO_BLOCKS: Blocks = { blocks: [], narrows: false };
/** Of a large change the rows come first; but nothing waits for them longer than this, in milliseconds. */
const HEAD_START = 250;

export function pathOf(id: string, rest = ""): string {
  return `/api/inbox/${encodeURIComponent(id)}${rest}`;
}

export function useQuestion(id: string): Question {
  const [times, setTimes] = useState(0);
  const [state, setState] = useState<State>(() => fresh(id));
  const listed = useInbox((inbox) => inbox.items.find((item) => item.id === id)?.digest);
  // Of a question that has ended the list says nothing any more; what it was stays as it is.
  const digest = useRef(listed);
  if (listed !== undefined) digest.current = listed;
  // It waits no more, and nobody has told how it ended: that was while the server was away.
  const isGone = useInbox((inbox) => inbox.known && inbox.ended[id] === undefined && inbox.items.every((item) => item.id !== id));
  const loadedOne = useRef<Loaded | null>(null);
  loadedOne.current = state.id === id ? state.loaded : null;
  useEffect(() => {
    let isOver = false;
    const set = (change: (before: State) => State): void => {
      if (!isOver) setState((before) => change(before.id === id ? before : fresh(id)));
    };
    const open = (): PagedRows => {
      const rows = new PagedRows((offset, limit) => get<Page>(pathOf(id, `/diff?offset=${offset}&limit=${limit}`)));
      set((before) => (before.loaded === null ? { ...before, rows } : before));
      return rows;
    };
    void (loadedOne.current === null ? load(id, open()) : again(id, loadedOne.current, open)).then(
      (loaded) => set((before) => after(before, loaded)),
      (error: unknown) => set((before) => ({ ...before, problem: wordsOf(error) })),
    );
    return () => {
      isOver = true;
    };
  }, [id, digest.current, isGone, times]);
  const reload = useCallback(() => setTimes((count) => count + 1), []);
  const { loaded, rows, problem, hasChanged } = state.id === id ? state : fresh(id);
  return { loaded, rows, problem, hasChanged, reload };
}

function fresh(id: string): State {
  return { id, loaded: null, rows: null, problem: null, hasChanged: false };
}

/** Another digest is another question to look at. */
function after(before: State, loaded: Loaded): State {
  const old = before.loaded;
  const hasChanged = old === null ? before.hasChanged : before.hasChanged || old.detail.item.digest !== loaded.detail.item.digest;
  return { ...before, loaded, rows: null, problem: null, hasChanged };
}

/** Rows that are the same stay. */
async function again(id: string, old: Loaded, open: () => PagedRows): Promise<Loaded> {
  const detail = await get<Detail>(pathOf(id));
  return detail.item.digest === old.detail.item.digest ? { ...old, detail } : load(id, open());
}

/** The rows first, then what is large and not looked at first. */
async function load(id: string, rows: PagedRows): Promise<Loaded> {
  await Promise.race([rows.first(), new Promise((done) => setTimeout(done, HEAD_START))]);
  const [detail, blocks] = await Promise.all([
    get<Detail>(pathOf(id)),
    get<Blocks>(pathOf(id, "/blocks")).catch(() => NO_BLOCKS),
  ]);
  return { detail, rows, blocks };
}
