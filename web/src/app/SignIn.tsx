// The way in: how to get a link, and where to paste one.

import { type FormEvent, type ReactElement, useState } from "react";
import { useConnection } from "../state/connection.js";
import { wordsOf } from "../state/http.js";
import { signIn } from "../state/start.js";
import { strings } from "../strings.js";

export function SignIn(): ReactElement {
  const turnedAway = useConnection((state) => state.turnedAway);
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (code.trim() === "") {
      setProblem(strings.signIn.empty);
      return;
    }
    setBusy(true);
    try {
      await signIn(code);
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };

  const wrong = problem ?? turnedAway;
  return (
    <main className="sign-in">
      <h1>{strings.signIn.title}</h1>
      <p className="muted">{strings.signIn.why}</p>
      <section className="card">
        <h2>{strings.signIn.link}</h2>
        <p className="muted">{strings.signIn.linkHow}</p>
        <pre className="command-line">{strings.signIn.command}</pre>
      </section>
      <form className="card" onSubmit={(event) => void submit(event)}>
        <label htmlFor="code">
          <h2>{strings.signIn.code}</h2>
        </label>
        <p className="muted" id="code-how">
          {strings.signIn.codeHow}
        </p>
        <div className="row">
          <input
            id="code"
            className="field"
            type="password"
            autoComplete="off"
            aria-describedby="code-how"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
          <button className="button button-primary" disabled={busy}>
            {strings.signIn.go}
          </button>
        </div>
        {wrong !== null && (
          <p className="note note-danger" role="alert">
            {wrong}
          </p>
        )}
      </form>
    </main>
  );
}
