// Short words at the edge of the page, and the same for ears.

import { type ReactElement, useEffect, useRef } from "react";
import { useToasts } from "../state/toasts.js";
import { visibleLine } from "../state/visible.js";
import { strings } from "../strings.js";
import { Icon } from "./parts/Icon.js";

export function Toasts(): ReactElement {
  const { toasts, spoken, drop } = useToasts();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // Shown anew each time: so it stands above a dialog that has opened meanwhile.
    list.current?.hidePopover();
    if (toasts.length > 0) list.current?.showPopover();
  }, [toasts]);
  return (
    <>
      <div role="status" aria-live="polite" className="sr-only">
        {/* A new element each time: the same words twice are spoken twice. */}
        <span key={spoken.key}>{visibleLine(spoken.text)}</span>
      </div>
      <ul className="toasts" ref={list} popover="manual">
        {toasts.map((each) => (
          <li key={each.key} className={each.bad ? "toast toast-bad" : "toast"}>
            <span>{visibleLine(each.text)}</span>
            <button type="button" className="button button-quiet button-icon" onClick={() => drop(each.key)}>
              <Icon name="cross" size={14} />
              <span className="sr-only">{strings.toast.dismiss}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
