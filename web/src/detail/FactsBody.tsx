// What is known of an operation that has no lines to show; each fact is to be seen like a line.

import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import type { Target } from "../diff/DiffTable.js";
import { useInSight } from "../state/sight.js";

interface Props {
  readonly facts: readonly (readonly [string, string])[];
  readonly note: string;
  readonly target?: Target | null;
  readonly onSeen: (rows: readonly number[]) => void;
}

export function FactsBody({ facts, note, target = null, onSeen }: Props): ReactNode {
  const list = useRef<HTMLDListElement>(null);
  const isInSight = useInSight(list);
  useEffect(() => {
    if (!isInSight) return;
    const ends = [...(list.current?.querySelectorAll("[data-end]") ?? [])];
    const watch = new IntersectionObserver((entries) => {
      const rows = entries.filter((entry) => entry.isIntersecting).map((entry) => ends.indexOf(entry.target));
      if (rows.length > 0) onSeen(rows.sort((one, other) => one - other));
    });
    for (const end of ends) watch.observe(end);
    return () => watch.disconnect();
  }, [facts, onSeen, isInSight]);
  useEffect(() => {
    if (target !== null) list.current?.children[target.row]?.scrollIntoView({ block: "nearest" });
  }, [target]);
  return (
    <div className="q-plain">
      <dl ref={list} className="q-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="mono">
              {value}
              {/* Of a long one the end must have been on the screen. */}
              <span data-end="" />
            </dd>
          </div>
        ))}
      </dl>
      {note !== "" && <p className="muted">{note}</p>}
    </div>
  );
}
