// Rejecting with words for the agent.

import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { strings } from "./strings.js";

interface Props {
  readonly busy: boolean;
  readonly onReject: (feedback: string, stop: boolean) => void;
  readonly onCancel: () => void;
}

export function RejectPanel({ busy, onReject, onCancel }: Props): ReactNode {
  const [feedback, setFeedback] = useState("");
  const [stop, setStop] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !busy) onReject(feedback, stop);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section className="q-panel" aria-label={strings.actions.reject} onKeyDown={onKeyDown}>
      <textarea
        ref={field}
        className="field"
        rows={3}
        aria-label={strings.reject.label}
        placeholder={strings.reject.placeholder}
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
      />
      <div className="q-buttons">
        <button type="button" className="button button-danger" disabled={busy} aria-busy={busy} onClick={() => onReject(feedback, stop)}>
          {busy ? strings.actions.sending : strings.reject.send}
        </button>
        <button type="button" className="button button-quiet" onClick={onCancel}>
          {strings.actions.cancel}
        </button>
        <label className="check">
          <input type="checkbox" checked={stop} onChange={(event) => setStop(event.target.checked)} />
          {strings.reject.stop}
        </label>
        <span className="q-grow" />
        <span className="muted q-hint">{strings.reject.hint}</span>
      </div>
    </section>
  );
}
