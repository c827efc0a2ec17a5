// The chosen questions one below the other, each with what would happen; answered together.

import { type ReactElement, useEffect, useId, useMemo, useRef, useState } from "react";
import { Preview } from "../../detail/Preview.js";
import { wordsOf } from "../../state/http.js";
import { useInbox } from "../../state/inbox.js";
import type { ListItem } from "../../state/inbox.reduce.js";
import { toast } from "../../state/toasts.js";
import { visibleLine } from "../../state/visible.js";
import type { ApprovalDecision } from "../../state/wire.js";
import { strings } from "../../strings.js";
import { chain } from "../format.js";
import { Countdown } from "../parts/Countdown.js";
import { Sheet } from "../parts/Sheet.js";
import { type NotAnswered, answerAll } from "./answers.js";
import { useSeenItems } from "./useSeenItems.js";

/** What was clicked before it could be read is no answer. */
const READ_MS = 350;
const ROWS = 24;

interface BatchSheetProps {
  readonly onClose: () => void;
  /** These were answered here. */
  readonly onAnswered: (ids: readonly string[]) => void;
}

export function BatchSheet({ onClose, onAnswered }: BatchSheetProps): ReactElement {
  const { items, selected, choose } = useInbox();
  const shown = useShown(items, selected);
  const chosen = shown.filter((each) => selected.has(each.id));
  const [feedback, setFeedback] = useState("");
  const [busy, setBusy] = useState(false);
  const [cut, setCut] = useState(0);
  const armed = useArmed(cut);
  const words = useId();
  const list = useRef<HTMLUListElement>(null);
  const unseen = useSeenItems(list);

  const answer = async (decision: ApprovalDecision): Promise<void> => {
    setBusy(true);
    try {
      const failed = await answerAll(chosen, decision);
      tell(chosen.length, failed);
      onClose();
      onAnswered(chosen.filter((each) => !failed.some(({ item }) => item === each)).map((each) => each.id));
    } catch (error) {
      toast(wordsOf(error), { bad: true });
      setBusy(false);
    }
  };
  const count = chosen.length;
  const approve = (): void => {
    // Approving what was not seen in full takes a second, deliberate click.
    const left = unseen();
    if (left > cut) setCut(left);
    else void answer({ kind: "approve" });
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
        onClick={() => void answer({ kind: "reject", note: feedback })}
      >
        {strings.batch.reject(count)}
      </button>
      <button
        type="button"
        className="button button-primary"
        disabled={busy || !armed || count === 0}
        onClick={approve}
      >
        {cut === 0 ? strings.batch.approve(count) : strings.batch.approveUnseen(count, Math.min(cut, count))}
      </button>
    </div>
  );
  return (
    <Sheet title={strings.batch.title(count)} onClose={onClose} foot={foot}>
      <ul className="batch-list" ref={list}>
        {shown.map((each) => (
          <BatchItem key={each.id} item={each} chosen={selected.has(each.id)} onChoose={(on) => choose([each.id], on)} />
        ))}
      </ul>
    </Sheet>
  );
}

/** Those that were chosen when the sheet opened and still wait: taken out, one can be put back. */
function useShown(items: readonly ListItem[], selected: ReadonlySet<string>): readonly ListItem[] {
  const first = useRef(selected);
  return useMemo(() => items.filter((each) => first.current.has(each.id)), [items]);
}

/** Whether there was time to read, since the sheet came and since it said something new. */
function useArmed(news: number): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    setArmed(false);
    const soon = setTimeout(() => setArmed(true), READ_MS);
    return () => clearTimeout(soon);
  }, [news]);
  return armed;
}

function tell(count: number, failed: readonly NotAnswered[]): void {
  toast(strings.batch.answered(count - failed.length, count));
  for (const each of failed) toast(strings.batch.failed(each.item.description, each.why), { bad: true });
}

interface BatchItemProps {
  readonly item: ListItem;
  readonly chosen: boolean;
  readonly onChoose: (chosen: boolean) => void;
}

function BatchItem({ item, chosen, onChoose }: BatchItemProps): ReactElement {
  const what = visibleLine(item.description);
  return (
    <li className={chosen ? "batch-item" : "batch-item batch-item-out"} data-item={item.id} data-included={chosen}>
      <label className="batch-item-head">
        <input
          type="checkbox"
          aria-label={strings.batch.include(what)}
          checked={chosen}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <span className="batch-item-what">{what}</span>
        <span className="muted mono">{visibleLine(item.tool_name)}</span>
        {item.agents.length > 0 && <span className="muted cut">{chain(item.agents)}</span>}
        <span className="muted">
          <Countdown expires={item.expires} />
        </span>
      </label>
      <Preview id={item.id} rows={ROWS} />
    </li>
  );
}
