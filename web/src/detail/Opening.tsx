// A question of which the first rows are here: they are shown while the rest is on its way.

import type { ReactNode } from "react";
import { DiffTable } from "../diff/DiffTable.js";
import { visibleWord } from "../diff/hidden.js";
import type { PagedRows } from "../diff/paged.js";
import type { ListItem } from "../state/inbox.reduce.js";
import { useSettings } from "../state/settings.js";
import { repeatedRows } from "./files.js";
import { Head } from "./Head.js";
import { strings } from "./strings.js";

interface Props {
  readonly item: ListItem;
  readonly rows: PagedRows;
  readonly compact: boolean;
}

export function Opening({ item, rows, compact }: Props): ReactNode {
  const { wrap } = useSettings();
  const shown = { title: item.description, path: item.file_path, isNew: false };
  const hasRows = item.presentation === "diff" || item.presentation === "multi_diff";
  return (
    <article className={`q-detail${compact ? " q-compact" : ""}`} aria-label={visibleWord(item.description)} aria-busy="true">
      <div className="q-scroll" data-scrolls="">
        <Head item={item} shown={shown} blocks={[]} isOpen compact={compact} />
        <p className="q-why">
          <span className="q-why-label">{strings.why.rule}</span> {visibleWord(item.reason)}
        </p>
        <div className="q-pane">
          <div className="q-bar q-bar-empty" />
          {hasRows && (
            <div className="q-rows">
              <DiffTable
                source={rows}
                label={strings.loading}
                shape="diff"
                wrap={wrap}
                skip={repeatedRows((at) => rows.row(at), item.file_path, item.presentation === "diff" ? 1 : 2)}
              />
            </div>
          )}
        </div>
      </div>
      <footer className="q-actions q-opening" />
    </article>
  );
}
