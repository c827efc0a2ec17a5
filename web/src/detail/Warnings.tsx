// What to look out for, before the change itself.

import { useMemo } from "react";
import type { ReactNode } from "react";
import { hiddenIn } from "../diff/hidden.js";
import { textIn } from "./presented.js";
import type { Asking, Presented } from "./presented.js";
import { strings } from "./strings.js";

export function Warnings({ detail, shown }: { readonly detail: Asking; readonly shown: Presented }): ReactNode {
  const hidden = useMemo(() => {
    const { pending, message } = detail;
    const { call, request } = pending;
    const lines = [shown.title, shown.path ?? "", call.tool_name, request.reason, request.covers, ...call.agents];
    if (shown.body.kind === "command") lines.push(shown.body.command.cwd ?? "", ...shown.body.command.warnings);
    return hiddenIn(lines, [textIn(shown.body, pending.preview.presentation, message)]);
  }, [detail, shown]);
  if (shown.warnings.length === 0 && hidden.count === 0) return null;
  return (
    <ul className="q-warnings" aria-label={strings.warn.label}>
      {shown.warnings.map((warning) => (
        <li key={warning.text} className={`note ${warning.danger ? "note-danger" : "note-warn"}`}>
          <span aria-hidden="true">⚠</span>
          <span>{warning.text}</span>
        </li>
      ))}
      {hidden.count > 0 && (
        <li className="note note-danger">
          <span aria-hidden="true">⚠</span>
          <span>
            {strings.warn.hidden(hidden.count)} <span className="d-mark mono">{hidden.example}</span>
          </span>
        </li>
      )}
    </ul>
  );
}
