// How many of the changes are chosen, and choosing all or none of them.

import type { ReactNode } from "react";
import { strings } from "./strings.js";
import type { Chosen } from "./useChoice.js";

export function HunkBar({ choice, count }: { readonly choice: Chosen; readonly count: number }): ReactNode {
  const isAll = choice.chosen.size === count;
  return (
    <div className="q-hunks" title={strings.hunks.hint}>
      <span role="status" className="tabular">
        {strings.hunks.chosen(choice.chosen.size, count)}
      </span>
      <button type="button" className="q-tool" onClick={isAll ? choice.none : choice.all}>
        {isAll ? strings.hunks.none : strings.hunks.all}
      </button>
    </div>
  );
}
