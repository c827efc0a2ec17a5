// What the compiler does not forbid and this page does: `any`, HTML or code made from text, names that only case tells apart.
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const FORBIDDEN = [
  [/(?:[:<,|&=]|\bas|\bextends)\s*\bany\b/, "any: say what it is, or unknown and look at it"],
  [/\bany\[\]/, "any[]: say what it is, or unknown[] and look at it"],
  [/@ts-(?:ignore|nocheck)/, "a silenced compiler: mend what it says, or @ts-expect-error with the reason"],
  [/dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write/, "HTML from text: text nodes only"],
  [/\beval\s*\(|new\s+Function\s*\(/, "code from text"],
  [/https?:\/\/(?!www\.w3\.org\/)/, "an address of somebody else: the page talks to its own server only"],
];

const found = [];
const stems = new Map();
for (const entry of await readdir(join(HERE, "src"), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || /\.test\.tsx?$/.test(entry.name)) continue;
  const path = join(entry.parentPath ?? entry.path, entry.name);
  // esbuild, and every disk that does not tell cases apart, would take the one for the other.
  const stem = path.replace(/\.tsx?$/, "").toLowerCase();
  if (stems.has(stem)) found.push(`${path.slice(HERE.length + 1)}: only the case tells it from ${stems.get(stem)}: rename one`);
  stems.set(stem, path.slice(HERE.length + 1));
  for (const [index, line] of (await readFile(path, "utf8")).split("\n").entries()) {
    // A word in a comment is only a word.
    if (/^\s*(?:\/\/|\*|\/\*)/.test(line) && !/@ts-/.test(line)) continue;
    for (const [pattern, what] of FORBIDDEN)
      if (pattern.test(line)) found.push(`${path.slice(HERE.length + 1)}:${index + 1}: ${what}\n    ${line.trim()}`);
  }
}
if (found.length) {
  console.error(found.join("\n"));
  process.exit(1);
}
