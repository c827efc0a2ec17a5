// Everything about one question: what would happen, why it asks, and answering it.

import { Suspense } from "react";
import type { ReactNode } from "react";
import "./detail.css";
import type { DetailProps } from "./DetailView.js";
import { DetailView } from "./later.js";
import { LOADING } from "./words.js";

export function Detail(props: DetailProps): ReactNode {
  return (
    <Suspense fallback={<p className="q-detail q-empty muted">{LOADING}</p>}>
      <DetailView {...props} />
    </Suspense>
  );
}
