// Scrolls along with what is written, unless the person has scrolled up to read.

import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import { strings } from "../../strings.js";
import { Icon } from "../parts/Icon.js";

const NEAR_PX = 60;

export function Scroller({ children }: { readonly children: ReactNode }): ReactElement {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [away, setAway] = useState(false);

  useEffect(() => {
    const box = outer.current;
    const content = inner.current;
    if (box === null || content === null) return;
    const grown = new ResizeObserver(() => {
      if (follows.current) box.scrollTop = box.scrollHeight;
      else setAway(!isNear(box));
    });
    grown.observe(content);
    grown.observe(box);
    return () => grown.disconnect();
  }, []);

  const scrolled = (): void => {
    if (outer.current === null) return;
    follows.current = isNear(outer.current);
    setAway(!follows.current);
  };
  const toEnd = (): void => {
    follows.current = true;
    setAway(false);
    outer.current?.scrollTo({ top: outer.current.scrollHeight });
  };
  return (
    <div className="scroller-place">
      <div className="scroller" ref={outer} onScroll={scrolled}>
        <div ref={inner} className="column">
          {children}
        </div>
      </div>
      {away && (
        <button type="button" className="button to-end" onClick={toEnd}>
          <Icon name="down" size={14} /> {strings.session.latest}
        </button>
      )}
    </div>
  );
}

function isNear(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
}
