// Rows of different heights: a guess until a row was drawn and measured.

import { clamp } from "./extent.js";
import type { Extent } from "./extent.js";

export interface Measured extends Extent {
  /** This row was drawn and is so tall; answers by how much the guess was wrong. */
  measure(row: number, height: number): number;
}

/** Every row is guessed to have this height. Looking up and measuring take logarithmic time. */
export function measured(total: number, guess: number): Measured {
  const heights = new Float64Array(total).fill(guess);
  // A Fenwick tree: each node has the sum of as many heights before it as its lowest bit says.
  const sums = new Float64Array(total + 1);
  for (let at = 1; at <= total; at++) sums[at] = (at & -at) * guess;
  let highest = 1;
  while (highest * 2 <= total) highest *= 2;
  let height = total * guess;

  function topOf(row: number): number {
    let sum = 0;
    for (let at = clamp(row, 0, total); at > 0; at -= at & -at) sum += sums[at] ?? 0;
    return sum;
  }

  function rowAt(y: number): number {
    let at = 0;
    let left = y;
    for (let step = highest; step > 0; step >>= 1) {
      const next = sums[at + step];
      if (at + step <= total && next !== undefined && next <= left) {
        at += step;
        left -= next;
      }
    }
    return clamp(at, 0, Math.max(total - 1, 0));
  }

  function measure(row: number, real: number): number {
    const by = real - (heights[row] ?? real);
    if (by === 0) return 0;
    heights[row] = real;
    height += by;
    for (let at = row + 1; at <= total; at += at & -at) sums[at] = (sums[at] ?? 0) + by;
    return by;
  }

  return {
    total,
    get height() {
      return height;
    },
    rowAt,
    topOf,
    measure,
    contentAt: (scrollTop) => scrollTop,
    scrollTo: (y) => y,
  };
}
