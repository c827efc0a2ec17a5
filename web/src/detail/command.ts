// A command as rows, with what is not allowed in it marked; and those of its parts that are worth a line.

import { textRows } from "../diff/source.js";
import type { CommandPart, CommandPreview, Row } from "../state/wire.js";

const MOST_PARTS = 30;

/** The lines of the command; positions of parts count code points of the whole. */
export function commandRows({ command, parts }: CommandPreview): readonly Row[] {
  const risky = riskyParts(parts);
  let start = 0;
  return textRows(command).map((row) => {
    const size = [...row.text].length;
    const changed = risky
      .filter((part) => part.start < start + size && part.end > start)
      .map((part) => [Math.max(part.start - start, 0), Math.min(part.end - start, size)] as const);
    start += size + 1;
    return { ...row, changed };
  });
}

/** What to mark: where nothing is allowed, there is nothing it has to be told from. */
function riskyParts(parts: readonly CommandPart[]): readonly CommandPart[] {
  const found = parts.filter((part) => part.verdict !== "allow" && part.start < part.end);
  return found.length < parts.length ? found : [];
}

/** Those that are allowed and those that are not, each up to a number: a flood of one hides none of the other. */
export function someParts(parts: readonly CommandPart[]): readonly CommandPart[] {
  let [allowed, others] = [0, 0];
  return parts.filter((part) => (part.verdict === "allow" ? ++allowed : ++others) <= MOST_PARTS);
}
