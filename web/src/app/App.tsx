// The whole page: the way in, or the bar and the view that the address names.

import { type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import { useConnection } from "../state/connection.js";
import { strings } from "../strings.js";
import { InboxView } from "./inbox/InboxView.js";
import { KeysSheet } from "./KeysSheet.js";
import { GrantsView, HistoryView, SettingsView } from "./lazy.js";
import { LostBar } from "./LostBar.js";
import { Boundary } from "./parts/Boundary.js";
import { type Route, useRoute } from "./route.js";
import { SessionView } from "./session/SessionView.js";
import { SignIn } from "./SignIn.js";
import { Toasts } from "./Toasts.js";
import { TopBar } from "./TopBar.js";
import { useKeys } from "./useKeys.js";

export function App(): ReactElement {
  const link = useConnection((state) => state.link);
  const greeted = useConnection((state) => state.server !== null);
  return (
    <>
      {link === "stranger" ? <SignIn /> : greeted ? <Inside /> : <Waiting lost={link === "lost"} />}
      <Toasts />
    </>
  );
}

function Waiting({ lost }: { readonly lost: boolean }): ReactElement {
  return (
    <main className="waiting">
      <h1 className="sr-only">{strings.name}</h1>
      {lost ? <LostBar /> : <p role="status">{strings.connection.starting}</p>}
    </main>
  );
}

function Inside(): ReactElement {
  const route = useRoute();
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const openHelp = useCallback(() => setHelp(true), []);
  useKeys(openHelp);
  useEffect(() => {
    // Whoever chose another view goes on reading there; the page itself takes no focus when it comes.
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [route.view]);
  return (
    <div className="page">
      <button type="button" className="skip button" onClick={() => main.current?.focus()}>
        {strings.nav.skip}
      </button>
      <TopBar view={route.view} />
      <LostBar />
      <main ref={main} tabIndex={-1} className={`main main-${route.view}`}>
        <Boundary key={route.view}>
          <Shown route={route} onHelp={openHelp} />
        </Boundary>
      </main>
      {help && <KeysSheet onClose={() => setHelp(false)} />}
    </div>
  );
}

function Shown({ route, onHelp }: { readonly route: Route; readonly onHelp: () => void }): ReactElement {
  switch (route.view) {
    case "session":
      return <SessionView />;
    case "inbox":
      return <InboxView id={route.id} />;
    case "history":
      return <HistoryView />;
    case "grants":
      return <GrantsView />;
    case "settings":
      return <SettingsView onHelp={onHelp} />;
  }
}
