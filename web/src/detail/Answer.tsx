// Giving the answer, by button or by key, past every gate.

import { useState } from "react";
import type { ReactNode } from "react";
import type { Ruling } from "../state/wire.js";
import { ActionBar } from "./ActionBar.js";
import type { Panel } from "./ActionBar.js";
import { approve, reject } from "./actions.js";
import { RejectPanel } from "./RejectPanel.js";
import { remembered } from "./remember.js";
import type { Wish } from "./remember.js";
import { RememberPanel } from "./RememberPanel.js";
import { strings } from "./strings.js";
import { useAnswer } from "./useAnswer.js";
import type { Approval } from "./useApproval.js";
import { useKey } from "./useKey.js";
import type { Loaded } from "./useQuestion.js";

interface Props {
  readonly loaded: Loaded;
  readonly approval: Approval;
  readonly isOver: boolean;
  readonly hasChanged: boolean;
  readonly onRuling: (ruling: Ruling) => void;
  readonly onNext: () => void;
  readonly reload: () => void;
}

export function Answer({ loaded, approval, isOver, hasChanged, onRuling, onNext, reload }: Props): ReactNode {
  const { item, pending } = loaded.detail;
  const { ready, options, wider } = approval;
  const [wanted, setPanel] = useState<Panel>(null);
  const panel = wanted === "remember" && wider === null ? null : wanted;
  const [tried, setTried] = useState(false);
  const { busy, problem, send } = useAnswer(item.id, onRuling, reload);
  const canApprove = !busy && !isOver && options !== null && ready.isArmed;

  const sendApproval = (unseen: boolean, wish: Wish | null = null): void => {
    if (!canApprove || options === null || !(ready.seen.isAll || unseen)) return;
    send(() => approve(item.id, { ...options, ...(wish === null ? {} : remembered(wish)) }));
  };
  const sendRejection = (feedback: string, stop: boolean, wish: Wish | null = null): void => {
    if (busy || isOver) return;
    const { calls: _, ...lasting } = wish === null ? {} : remembered(wish);
    send(() => reject(item.id, feedback, { digest: item.digest, ...(stop ? { stop } : {}), ...lasting }));
  };
  const hint = hintOf(ready);
  useKey("approve", () => {
    if (busy || isOver || panel !== null) return;
    if (hint === null) sendApproval(false);
    setTried(hint !== null);
  });
  useKey("reject", () => !busy && !isOver && setPanel("reject"));
  const close = (): void => {
    setPanel(null);
    // Back to the button that opened it, once that is there again.
    const opener = panel === null ? null : `.q-${panel}`;
    if (opener !== null) setTimeout(() => document.querySelector<HTMLElement>(opener)?.focus());
  };
  return (
    <ActionBar
      ready={isOver ? { ...ready, blocked: strings.time.overLong } : ready}
      panel={isOver ? null : panel}
      busy={busy}
      isOver={isOver}
      problem={problem}
      notice={hasChanged && problem === null ? strings.changed : tried ? hint : null}
      remembers={wider !== null}
      onApprove={sendApproval}
      onPanel={setPanel}
      onNext={onNext}
    >
      {panel === "reject" && <RejectPanel busy={busy} onReject={(words, stop) => sendRejection(words, stop)} onCancel={close} />}
      {panel === "remember" && wider !== null && (
        <RememberPanel
          key={wider === "asked" ? "asked" : approval.edit.times}
          pending={pending}
          wider={wider}
          // To remember an answer, all of what it is an answer to must have been seen.
          hint={hint}
          busy={busy || isOver}
          onApprove={(wish) => sendApproval(false, wish)}
          // What is refused is the call as it was asked, and that is not what an edit offers to remember.
          onReject={wider === "asked" ? (wish) => sendRejection("", false, wish) : undefined}
          onCancel={close}
        />
      )}
    </ActionBar>
  );
}

/** Why it cannot be approved just now; null if it can. */
function hintOf({ blocked, isArmed, seen }: Approval["ready"]): string | null {
  if (blocked !== null) return blocked;
  if (!seen.isAll) return strings.actions.notSeen;
  return isArmed ? null : strings.actions.notYet;
}
