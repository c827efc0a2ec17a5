// A dialog above the page: the browser keeps the focus in it and gives it back afterwards.

import { type ReactElement, type ReactNode, useEffect, useId, useRef } from "react";
import { onTop } from "../../state/sight.js";
import { strings } from "../../strings.js";
import { Icon } from "./Icon.js";

interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
  /** As large as its content needs, if nothing is said. */
  readonly size?: "small" | "tall";
  readonly closeLabel?: string;
  readonly closeHint?: string;
}

export function Sheet(props: SheetProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const title = useId();
  useEffect(() => {
    const shown = dialog.current;
    if (shown === null) return;
    if (!shown.open) shown.showModal();
    // On the heading, not on a button: a key pressed too early must not decide anything.
    heading.current?.focus();
    const gone = onTop(shown);
    return () => {
      shown.close();
      gone();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={props.size === undefined ? "sheet" : `sheet sheet-${props.size}`}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <header className="sheet-head">
        <h2 id={title} ref={heading} tabIndex={-1}>
          {props.title}
        </h2>
        <button
          type="button"
          className="button button-quiet"
          onClick={props.onClose}
          title={props.closeHint ?? props.closeLabel ?? strings.keys.close}
        >
          {props.closeLabel ?? <Icon name="cross" />}
          {props.closeLabel === undefined && <span className="sr-only">{strings.keys.close}</span>}
        </button>
      </header>
      <div className="sheet-body">{props.children}</div>
      {props.foot !== undefined && <footer className="sheet-foot">{props.foot}</footer>}
    </dialog>
  );
}
