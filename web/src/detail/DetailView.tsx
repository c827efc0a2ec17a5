// Everything about one question: what would happen, why it asks, and answering it.

import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import { useInbox } from "../state/inbox.js";
import { Asked } from "./Asked.js";
import { Opening } from "./Opening.js";
import { strings } from "./strings.js";
import { useQuestion } from "./useQuestion.js";

export interface DetailProps {
  readonly id: string;
  readonly onAnswered?: () => void;
  readonly compact?: boolean;
}

export function DetailView({ id, onAnswered, compact = false }: DetailProps): ReactNode {
  const { loaded, rows, problem, hasChanged, reload } = useQuestion(id);
  const item = useInbox((inbox) => inbox.items.find((each) => each.id === id));
  if (loaded === null) {
    if (problem === null && rows !== null && item !== undefined) return <Opening item={item} rows={rows} compact={compact} />;
    return (
      <div className="q-detail q-empty">
        {problem === null ? (
          <p className="muted">{strings.loading}</p>
        ) : (
          <p role="alert" className="note note-danger">
            <span>
              {strings.failed} {visibleWord(problem)}
            </span>
            <button type="button" className="button" onClick={reload}>
              {strings.again}
            </button>
          </p>
        )}
      </div>
    );
  }
  return (
    <Asked
      key={id}
      loaded={loaded}
      hasChanged={hasChanged}
      compact={compact}
      onAnswered={onAnswered}
      reload={reload}
    />
  );
}
