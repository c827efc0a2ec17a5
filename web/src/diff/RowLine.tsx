// One line of the table: numbers, a sign, and the text of a row.

import { memo } from "react";
import type { ReactNode } from "react";
import { visibleWord } from "./hidden.js";
import { strings } from "../detail/strings.js";
import type { Row } from "../state/wire.js";
import type { Gap } from "./gap.js";
import { RowText } from "./RowText.js";
import type { Hit } from "./pieces.js";

export type Shape = "diff" | "split" | "file" | "text";

export interface Side {
  readonly at: number;
  readonly row: Row | undefined;
  readonly hits: readonly Hit[] | undefined;
  readonly whole: boolean;
}

/** A change that may be left out, where this line belongs to one. */
export interface Pick {
  readonly block: number;
  readonly chosen: boolean;
  readonly isFirst: boolean;
}

interface Props {
  readonly line: number;
  readonly shape: Shape;
  readonly left: Side | null;
  readonly right: Side | null;
  readonly gap: Gap | null;
  readonly pick: Pick | null;
  readonly picks: boolean;
  readonly tint: "added" | null;
  readonly onWhole: (row: number) => void;
  readonly onPick: ((block: number) => void) | undefined;
}

const NOBODY = "/dev/null";
const SIGNS: Readonly<Record<string, string>> = { added: "+", removed: "−" };

export const RowLine = memo(function RowLine(props: Props): ReactNode {
  const { line, shape, left, right, gap, pick, tint } = props;
  const row = left?.row ?? right?.row;
  const kind = row?.kind ?? "waiting";
  const dim = pick !== null && !pick.chosen ? " d-left-out" : "";
  const isWide = gap !== null || kind === "file";
  return (
    <div role="row" aria-rowindex={line + 1} data-line={line} className={`d-row d-${tint ?? kind}${dim}`}>
      {props.picks && <PickCell pick={pick} onPick={props.onPick} />}
      {isWide ? (
        <WideCell gap={gap} text={row?.text ?? ""} shape={shape} />
      ) : shape === "split" ? (
        <>
          <Half side={left} number={left?.row?.old} {...props} />
          <Half side={right} number={right?.row?.new} {...props} />
        </>
      ) : (
        <>
          {shape === "diff" && <Number of={row?.old} what="old" />}
          {shape !== "text" && <Number of={row?.new} what={shape === "file" ? "line" : "new"} />}
          <Code side={left} marks={shape === "diff"} onWhole={props.onWhole} />
        </>
      )}
    </div>
  );
});

function Half({ side, number, onWhole }: Props & { readonly side: Side | null; readonly number: number | null | undefined }): ReactNode {
  const kind = side === null ? "nothing" : (side.row?.kind ?? "waiting");
  return (
    <>
      <span role="cell" className={`d-number d-half-${kind}`} data-number={number ?? ""} />
      <Code side={side} marks half={kind} onWhole={onWhole} />
    </>
  );
}

function Number({ of, what }: { readonly of: number | null | undefined; readonly what: "old" | "new" | "line" }): ReactNode {
  return <span role="cell" className="d-number" data-number={of ?? ""} aria-label={of == null ? undefined : strings.diff.number[what](of)} />;
}

interface CodeProps {
  readonly side: Side | null;
  readonly marks: boolean;
  readonly half?: string;
  readonly onWhole: (row: number) => void;
}

function Code({ side, marks, half, onWhole }: CodeProps): ReactNode {
  const row = side?.row;
  const sign = marks && row !== undefined ? (SIGNS[row.kind] ?? "") : "";
  return (
    <span role="cell" className={`d-code${half === undefined ? "" : ` d-half-${half}`}`} data-sign={sign}>
      {side !== null && row !== undefined && (
        <span data-code="">
          {row.kind === "no_newline" ? (
            <span className="d-note">{strings.diff.noNewline}</span>
          ) : (
            <RowText row={row} hits={side.hits} whole={side.whole} onWhole={() => onWhole(side.at)} />
          )}
        </span>
      )}
    </span>
  );
}

function WideCell({ gap, text, shape }: { readonly gap: Gap | null; readonly text: string; readonly shape: Shape }): ReactNode {
  if (gap === null) {
    return (
      <span role="cell" aria-colspan={shape === "split" ? 4 : 3} className="d-wide">
        <FileName text={text} />
      </span>
    );
  }
  return (
    <span role="cell" aria-colspan={shape === "split" ? 4 : 3} className="d-wide">
      <span className="d-gap">{gap.lines === null || gap.lines === 0 ? "⋯" : strings.diff.unchanged(gap.lines)}</span>
      <span className="d-head">{visibleWord(gap.numbers)}</span> {visibleWord(gap.title)}
    </span>
  );
}

/** A file's name; of one that is new or goes, the diff names nobody as the other. */
function FileName({ text }: { readonly text: string }): ReactNode {
  const [old, now, ...more] = text.split(" → ");
  if (old === undefined || now === undefined || more.length > 0) return visibleWord(text);
  if (old === NOBODY) return <Named name={now} badge={strings.files.added} kind="ok" />;
  return now === NOBODY ? <Named name={old} badge={strings.files.removed} kind="danger" /> : visibleWord(text);
}

function Named({ name, badge, kind }: { readonly name: string; readonly badge: string; readonly kind: string }): ReactNode {
  return (
    <>
      {visibleWord(name)}
      <span className={`badge badge-${kind}`}>{badge}</span>
    </>
  );
}

function PickCell({ pick, onPick }: { readonly pick: Pick | null; readonly onPick: ((block: number) => void) | undefined }): ReactNode {
  return (
    <span role="cell" className={`d-pick${pick === null ? "" : " d-pick-rail"}`}>
      {pick?.isFirst === true && (
        <label className="d-tick">
          <input
            type="checkbox"
            checked={pick.chosen}
            aria-label={strings.diff.pick(pick.block + 1)}
            onChange={() => onPick?.(pick.block)}
          />
        </label>
      )}
    </span>
  );
}
