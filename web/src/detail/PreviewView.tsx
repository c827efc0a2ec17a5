// The first rows of a question, for a list of several.

import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { LONGEST, previewRows } from "./previewRows.js";
import type { Previewed } from "./previewRows.js";
import { RowText } from "../diff/RowText.js";
import { visibleWord } from "../diff/hidden.js";
import { get, wordsOf } from "../state/http.js";
import type { CommandPreview, Detail, Page } from "../state/wire.js";
import { strings } from "./strings.js";
import { pathOf } from "./useQuestion.js";
import { Warnings } from "./Warnings.js";

const ROWS = 8;

export interface PreviewProps {
  readonly id: string;
  readonly rows?: number;
}

export function PreviewView({ id, rows = ROWS }: PreviewProps): ReactNode {
  const [shown, setShown] = useState<Previewed | string | null>(null);
  useEffect(() => {
    let isOver = false;
    load(id, rows).then(
      (found) => isOver || setShown(found),
      (error: unknown) => isOver || setShown(wordsOf(error)),
    );
    return () => {
      isOver = true;
    };
  }, [id, rows]);
  if (shown === null) return <p className="muted">{strings.loading}</p>;
  if (typeof shown === "string") return <p className="note note-danger">{visibleWord(shown)}</p>;
  return (
    <div className="d-previewed">
      <Warnings detail={shown.detail} shown={shown.presented} />
      {shown.presented.body.kind === "command" && <Where command={shown.presented.body.command} />}
      <figure className="d-preview" aria-label={strings.diff.label(visibleWord(shown.presented.title))}>
        {shown.rows.map((row, at) => (
          <div key={at} className={`d-row d-${row.kind}`}>
            <span className="d-code" data-sign={row.kind === "added" ? "+" : row.kind === "removed" ? "−" : ""}>
              {row.kind === "no_newline" ? (
                <span className="d-note">{strings.diff.noNewline}</span>
              ) : (
                <RowText row={row} hits={undefined} whole={false} most={LONGEST} />
              )}
            </span>
          </div>
        ))}
        {shown.more + shown.cut > 0 && <figcaption className="muted">{strings.preview.more(shown.more, shown.cut)}</figcaption>}
      </figure>
    </div>
  );
}

/** A command is another one in another folder. */
function Where({ command: { cwd, sandbox } }: { readonly command: CommandPreview }): ReactNode {
  const text = strings.command;
  return (
    <p className="d-where muted">
      {cwd !== null && `${text.cwd}: ${visibleWord(cwd)} · `}
      {text.sandbox}: {sandbox === "" ? text.noSandbox : visibleWord(sandbox)}
    </p>
  );
}

async function load(id: string, rows: number): Promise<Previewed> {
  const detail = await get<Detail>(pathOf(id));
  const { preview_type: type } = detail.message;
  const page = type === "diff" || type === "multi_diff" ? await get<Page>(pathOf(id, `/diff?offset=0&limit=${rows + 2}`)) : null;
  return previewRows(detail, page, rows);
}
