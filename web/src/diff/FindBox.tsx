// The find box: the browser's own would search only the rows that are drawn.

import { useEffect, useRef } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { strings } from "../detail/strings.js";
import { visibleWord } from "./hidden.js";
import { MOST_MATCHES } from "./search.js";
import type { Find } from "./useFind.js";

interface Props {
  readonly find: Find;
  readonly onClose: () => void;
}

export function FindBox({ find, onClose }: Props): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") find.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div role="search" className="d-find" onKeyDown={onKeyDown}>
      <input
        ref={input}
        type="search"
        value={find.words}
        placeholder={strings.find.label}
        aria-label={strings.find.label}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => find.search(event.target.value)}
      />
      <span className="d-find-count" role="status">
        {said(find)}
      </span>
      <button type="button" aria-label={strings.find.previous} disabled={find.count === 0} onClick={() => find.step(-1)}>
        ↑
      </button>
      <button type="button" aria-label={strings.find.next} disabled={find.count === 0} onClick={() => find.step(1)}>
        ↓
      </button>
      <button type="button" aria-label={strings.find.close} onClick={onClose}>
        ✕
      </button>
    </div>
  );
}

function said(find: Find): string {
  if (find.problem !== null) return strings.find.failed(visibleWord(find.problem));
  if (find.words === "") return "";
  if (find.count === 0) return find.searching ? strings.find.searching : strings.find.none;
  const more = find.searching || find.count >= MOST_MATCHES ? "+" : "";
  return strings.find.count(find.at, `${find.count.toLocaleString("en")}${more}`);
}
