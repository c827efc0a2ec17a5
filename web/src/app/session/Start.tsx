// Before the first prompt: what this is, and what could be asked for.

import { type ReactElement, useEffect, useState } from "react";
import { useConnection } from "../../state/connection.js";
import { get } from "../../state/http.js";
import { useSession } from "../../state/session.js";
import { visibleLine } from "../../state/visible.js";
import type { Run } from "../../state/wire.js";
import { strings } from "../../strings.js";

export function Start(): ReactElement {
  const server = useConnection((state) => state.server);
  const { fresh, setFresh, setDraft, timeline } = useSession();
  const hasShown = timeline.conversations.length > 0;
  const pick = (prompt: string): void => {
    setDraft(prompt);
    document.getElementById("prompt")?.focus();
  };
  return (
    <section className="start">
      <h2>{strings.session.startTitle}</h2>
      <p className="muted">{strings.session.start}</p>
      {server?.cwd != null && (
        <p className="muted">
          {strings.session.worksIn} <code className="start-folder">{visibleLine(server.cwd)}</code>
        </p>
      )}
      {server?.offline === true && <p className="note">{strings.session.offline}</p>}
      <h3>{strings.session.try}</h3>
      <ul className="examples">
        {strings.session.examples.map((each) => (
          <li key={each}>
            <button type="button" className="button" onClick={() => pick(each)}>
              {each}
            </button>
          </li>
        ))}
      </ul>
      {fresh && hasShown && (
        <button type="button" className="button button-quiet" onClick={() => setFresh(false)}>
          {strings.session.goBack}
        </button>
      )}
      {!hasShown && <Resume />}
    </section>
  );
}

/** There were runs before this server was started: the last conversation can go on. */
function Resume(): ReactElement | null {
  const { resumes, setResumes } = useSession();
  const [before, setBefore] = useState(false);
  useEffect(() => {
    get<{ readonly runs: readonly Run[] }>("/api/runs").then(
      ({ runs }) => setBefore(runs.length > 0),
      () => undefined,
    );
  }, []);
  if (!before) return null;
  return (
    <label className="check">
      <input type="checkbox" checked={resumes} onChange={(event) => setResumes(event.target.checked)} />
      {strings.session.continueLast}
    </label>
  );
}
