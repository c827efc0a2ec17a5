// Text nobody can be tricked with: what is invisible or acts is spelled out, as the terminal does it.

// Letters, marks and symbols to Unicode, and yet they draw nothing. The bracket itself is
// spelled too, so that no text can pretend that something was spelled.
const BLANK =
  "\\u27E8\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180D\\u180F\\u2800\\u2D7F\\u3164\\uFE00-\\uFE0F\\uFFA0\\uFFFC" +
  "\\u{10A3F}\\u{1107F}\\u{13441}\\u{13442}\\u{16FE4}\\u{1D159}\\u{E0100}-\\u{E01EF}";
const PLAIN = /^[\x20-\x7E\n\t]*$/;
const HIDDEN = new RegExp(`(?![ \\n\\t])[\\p{C}\\p{Z}${BLANK}]`, "gu");

/** The text with every control, bidi and invisible character spelled as `⟨U+202E⟩`. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  // Looked for only where blanks begin: from each of many blanks it would take forever.
  return visible(text).replace(/(?<!\s)\s*\n\s*/g, " ⏎ ").replaceAll("\t", " ");
}
