// What is remembered: which calls it covers, for whom and how long, and taking it back.

import { type ReactElement, useEffect, useRef } from "react";
import { useNow } from "../../state/clock.js";
import { wordsOf } from "../../state/http.js";
import { useInbox } from "../../state/inbox.js";
import { useGrants } from "../../state/record.js";
import { toast } from "../../state/toasts.js";
import { visibleLine } from "../../state/visible.js";
import type { Grant } from "../../state/wire.js";
import { strings } from "../../strings.js";
import { chain, exactly, moment, short, span } from "../format.js";
import { Empty } from "../parts/Empty.js";
import { covers } from "./covers.js";

const s = strings.grants;

export function GrantsView(): ReactElement {
  const { grants, problem, load, revoke } = useGrants();
  const waiting = useInbox((state) => state.items);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => void load(), [load, waiting]);
  const forget = async (grant: Grant): Promise<void> => {
    try {
      await revoke(grant.id);
      toast(s.revoked);
      // Its button is gone: go on from the top.
      title.current?.focus();
    } catch (error) {
      toast(wordsOf(error), { bad: true });
    }
  };
  return (
    <div className="record">
      <header className="record-head">
        <h1 ref={title} tabIndex={-1}>
          {s.title}
        </h1>
      </header>
      {problem !== null && (
        <p className="note note-danger" role="alert">
          {problem}
        </p>
      )}
      {grants?.length === 0 && <Empty icon="grants" title={s.empty} how={s.emptyHow} />}
      <ul className="record-list">
        {grants?.map((each) => (
          <GrantRow key={each.id} grant={each} onRevoke={() => void forget(each)} />
        ))}
      </ul>
    </div>
  );
}

function GrantRow({ grant, onRevoke }: { readonly grant: Grant; readonly onRevoke: () => void }): ReactElement {
  const { title, exact, more } = covers(grant);
  const what = visibleLine(title);
  return (
    <li className="grant">
      <span className={`badge ${grant.allow ? "badge-ok" : "badge-danger"}`}>{grant.allow ? s.allows : s.refuses}</span>
      <div className="grant-what">
        <p className={exact ? "grant-title mono" : "grant-title"}>{what}</p>
        {more !== "" && <p>{visibleLine(more)}</p>}
        <p className="muted">
          <Terms grant={grant} />
        </p>
        {grant.note !== "" && <p className="quoted">{visibleLine(grant.note)}</p>}
      </div>
      <button type="button" className="button button-danger" aria-label={s.revokeOf(what)} onClick={onRevoke}>
        {s.revoke}
      </button>
    </li>
  );
}

function Terms({ grant }: { readonly grant: Grant }): ReactElement {
  const now = useNow();
  const parts = [
    visibleLine(grant.tool_name),
    grant.run === null ? s.scope[grant.scope] : `${s.scope[grant.scope]} (${visibleLine(short(grant.run))})`,
    grant.expires === null ? null : s.expires(span(grant.expires - now)),
    grant.calls === null ? null : s.calls(grant.calls),
    grant.agents === null ? s.everyAgent : grant.agents.length > 0 ? s.onlyAgents(chain(grant.agents)) : null,
  ];
  return (
    <>
      {parts.filter((each) => each !== null).join(" · ")} ·{" "}
      <span title={exactly(grant.at)}>{s.given(visibleLine(grant.by), moment(grant.at))}</span>
    </>
  );
}
