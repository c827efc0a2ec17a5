// The head of a run in the list: all of its questions chosen at once, or the run stopped.

import { type ReactElement, useState } from "react";
import { post, wordsOf } from "../../state/http.js";
import { useInbox } from "../../state/inbox.js";
import { toast } from "../../state/toasts.js";
import { visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { short } from "../format.js";
import { Sheet } from "../parts/Sheet.js";
import type { RunGroup } from "./groups.js";

export function RunHead({ group }: { readonly group: RunGroup }): ReactElement {
  const { selected, choose } = useInbox();
  const [asks, setAsks] = useState(false);
  const ids = group.batches.flatMap((batch) => batch.items.map((each) => each.id));
  return (
    <div className="run-head">
      <input
        type="checkbox"
        aria-label={strings.inbox.selectGroup}
        checked={ids.every((id) => selected.has(id))}
        onChange={(event) => choose(ids, event.target.checked)}
      />
      <h2 className="cut" title={visibleLine(group.run)}>
        {strings.inbox.run(visibleLine(short(group.run)))}
      </h2>
      <button type="button" className="button button-quiet" title={strings.inbox.stopRunHint} onClick={() => setAsks(true)}>
        {strings.inbox.stopRun}
      </button>
      {asks && <StopSheet run={group.run} onClose={() => setAsks(false)} />}
    </div>
  );
}

function StopSheet({ run, onClose }: { readonly run: string; readonly onClose: () => void }): ReactElement {
  const stop = async (): Promise<void> => {
    try {
      await post(`/api/runs/${encodeURIComponent(run)}/stop`, {});
    } catch (error) {
      toast(wordsOf(error), { bad: true });
    }
    onClose();
  };
  const foot = (
    <>
      <span className="fill" />
      <button type="button" className="button" onClick={onClose}>
        {strings.batch.cancel}
      </button>
      <button type="button" className="button button-danger" onClick={() => void stop()}>
        {strings.inbox.stopRun}
      </button>
    </>
  );
  return (
    <Sheet title={strings.inbox.stopRunTitle} onClose={onClose} foot={foot} size="small">
      <p className="sheet-words">{strings.inbox.stopRunSure}</p>
    </Sheet>
  );
}
