// Who this browser is to the server, a link for another one, and signing out.

import { type ReactElement, useState } from "react";
import { useConnection } from "../../state/connection.js";
import { post, wordsOf } from "../../state/http.js";
import { signOut } from "../../state/start.js";
import { toast } from "../../state/toasts.js";
import { visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";

const s = strings.settings;
/** Addresses that no other device can open. */
const LOOPBACK = /^(?:localhost|127\..*|\[::1\])$/;

export function Account(): ReactElement {
  const you = useConnection((state) => state.server?.you ?? "");
  const [link, setLink] = useState<string | null>(null);
  const attempt = (act: () => Promise<void>) => (): void => {
    act().catch((error: unknown) => toast(wordsOf(error), { bad: true }));
  };
  const make = attempt(async () => {
    const made = await post<{ readonly url: string }>("/api/session/link", {});
    setLink(made.url);
  });
  const copy = attempt(async () => {
    await navigator.clipboard.writeText(link ?? "");
    toast(s.copied);
  });
  return (
    <section className="card">
      <h2>{s.account}</h2>
      <div className="setting">
        <p>{s.signedIn(visibleLine(you))}</p>
        <button type="button" className="button button-danger" onClick={attempt(signOut)}>
          {s.signOut}
        </button>
      </div>
      <div className="setting">
        <div>
          <p>{s.link}</p>
          <p className="muted">{s.linkHow(LOOPBACK.test(location.hostname))}</p>
        </div>
        <button type="button" className="button" onClick={make}>
          {s.makeLink}
        </button>
      </div>
      {link !== null && (
        <div className="row">
          <input className="field mono" readOnly aria-label={s.link} value={link} onFocus={(event) => event.target.select()} />
          <button type="button" className="button" onClick={copy}>
            {s.copy}
          </button>
        </div>
      )}
    </section>
  );
}
