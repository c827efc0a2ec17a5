// Searches all rows, those that are not here yet too, and steps through what was found.

import { useCallback, useEffect, useMemo, useState } from "react";
import { wordsOf } from "../state/http.js";
import type { Target } from "./DiffTable.js";
import type { Hit } from "./pieces.js";
import { MOST_MATCHES, matchesIn, stepped } from "./search.js";
import type { Match } from "./search.js";
import type { RowSource } from "./source.js";

const CHUNK = 2000;
/** Whoever types on wants something else. */
const PAUSE = 120;

export interface Find {
  readonly words: string;
  readonly search: (words: string) => void;
  readonly count: number;
  /** Which one it is at, counted from 1; 0 if there is none. */
  readonly at: number;
  readonly searching: boolean;
  readonly problem: string | null;
  readonly step: (by: 1 | -1) => void;
  readonly hits: ReadonlyMap<number, readonly Hit[]>;
  readonly target: Target | null;
}

interface Found {
  readonly matches: readonly Match[];
  readonly searching: boolean;
  readonly problem: string | null;
}

const NOTHING: Found = { matches: [], searching: false, problem: null };
const SEARCHING: Found = { ...NOTHING, searching: true };

export function useFind(source: RowSource, skip: number): Find {
  const [words, search] = useState("");
  const [found, setFound] = useState(NOTHING);
  const [at, setAt] = useState(0);
  useEffect(() => {
    setAt(0);
    if (words === "") {
      setFound(NOTHING);
      return;
    }
    let isOver = false;
    const hear = (now: Found): void => {
      if (!isOver) setFound(now);
    };
    hear(SEARCHING);
    const timer = setTimeout(() => void searched(source, skip, words, hear, () => isOver), PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [source, skip, words]);
  const { matches } = found;
  // Whoever was quicker than the search has gone on in what was found before.
  const here = Math.min(at, Math.max(matches.length - 1, 0));
  const current = matches[here];
  const target = useMemo(() => (current === undefined ? null : { row: current.row, place: "middle" as const }), [current?.row, current?.start]);
  const hits = useMemo(() => hitsOf(matches, current), [matches, current]);
  const step = useCallback((by: 1 | -1) => setAt((before) => stepped(before, by, matches.length)), [matches.length]);
  const { searching, problem } = found;
  return { words, search, count: matches.length, at: matches.length === 0 ? 0 : here + 1, searching, problem, step, hits, target };
}

async function searched(
  source: RowSource,
  skip: number,
  words: string,
  hear: (found: Found) => void,
  isOver: () => boolean,
): Promise<void> {
  let matches: readonly Match[] = [];
  try {
    let first = skip;
    do {
      await source.load(first, first + CHUNK);
      if (isOver()) return;
      matches = [...matches, ...matchesIn((at) => source.row(at), first, first + CHUNK, words)];
      first += CHUNK;
      hear({ matches, searching: first < (source.total ?? 0), problem: null });
    } while (first < (source.total ?? 0) && matches.length < MOST_MATCHES);
    hear({ matches, searching: false, problem: null });
  } catch (error) {
    hear({ matches, searching: false, problem: wordsOf(error) });
  }
}

function hitsOf(matches: readonly Match[], current: Match | undefined): ReadonlyMap<number, readonly Hit[]> {
  const hits = new Map<number, Hit[]>();
  for (const match of matches) {
    const row = hits.get(match.row) ?? [];
    row.push({ start: match.start, end: match.end, current: match === current });
    hits.set(match.row, row);
  }
  return hits;
}
