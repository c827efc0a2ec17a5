// The same object as before while its fields are the same, so that nothing is drawn again for it.

import { useRef } from "react";

export function useSame<T extends object | null>(now: T): T {
  const kept = useRef(now);
  if (!alike(kept.current, now)) kept.current = now;
  return kept.current;
}

function alike(one: object | null, other: object | null): boolean {
  if (one === null || other === null) return one === other;
  const [fields, others] = [Object.entries(one), Object.entries(other)];
  return fields.length === others.length && fields.every(([name, value], at) => others[at]?.[0] === name && others[at]?.[1] === value);
}
