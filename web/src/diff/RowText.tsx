// The text of a row, piece by piece; text nodes only.

import type { ReactNode } from "react";
import { strings } from "../detail/strings.js";
import type { Row } from "../state/wire.js";
import { piecesOf } from "./pieces.js";
import type { Hit, Piece } from "./pieces.js";

/** Of a longer line the beginning is drawn, and how much more there is. */
export const LONGEST = 2000;

interface Props {
  readonly row: Row;
  readonly hits: readonly Hit[] | undefined;
  readonly whole: boolean;
  /** Draws all of it; where nobody can, the rest is only counted. */
  readonly onWhole?: () => void;
  readonly most?: number;
}

export function RowText({ row, hits, whole, onWhole, most = LONGEST }: Props): ReactNode {
  const more = whole ? 0 : row.text.length - most;
  return (
    <>
      {piecesOf(row, hits, more > 0 ? most : undefined).map((piece, at) => drawn(piece, at))}
      {more > 0 &&
        (onWhole === undefined ? (
          <span className="d-more">{strings.diff.moreCharacters(more)}</span>
        ) : (
          <button type="button" className="d-more" onClick={onWhole}>
            {strings.diff.moreCharacters(more)}
          </button>
        ))}
    </>
  );
}

function drawn(piece: Piece, at: number): ReactNode {
  const names = [
    piece.token === null ? "" : `t-${piece.token}`,
    piece.word ? "d-word" : "",
    piece.sign === null ? "" : `d-${piece.sign}`,
    piece.hit === null ? "" : `d-${piece.hit}`,
  ].filter((name) => name !== "");
  if (names.length === 0) return piece.text;
  return (
    <span key={at} className={names.join(" ")}>
      {piece.text}
    </span>
  );
}

/** Whether all of the row's text is drawn. */
export function isWhole(row: Row, whole: ReadonlySet<number>, at: number): boolean {
  return row.text.length <= LONGEST || whole.has(at);
}
