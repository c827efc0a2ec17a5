// The history: what was proposed, approved and executed, by whom and when, and whether the journal is whole.

import { type ReactElement, useEffect, useMemo, useState } from "react";
import { useInbox } from "../../state/inbox.js";
import { useHistory } from "../../state/record.js";
import { strings } from "../../strings.js";
import { Empty } from "../parts/Empty.js";
import { ChainState } from "./ChainState.js";
import { KINDS, type Kind, matching } from "./matching.js";
import { PastRow } from "./PastRow.js";

export function HistoryView(): ReactElement {
  const { items, next, chain, loading, problem, load, more, verify } = useHistory();
  const waiting = useInbox((state) => state.items);
  const [text, setText] = useState("");
  const [kind, setKind] = useState<Kind>("all");
  const shown = useMemo(() => matching(items, kind, text), [items, kind, text]);
  // Whatever is asked or answered meanwhile belongs here, too.
  useEffect(() => void load(), [load, waiting]);
  useEffect(() => void verify(), [verify]);
  return (
    <div className="record">
      <header className="record-head">
        <h1>{strings.history.title}</h1>
        <ChainState chain={chain} />
        <span className="fill" />
        <label>
          <span className="sr-only">{strings.history.kind}</span>
          <select
            className="field"
            value={kind}
            onChange={(event) => setKind(KINDS.find((each) => each === event.target.value) ?? "all")}
          >
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {strings.history.kinds[each]}
              </option>
            ))}
          </select>
        </label>
        <input
          className="field record-filter"
          type="search"
          aria-label={strings.history.filter}
          placeholder={strings.history.filterHint}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </header>
      {problem !== null && (
        <p className="note note-danger" role="alert">
          {problem}
        </p>
      )}
      {items.length === 0 && !loading && problem === null ? (
        <Empty icon="history" title={strings.history.empty} how={strings.history.emptyHow} />
      ) : (
        <ul className="record-list">
          {shown.map((each) => (
            <PastRow key={each.id} past={each} />
          ))}
        </ul>
      )}
      {items.length > 0 && shown.length === 0 && <p className="muted">{strings.history.none}</p>}
      {next !== null && (
        <p className="record-more">
          <button type="button" className="button" disabled={loading} onClick={() => void more()}>
            {strings.history.more}
          </button>
          {text !== "" && <span className="muted">{strings.history.moreFilter}</span>}
        </p>
      )}
    </div>
  );
}
