// Positions in a text: the server counts code points, a browser counts UTF-16 units.

const WIDE = /[\uD800-\uDBFF][\uDC00-\uDFFF]/;

/** A function from code points to UTF-16 units of this text. */
export function unitsOf(text: string): (position: number) => number {
  if (!WIDE.test(text)) return (position) => Math.min(position, text.length);
  const units: number[] = [];
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) units.push(at);
  return (position) => units[position] ?? text.length;
}
