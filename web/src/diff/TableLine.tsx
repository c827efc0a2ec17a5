// What a line of the table says, gathered from the rows; drawn again only when that changes.

import type { ReactNode } from "react";
import type { Block, Row } from "../state/wire.js";
import { blockAt } from "./blocks.js";
import type { TableProps } from "./DiffTable.js";
import { gapAt } from "./gap.js";
import type { Gap } from "./gap.js";
import type { Lines } from "./lines.js";
import type { Hit } from "./pieces.js";
import { RowLine } from "./RowLine.js";
import type { Pick, Side } from "./RowLine.js";
import type { RowSource } from "./source.js";
import { useSame } from "./useSame.js";

interface Props extends TableProps {
  readonly blocks: readonly Block[];
  readonly line: number;
  readonly lines: Lines;
  readonly version: number;
  readonly whole: ReadonlySet<number>;
  readonly onWhole: (row: number) => void;
}

export function TableLine(props: Props): ReactNode {
  const { source, line, lines, choice, shape } = props;
  const { left, right } = lines.at(line);
  const row = left === null ? undefined : source.row(left);
  return (
    <RowLine
      line={line}
      shape={shape}
      left={useSame(sideOf(source, left, props.hits, props.whole))}
      right={useSame(sideOf(source, right, props.hits, props.whole))}
      gap={useSame(row?.kind === "hunk" && left !== null ? gapOf(source, left) : null)}
      pick={useSame(pickOf(props, left ?? right ?? 0))}
      picks={choice !== undefined}
      tint={row !== undefined && props.tintOf !== undefined ? props.tintOf(row.new ?? 0) : null}
      onWhole={props.onWhole}
      onPick={choice?.toggle}
    />
  );
}

function sideOf(
  source: RowSource,
  at: number | null,
  hits: ReadonlyMap<number, readonly Hit[]> | undefined,
  whole: ReadonlySet<number>,
): Side | null {
  if (at === null) return null;
  const row: Row | undefined = source.row(at);
  return { at, row, hits: hits?.get(at), whole: whole.has(at) };
}

function gapOf(source: RowSource, at: number): Gap {
  return gapAt((row) => source.row(row), at);
}

function pickOf({ choice, blocks }: Props, row: number): Pick | null {
  if (choice === undefined) return null;
  const block = blockAt(blocks, row);
  if (block === null) return null;
  return { block, chosen: choice.chosen.has(block), isFirst: blocks[block]?.first === row };
}
