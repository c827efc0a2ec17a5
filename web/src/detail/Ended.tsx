// How a question ended: by whom, when, and with which words.

import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import type { Ended as EndedHow, Ruling } from "../state/wire.js";
import { strings } from "./strings.js";
import { moment } from "./Why.js";

export function Ended({ how }: { readonly how: Ruling | EndedHow }): ReactNode {
  const { ended } = strings;
  const decision = "decision" in how ? how.decision : null;
  const note = "note" in how ? how.note : (decision?.note ?? "");
  const words = ended.outcome[how.outcome];
  const when = moment(how.at);
  const isPerson = !["expired", "cancelled", "failed"].includes(how.outcome) && how.by !== "";
  const kind = how.outcome === "approved" ? "ok" : how.outcome === "expired" ? "warn" : "danger";
  return (
    <footer className={`q-actions q-ended q-ended-${kind}`} role="status">
      <p>
        <strong>{isPerson ? ended.by(words, visibleWord(how.by), when) : ended.at(words, when)}</strong>
        {more(decision).map((each) => (
          <span key={each}> · {each}</span>
        ))}
      </p>
      {note !== "" && <p className="q-words">“{visibleWord(note)}”</p>}
      {decision === null && "detail" in how && how.detail !== "" && <p>{visibleWord(how.detail)}</p>}
    </footer>
  );
}

function more(decision: Ruling["decision"]): readonly string[] {
  if (decision === null || decision.kind === "respond") return [];
  const said: string[] = [];
  if (decision.kind === "approve") {
    if (decision.hunks != null) said.push(strings.ended.some(decision.hunks.length));
    if (decision.override_args != null) said.push(strings.ended.edited);
  }
  if (decision.scope === "session" || decision.scope === "always") said.push(strings.ended.remembered[decision.scope]);
  return said;
}
