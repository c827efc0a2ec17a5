// Whether the journal is what was written.

import type { ReactElement } from "react";
import { visibleLine } from "../../state/visible.js";
import type { Chain } from "../../state/wire.js";
import { strings } from "../../strings.js";
import { Icon } from "../parts/Icon.js";

export function ChainState({ chain }: { readonly chain: Chain | null }): ReactElement | null {
  if (chain === null) return null;
  if (chain.whole) {
    return (
      <span className="badge badge-ok" title={strings.history.wholeLong}>
        <Icon name="check" size={12} />
        {strings.history.whole}
      </span>
    );
  }
  return (
    <span className="badge badge-danger" role="alert">
      <Icon name="warn" size={12} />
      {strings.history.broken(chain.broken_at ?? 0)}
      {chain.reason !== "" && `: ${visibleLine(chain.reason)}`}
    </span>
  );
}
