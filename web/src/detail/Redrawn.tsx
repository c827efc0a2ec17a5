// What an edited call would do, drawn by the server.

import { useMemo } from "react";
import type { ReactNode } from "react";
import { fixedRows, textRows } from "../diff/source.js";
import type { RowSource } from "../diff/source.js";
import type { Redraw, Shown } from "../state/wire.js";
import { CommandBody } from "./CommandBody.js";
import { FactsBody } from "./FactsBody.js";
import { repeatedRows } from "./files.js";
import { jsonRows } from "./jsonRows.js";
import { presentedAs } from "./presented.js";
import { RowsPane } from "./RowsPane.js";
import { strings } from "./strings.js";

interface Props {
  readonly drawn: Redraw;
  readonly times: number;
  readonly like: Shown;
  readonly onSeen: (rows: readonly number[]) => void;
}

/** How many rows there are to be seen of an edited call; null if not all of them are here, so that nobody can. */
export function redrawnTotal({ message, rows, digest }: Redraw, like: Shown): number | null {
  if (message === null || digest === null) return null;
  const body = presentedAs(message, like);
  switch (body.kind) {
    case "facts":
      return 0;
    case "command":
      return textRows(body.command.command).length;
    case "text":
      return textRows(body.text).length;
    case "diff":
      return rows === null || rows.total > rows.rows.length ? null : rows.total;
  }
}

export function Redrawn({ drawn, times, like, onSeen }: Props): ReactNode {
  const { message, rows } = drawn;
  const body = useMemo(() => (message === null ? null : presentedAs(message, like)), [message, like]);
  const source: RowSource | null = useMemo(() => {
    if (body?.kind === "text") return fixedRows(body.isJson ? jsonRows(body.text) : textRows(body.text));
    return body?.kind === "diff" && rows !== null ? fixedRows(rows.rows) : null;
  }, [body, rows]);
  if (body === null || message === null) return null;
  if (body.kind === "facts") return <FactsBody facts={body.facts} note={body.note} />;
  if (body.kind === "command") return <CommandBody key={times} command={body.command} onSeen={onSeen} />;
  if (source === null) return null;
  const skip = repeatedRows(source.row, message.file_path, 1);
  return (
    <>
      {rows !== null && rows.total > rows.rows.length && (
        <p className="note note-warn">{strings.edit.first(rows.rows.length, rows.total)}</p>
      )}
      <div className="q-redrawn">
        <RowsPane
          key={times}
          source={source}
          label={strings.diff.edited}
          shape={body.kind === "diff" ? "diff" : "text"}
          skip={skip}
          onSeen={onSeen}
        />
      </div>
    </>
  );
}
