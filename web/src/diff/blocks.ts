// The changes of a diff that a person may choose among.

import type { Block } from "../state/wire.js";

/** Which block this row belongs to; null if to none. */
export function blockAt(blocks: readonly Block[], row: number): number | null {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.first ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  const block = blocks[low - 1];
  return block !== undefined && row <= block.last ? low - 1 : null;
}

/** How many lines come and go. */
export function sizeOf(blocks: readonly Block[]): { readonly added: number; readonly removed: number } {
  return {
    added: blocks.reduce((sum, block) => sum + block.added, 0),
    removed: blocks.reduce((sum, block) => sum + block.removed, 0),
  };
}

/** Whether this line of the new file is one that comes. */
export function isAdded(blocks: readonly Block[], line: number): boolean {
  return blocks.some((block) => block.added > 0 && block.new_line <= line && line < block.new_line + block.added);
}
