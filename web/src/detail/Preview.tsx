// The first rows of a question, for a list of several.

import { Suspense } from "react";
import type { ReactNode } from "react";
import "../diff/diff.css";
import { PreviewView } from "./later.js";
import type { PreviewProps } from "./PreviewView.js";
import { LOADING } from "./words.js";

export function Preview(props: PreviewProps): ReactNode {
  return (
    <Suspense fallback={<p className="muted">{LOADING}</p>}>
      <PreviewView {...props} />
    </Suspense>
  );
}
