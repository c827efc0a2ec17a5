// What an edited call would do, drawn by the server.

import { useMemo } from "react";
import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import { fixedRows, textRows } from "../diff/source.js";
import type { RowSource } from "../diff/source.js";
import type { Page } from "../state/wire.js";
import { CommandBody } from "./CommandBody.js";
import type { Edited } from "./edited.js";
import { FactsBody } from "./FactsBody.js";
import { jsonRows } from "./jsonRows.js";
import { RowsPane } from "./RowsPane.js";
import { strings } from "./strings.js";
import { Warnings } from "./Warnings.js";

interface Props {
  readonly edited: Edited;
  readonly rows: Page | null;
  readonly onSeen: (rows: readonly number[]) => void;
}

export function Redrawn({ edited, rows, onSeen }: Props): ReactNode {
  const { asking, shown } = edited;
  return (
    <>
      <p className="q-redrawn-title">
        <bdi>{visibleWord(shown.title)}</bdi> {shown.isNew && <span className="badge badge-ok">{strings.head.newFile}</span>}
        {shown.path !== null && !shown.title.includes(shown.path) && <bdi className="mono muted">{visibleWord(shown.path)}</bdi>}
      </p>
      <Warnings detail={asking} shown={shown} />
      {rows !== null && rows.total > rows.rows.length && (
        <p className="note note-warn">{strings.edit.first(rows.rows.length, rows.total)}</p>
      )}
      <Body edited={edited} rows={rows} onSeen={onSeen} />
    </>
  );
}

function Body({ edited: { shown, skip }, rows, onSeen }: Props): ReactNode {
  const { body } = shown;
  const source: RowSource | null = useMemo(() => {
    if (body.kind === "text") return fixedRows(body.isJson ? jsonRows(body.text) : textRows(body.text));
    return body.kind === "diff" && rows !== null ? fixedRows(rows.rows) : null;
  }, [body, rows]);
  if (body.kind === "facts") return <FactsBody facts={body.facts} note={body.note} onSeen={onSeen} />;
  if (body.kind === "command") return <CommandBody command={body.command} onSeen={onSeen} />;
  if (source === null) return null;
  const shape = body.kind === "diff" ? "diff" : body.numbered ? "file" : "text";
  return (
    <div className="q-redrawn">
      <RowsPane source={source} label={strings.diff.edited} shape={shape} skip={skip} onSeen={onSeen} />
    </div>
  );
}
