// Which changes of a diff are to be done: all of them, until the person unticks some.

import { useCallback, useMemo, useState } from "react";

export interface Chosen {
  readonly chosen: ReadonlySet<number>;
  readonly toggle: (block: number) => void;
  readonly all: () => void;
  readonly none: () => void;
}

/** `key` names the diff: of another one, all changes are chosen. */
export function useChoice(key: string, count: number): Chosen {
  const [left, setLeft] = useState<{ key: string; blocks: ReadonlySet<number> }>({ key, blocks: new Set() });
  const leftOut = left.key === key ? left.blocks : NONE;
  const numbers = useMemo(() => Array.from({ length: count }, (_, at) => at), [count]);
  const chosen = useMemo(() => new Set(numbers.filter((block) => !leftOut.has(block))), [numbers, leftOut]);
  const toggle = useCallback(
    (block: number) =>
      setLeft((before) => {
        const blocks = new Set(before.key === key ? before.blocks : NONE);
        if (!blocks.delete(block)) blocks.add(block);
        return { key, blocks };
      }),
    [key],
  );
  const all = useCallback(() => setLeft({ key, blocks: NONE }), [key]);
  const none = useCallback(() => setLeft({ key, blocks: new Set(numbers) }), [key, numbers]);
  return { chosen, toggle, all, none };
}

const NONE: ReadonlySet<number> = new Set();
