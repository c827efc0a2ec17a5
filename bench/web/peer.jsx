// A page that shows one unified diff with react-diff-view, and says when it is there.
import { useMemo } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { Diff, Hunk, parseDiff, tokenize } from "react-diff-view";
import { refractor } from "refractor/core";
import python from "refractor/python";
import "react-diff-view/style/index.css";

refractor.register(python);
// The component was written for a refractor that gives the nodes without their root.
const highlighter = { highlight: (code, language) => refractor.highlight(code, language).children };

function Shown({ text, coloured }) {
  const [file] = useMemo(() => parseDiff(text), [text]);
  const tokens = useMemo(
    () => (coloured ? tokenize(file.hunks, { highlight: true, refractor: highlighter, language: "python" }) : undefined),
    [file, coloured],
  );
  return (
    <Diff viewType="unified" diffType={file.type} hunks={file.hunks} tokens={tokens}>
      {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
    </Diff>
  );
}

const root = createRoot(document.getElementById("root"));

/** Milliseconds from the request for the diff to the frame that shows it. */
window.show = async (address, coloured) => {
  const begun = performance.now();
  const text = await (await fetch(address)).text();
  flushSync(() => root.render(<Shown text={text} coloured={coloured} />));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return { took: performance.now() - begun, rows: document.querySelectorAll("tr.diff-line").length };
};
window.clear = () => flushSync(() => root.render(null));
