// The whole resulting file, with the lines that come marked.

import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { isAdded } from "../diff/blocks.js";
import { visibleWord } from "../diff/hidden.js";
import { PagedRows } from "../diff/paged.js";
import { get } from "../state/http.js";
import type { Block, Change, FileLines, Page } from "../state/wire.js";
import { RowsPane } from "./RowsPane.js";
import { strings } from "./strings.js";
import { pathOf } from "./useQuestion.js";

interface Props {
  readonly id: string;
  readonly changes: readonly Change[];
  readonly blocks: readonly Block[];
  readonly tabs: ReactNode;
}

/** The changes of which there is a whole text to show. */
export function wholeFiles(changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => change.after !== null && change.after.media_type === null && change.before !== null);
}

export function WholeFile({ id, changes, blocks, tabs }: Props): ReactNode {
  const files = wholeFiles(changes);
  const [at, setAt] = useState(0);
  const file = files[at] ?? files[0];
  const sha256 = file?.after?.sha256 ?? "";
  const source = useMemo(() => new PagedRows((offset, limit) => linesOf(id, sha256, offset, limit)), [id, sha256]);
  if (file === undefined) return null;
  const choose = files.length > 1 && (
    <select className="field q-choose" aria-label={strings.files.which} value={at} onChange={(event) => setAt(Number(event.target.value))}>
      {files.map((each, index) => (
        <option key={each.path} value={index}>
          {visibleWord(each.path)}
        </option>
      ))}
    </select>
  );
  return (
    <RowsPane
      source={source}
      label={strings.diff.file(visibleWord(file.path))}
      shape="file"
      tabs={
        <>
          {tabs}
          {choose}
        </>
      }
      // Of several files nobody says here which block is whose.
      tintOf={changes.length === 1 ? (line) => (isAdded(blocks, line) ? "added" : null) : undefined}
    />
  );
}

async function linesOf(id: string, sha256: string, offset: number, limit: number): Promise<Page> {
  const { rows, total, offset: from } = await get<FileLines>(pathOf(id, `/file/${sha256}?offset=${offset}&limit=${limit}`));
  return {
    offset: from,
    total,
    rows: rows.map(({ number, text, tokens }) => ({ kind: "context", old: null, new: number, text, changed: [], tokens })),
  };
}
