// The answer: approve, reject, remember; what cannot be done yet says why.

import { useRef } from "react";
import type { ReactNode } from "react";
import { useSettings } from "../state/settings.js";
import { visibleWord } from "../diff/hidden.js";
import { strings } from "./strings.js";
import type { Seen } from "./useSeen.js";

export type Panel = "reject" | "remember" | null;

export interface Ready {
  /** What the button says. */
  readonly label: string;
  /** Why it cannot be approved at all; null if it can. */
  readonly blocked: string | null;
  readonly isArmed: boolean;
  readonly seen: Seen;
}

interface Props {
  readonly ready: Ready;
  readonly panel: Panel;
  readonly busy: boolean;
  /** The time is over: nothing can be answered any more. */
  readonly isOver: boolean;
  readonly problem: string | null;
  readonly notice: string | null;
  /** Whether it is known what could be remembered. */
  readonly remembers: boolean;
  readonly children: ReactNode;
  readonly onApprove: (unseen: boolean) => void;
  readonly onPanel: (panel: Panel) => void;
  readonly onNext: () => void;
}

const text = strings.actions;

export function ActionBar({ ready, panel, busy, isOver, problem, notice, remembers, children, ...on }: Props): ReactNode {
  const { shortcuts } = useSettings();
  const isSeen = ready.seen.isAll;
  const can = ready.blocked === null && ready.isArmed && !busy;
  const key = (letter: string): ReactNode => shortcuts && <kbd aria-hidden="true">{letter}</kbd>;
  return (
    <footer className="q-actions" aria-label={text.label} role="group">
      {notice !== null && (
        <p role="alert" className="note note-warn">
          {notice}
        </p>
      )}
      {problem !== null && (
        <p role="alert" className="note note-danger">
          {visibleWord(problem)}
        </p>
      )}
      {panel === null ? (
        <div className="q-buttons">
          <button
            type="button"
            className="button button-primary q-approve"
            disabled={!can || !isSeen}
            aria-busy={busy}
            aria-describedby={isSeen && ready.blocked === null ? undefined : "q-unseen"}
            onClick={() => on.onApprove(false)}
          >
            {busy ? text.sending : ready.label} {key("A")}
          </button>
          <button type="button" className="button button-danger q-reject" disabled={busy || isOver} onClick={() => on.onPanel("reject")}>
            {text.rejectMore} {key("R")}
          </button>
          {remembers && (
            <button type="button" className="button q-remember" disabled={busy || isOver} onClick={() => on.onPanel("remember")}>
              {text.remember}
            </button>
          )}
          <span className="q-grow" />
          <Unseen ready={ready} can={can} onApprove={on.onApprove} onNext={on.onNext} />
        </div>
      ) : (
        children
      )}
    </footer>
  );
}

interface UnseenProps {
  readonly ready: Ready;
  readonly can: boolean;
  readonly onApprove: (unseen: boolean) => void;
  readonly onNext: () => void;
}

function Unseen({ ready: { blocked, seen }, can, onApprove, onNext }: UnseenProps): ReactNode {
  // What could be aimed at leaves its place empty: no other button moves under a finger that comes down again.
  const stood = useRef(false);
  if (can && !seen.isAll) stood.current = true;
  if (blocked !== null) {
    return (
      <span id="q-unseen" className="q-unseen">
        {blocked}
      </span>
    );
  }
  if (seen.isAll && !stood.current) return null;
  return (
    <span className={seen.isAll ? "q-unseen q-gone" : "q-unseen"}>
      <span id="q-unseen">
        {seen.total > 0 && <span className="tabular">{text.unseen(seen.count, seen.total)}</span>}
        {seen.total > 0 ? <span className="q-scroll-on">, {text.unseenLong}</span> : text.notShown}
      </span>
      {seen.total > 0 && (
        <button type="button" className="q-tool" onClick={onNext}>
          {text.next}
        </button>
      )}
      <button type="button" className="button" disabled={!can} onClick={() => onApprove(true)}>
        {text.approveUnseen}
      </button>
    </span>
  );
}
