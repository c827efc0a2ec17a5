// What is known of an operation that has no lines to show.

import type { ReactNode } from "react";

export function FactsBody({ facts, note }: { readonly facts: readonly (readonly [string, string])[]; readonly note: string }): ReactNode {
  return (
    <div className="q-plain">
      <dl className="q-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
      {note !== "" && <p className="muted">{note}</p>}
    </div>
  );
}
