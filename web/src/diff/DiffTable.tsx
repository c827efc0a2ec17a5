// Rows in a box that scrolls: only those in view are drawn, however many there are.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { ReactNode } from "react";
import { strings } from "../detail/strings.js";
import { visibleWord } from "./hidden.js";
import type { Block } from "../state/wire.js";
import { selectedText } from "./copy.js";
import { uniform } from "./extent.js";
import { split, unified } from "./lines.js";
import { measured } from "./measured.js";
import { LONGEST } from "./RowText.js";
import type { Hit } from "./pieces.js";
import type { Shape } from "./RowLine.js";
import type { RowSource } from "./source.js";
import { TableLine } from "./TableLine.js";
import { useAcross } from "./useAcross.js";
import { useSeenRows } from "./useSeenRows.js";
import { useView } from "./useView.js";
import { scrollToRow, windowOf } from "./window.js";

export const ROW_HEIGHT = 20;
const OVERSCAN = 20;
const NO_BLOCKS: readonly Block[] = [];

/** A row to bring into view; another value asks again. */
export interface Target {
  readonly row: number;
  readonly place: "middle" | "top";
}

export interface Choice {
  readonly chosen: ReadonlySet<number>;
  readonly toggle: (block: number) => void;
}

export interface TableProps {
  readonly source: RowSource;
  readonly label: string;
  readonly shape: Shape;
  readonly wrap: boolean;
  /** So many rows at the top say what was said already. */
  readonly skip?: number;
  readonly blocks?: readonly Block[] | undefined;
  readonly choice?: Choice | undefined;
  readonly hits?: ReadonlyMap<number, readonly Hit[]> | undefined;
  readonly target?: Target | null | undefined;
  readonly tintOf?: ((line: number) => "added" | null) | undefined;
  /** These rows were before somebody's eyes; in order. */
  readonly onSeen?: ((rows: readonly number[]) => void) | undefined;
}

export function DiffTable(props: TableProps): ReactNode {
  const { source, shape, skip = 0, blocks = NO_BLOCKS, choice, target } = props;
  const wrap = props.wrap || shape === "split";
  const version = useSyncExternalStore(
    useCallback((listener: () => void) => source.subscribe(listener), [source]),
    () => source.version,
  );
  const box = useRef<HTMLDivElement>(null);
  const [looked, look] = useView(box);
  const { view } = looked;
  const [whole, setWhole] = useState<ReadonlySet<number>>(new Set());
  const onWhole = useCallback((row: number) => setWhole((before) => new Set(before).add(row)), []);
  const [, setMeasured] = useState(0);
  const total = source.total ?? 0;
  const lines = useMemo(
    () => (shape === "split" ? split(total, blocks, (row) => source.row(row)?.kind, skip) : unified(total, skip)),
    // Of two columns, what stands beside what is known when the rows are there.
    [shape, total, blocks, skip, source, shape === "split" ? version : 0],
  );
  const heights = useMemo(() => (wrap ? measured(lines.count, ROW_HEIGHT) : null), [wrap, lines.count, source]);
  const extent = useMemo(() => heights ?? uniform(lines.count, ROW_HEIGHT), [heights, lines.count]);
  const reach = useAcross(box, source, lines, wrap);
  const drawn = windowOf(extent, view, OVERSCAN);
  const last = lines.at(Math.max(drawn.end - 1, 0));
  const first = lines.at(drawn.first);
  useEffect(
    () => source.want(first.left ?? first.right ?? 0, (last.right ?? last.left ?? 0) + 1),
    [source, first.left, first.right, last.left, last.right],
  );

  useLayoutEffect(() => {
    if (heights === null || box.current === null) return;
    const top = heights.rowAt(box.current.scrollTop);
    let above = 0;
    let changed = false;
    for (const line of box.current.querySelectorAll<HTMLElement>("[data-line]")) {
      const at = Number(line.dataset["line"]);
      const by = heights.measure(at, line.offsetHeight);
      if (by !== 0) changed = true;
      if (at < top) above += by;
    }
    // What is in view stays where it is, whatever was measured above it.
    if (above !== 0) box.current.scrollTop += above;
    if (changed) setMeasured((count) => count + 1);
  });

  const seenDown = useSeenRows({ box, source, extent, lines, looked, reach, version, whole, onSeen: props.onSeen });
  useEffect(() => {
    const element = box.current;
    if (target == null || element === null) return;
    // Of a long line, what is looked for may be behind its beginning.
    if ((source.row(target.row)?.text.length ?? 0) > LONGEST) onWhole(target.row);
    const at = { top: element.scrollTop, height: element.clientHeight };
    const line = lines.lineOf(target.row);
    // Of a line that does not fit, go on where it was left; the last of what was seen helps to find it.
    const down = target.place === "top" ? Math.max(seenDown(line) - ROW_HEIGHT, 0) : 0;
    element.scrollTop = scrollToRow(extent, at, line, target.place, down);
    reveal(element, extent.topOf(line) + down - extent.contentAt(element.scrollTop, element.clientHeight));
    // Where lines are not wrapped, what was not seen of it may be on its right.
    if (!wrap && target.place === "top") element.scrollLeft = reach.leftOf(line);
    look();
    // Only a new target moves the view, not new rows.
  }, [target]);

  const columns = Math.min(source.longest, LONGEST) + 2;
  return (
    <div
      ref={box}
      className={`d-box d-shape-${shape}${wrap ? " d-wrap" : ""}${choice === undefined ? "" : " d-picks"}`}
      role="region"
      aria-label={props.label}
      tabIndex={0}
      onCopy={(event) => {
        const text = selectedText(event.currentTarget, document.getSelection());
        if (text === null) return;
        event.clipboardData.setData("text/plain", text);
        event.preventDefault();
      }}
    >
      <div role="table" aria-label={props.label} aria-rowcount={lines.count} className="d-table" style={{ height: extent.height }}>
        <div
          role="rowgroup"
          className="d-window"
          style={{ transform: `translateY(${drawn.offset}px)`, ...(wrap ? {} : { minWidth: `calc(${columns}ch + 9rem)` }) }}
        >
          {Array.from({ length: drawn.end - drawn.first }, (_, at) => (
            <TableLine
              key={drawn.first + at}
              {...props}
              blocks={blocks}
              line={drawn.first + at}
              lines={lines}
              version={version}
              whole={whole}
              onWhole={onWhole}
            />
          ))}
        </div>
      </div>
      {source.problem !== null && (
        <p role="alert" className="d-problem">
          {strings.diff.notLoaded(visibleWord(source.problem))}{" "}
          <button type="button" onClick={() => source.retry()}>
            {strings.diff.again}
          </button>
        </p>
      )}
      {source.total === null && source.problem === null && <p className="d-waits">{strings.diff.loading}</p>}
    </div>
  );
}

/** Scroll what is around the box, so that the row at this height of it is on the screen, with what follows. */
function reveal(box: HTMLElement, at: number): void {
  box.scrollIntoView({ block: "nearest" });
  const around = box.parentElement?.closest("[data-scrolls]");
  if (around == null) return;
  const { top, bottom } = around.getBoundingClientRect();
  const row = box.getBoundingClientRect().top + at;
  if (row < top || row + ROW_HEIGHT > bottom) around.scrollTop += row - top;
}
