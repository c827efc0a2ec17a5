// How many characters are spelled out, and one of them: what the warning says.

import { visible } from "../state/visible.js";

export interface Hidden {
  readonly count: number;
  readonly example: string;
}

const SPELLED = /⟨U\+[0-9A-F]+⟩/g;
// The bracket is spelled too, but it hides nothing.
const BRACKET = "⟨U+27E8⟩";

/** Text on one line, with line breaks and tabs spelled too. */
export function visibleWord(text: string): string {
  return visible(text).replaceAll("\n", "⟨U+000A⟩").replaceAll("\t", "⟨U+0009⟩");
}

/** What is hidden in lines of ours that quote somebody, and in texts of several lines. */
export function hiddenIn(lines: readonly string[], texts: readonly string[]): Hidden {
  let count = 0;
  let example = "";
  // The end of a line as Windows writes it is no trick.
  const shown = [...lines.map(visibleWord), ...texts.map((text) => visible(text.replaceAll("\r\n", "\n")))];
  for (const text of shown) {
    for (const [sign] of text.matchAll(SPELLED)) {
      if (sign === BRACKET) continue;
      count += 1;
      if (example === "" || (sign.length === example.length ? sign > example : sign.length > example.length)) example = sign;
    }
  }
  return { count, example };
}
