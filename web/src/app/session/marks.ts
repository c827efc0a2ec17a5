// Plain marks in a model's text (code, bold, fences) as pieces; everything else stays as it was written.

export type Piece =
  | { readonly kind: "plain" | "code" | "strong"; readonly text: string }
  | { readonly kind: "block"; readonly text: string };

const FENCE = /^[ \t]*```[^\n`]*\n([\s\S]*?)(?:^[ \t]*```[ \t]*$\n?|(?![\s\S]))/gm;
const MARKS = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;

/** The text in pieces, in order; without their marks and the line breaks around blocks. */
export function pieces(text: string): readonly Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(FENCE)) {
    // A block has space around it already.
    inline(text.slice(at, match.index).replace(/^\n+|(?<!\n)\n+$/g, ""), found);
    found.push({ kind: "block", text: (match[1] ?? "").replace(/\n$/, "") });
    at = match.index + match[0].length;
  }
  inline(at === 0 ? text : text.slice(at).replace(/^\n+/, ""), found);
  return found;
}

function inline(text: string, into: Piece[]): void {
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    if (match.index > at) into.push({ kind: "plain", text: text.slice(at, match.index) });
    if (match[1] !== undefined) into.push({ kind: "code", text: match[1] });
    else into.push({ kind: "strong", text: match[2] ?? "" });
    at = match.index + match[0].length;
  }
  if (at < text.length) into.push({ kind: "plain", text: text.slice(at) });
}
