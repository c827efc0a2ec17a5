// Some questions are chosen: how many, and answering them together.

import type { ReactElement } from "react";
import { useInbox } from "../../state/inbox.js";
import { strings } from "../../strings.js";

export function BatchBar({ onReview }: { readonly onReview: () => void }): ReactElement | null {
  const count = useInbox((state) => state.selected.size);
  const none = useInbox((state) => state.chooseNone);
  if (count === 0) return null;
  return (
    <div className="batch-bar" role="region" aria-label={strings.batch.bar}>
      <span className="tabular" role="status">
        {strings.batch.selected(count)}
      </span>
      <button type="button" className="button button-quiet" onClick={none}>
        {strings.batch.clear}
      </button>
      <button type="button" className="button button-primary" onClick={onReview}>
        {strings.batch.review}
      </button>
    </div>
  );
}
