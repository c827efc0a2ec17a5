// The chosen questions one below the other, each with what would happen; answered together.

import { type ReactElement, useEffect, useId, useRef, useState } from "react";
import { useInbox } from "../../state/inbox.js";
import { strings } from "../../strings.js";
import { Sheet } from "../parts/Sheet.js";
import { BatchItem } from "./BatchItem.js";
import { useBatch } from "./useBatch.js";
import { useSeenItems } from "./useSeenItems.js";

/** What was clicked before it could be read is no answer. */
const READ_MS = 350;

interface BatchSheetProps {
  readonly onClose: () => void;
  /** These were answered here. */
  readonly onAnswered: (ids: readonly string[]) => void;
}

export function BatchSheet({ onClose, onAnswered }: BatchSheetProps): ReactElement {
  const { items, selected, choose } = useInbox();
  const { shown, busy, failures, answer } = useBatch(items, selected, { onClose, onAnswered });
  const waiting = new Set(items.map((each) => each.id));
  const chosen = shown.filter((each) => selected.has(each.id));
  const [feedback, setFeedback] = useState("");
  /** Those of which the button says that they were not seen in full. */
  const [cut, setCut] = useState<ReadonlySet<string>>(new Set());
  const armed = useArmed(cut);
  const words = useId();
  const list = useRef<HTMLUListElement>(null);
  const unseen = useSeenItems(list);

  const count = chosen.length;
  const notSeen = chosen.filter((each) => cut.has(nameOf(each))).length;
  const approve = (): void => {
    // Approving what was not seen in full takes a second, deliberate click, for just these.
    const left = unseen(chosen.map(nameOf));
    if (left.some((name) => !cut.has(name))) setCut(new Set(left));
    else void answer(chosen, { kind: "approve" });
  };
  const foot = (
    <div className="batch-foot">
      <label htmlFor={words}>{strings.batch.feedback}</label>
      <input
        id={words}
        className="field"
        placeholder={strings.batch.feedbackHint}
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
      />
      <button
        type="button"
        className="button button-danger"
        disabled={busy || count === 0}
        onClick={() => void answer(chosen, { kind: "reject", note: feedback })}
      >
        {strings.batch.reject(count)}
      </button>
      <button
        type="button"
        className="button button-primary"
        disabled={busy || !armed || count === 0}
        onClick={approve}
      >
        {notSeen === 0 ? strings.batch.approve(count) : strings.batch.approveUnseen(count, notSeen)}
      </button>
    </div>
  );
  return (
    <Sheet title={strings.batch.title(count)} onClose={onClose} foot={foot}>
      <ul className="batch-list" ref={list}>
        {shown.map((each) => (
          <BatchItem
            // Drawn anew, it is another one to look at.
            key={nameOf(each)}
            name={nameOf(each)}
            item={each}
            chosen={selected.has(each.id)}
            waits={waiting.has(each.id)}
            failure={failures.get(each.id)}
            onChoose={(on) => choose([each.id], on)}
          />
        ))}
      </ul>
    </Sheet>
  );
}

/** What was looked at: this question, as it was drawn. */
function nameOf({ id, digest }: { readonly id: string; readonly digest: string }): string {
  return `${id} ${digest}`;
}

/** Whether there was time to read, since the sheet came and since it said something new. */
function useArmed(news: unknown): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    setArmed(false);
    const soon = setTimeout(() => setArmed(true), READ_MS);
    return () => clearTimeout(soon);
  }, [news]);
  return armed;
}
