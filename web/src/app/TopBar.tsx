// The bar at the top: where to go, how many questions wait, and what this is connected to.

import type { ReactElement } from "react";
import { useConnection } from "../state/connection.js";
import { useInbox } from "../state/inbox.js";
import { visibleLine } from "../state/visible.js";
import { strings } from "../strings.js";
import { folder } from "./format.js";
import { Icon } from "./parts/Icon.js";
import { VIEWS, type View, hashOf } from "./route.js";

export function TopBar({ view }: { readonly view: View }): ReactElement {
  const waiting = useInbox((state) => state.items.length);
  return (
    <header className="top">
      <span className="brand">
        <Brand />
        {strings.name}
      </span>
      <nav aria-label={strings.nav.label} className="nav">
        {VIEWS.map((each) => (
          <a key={each} href={hashOf(each)} aria-current={each === view ? "page" : undefined}>
            <Icon name={each} />
            <span>{strings.nav[each]}</span>
            {each === "inbox" && waiting > 0 && (
              <span className="count">
                <span aria-hidden="true">{waiting}</span>
                <span className="sr-only"> {strings.nav.waiting(waiting)}</span>
              </span>
            )}
          </a>
        ))}
      </nav>
      <Place />
    </header>
  );
}

function Place(): ReactElement {
  const link = useConnection((state) => state.link);
  const server = useConnection((state) => state.server);
  const words = link === "open" ? strings.connection.open : link === "lost" ? strings.connection.lost : strings.connection.starting;
  return (
    <div className="place">
      {server?.cwd != null && (
        <span className="mono cut" title={visibleLine(server.cwd)}>
          {visibleLine(folder(server.cwd))}
        </span>
      )}
      {server?.model != null && <span className="badge">{visibleLine(server.model)}</span>}
      <span className={`dot dot-${link}`} title={words}>
        <span className="sr-only">{words}</span>
      </span>
    </div>
  );
}

function Brand(): ReactElement {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M8.5 16.8l5 5L23.5 11" fill="none" stroke="var(--accent-fg)" strokeWidth="3.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
