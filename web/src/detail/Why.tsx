// Why it asks, in one line; what else is on record about it, on demand.

import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import type { Detail } from "../state/wire.js";
import { strings } from "./strings.js";

export function Why({ detail }: { readonly detail: Detail }): ReactNode {
  const { pending, item } = detail;
  const { call, request } = pending;
  const facts: readonly (readonly [string, string])[] = [
    [strings.why.agents, call.agents.join(" › ")],
    [strings.why.run, call.run],
    [strings.why.call, call.id],
    [strings.why.batch, item.group_id ?? ""],
    [strings.why.asked, moment(pending.created)],
    [strings.why.expires, pending.expires === null ? strings.why.never : moment(pending.expires)],
    [strings.why.covers, request.covers],
    [strings.why.digest, item.digest],
  ];
  return (
    <details className="q-why">
      <summary>
        <span className="q-why-label">{strings.why.rule}</span> {visibleWord(request.reason)}
      </summary>
      <dl className="q-facts">
        {facts
          .filter(([, value]) => value !== "")
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="mono">{visibleWord(value)}</dd>
            </div>
          ))}
      </dl>
      <p className="muted">{strings.why.bound}</p>
    </details>
  );
}

export function moment(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}
