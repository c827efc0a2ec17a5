// How long a question still waits; loud only when it is nearly over.

import type { ReactElement } from "react";
import { useNow } from "../../state/clock.js";
import { strings } from "../../strings.js";
import { countdown } from "../format.js";

const SHORT_SECONDS = 60;

export function Countdown({ expires }: { readonly expires: number | null }): ReactElement | null {
  const now = useNow();
  if (expires === null) return null;
  const left = expires - now;
  const text = left > 0 ? strings.inbox.left(countdown(left)) : strings.inbox.over;
  return <span className={left < SHORT_SECONDS ? "tabular countdown-short" : "tabular"}>{text}</span>;
}
