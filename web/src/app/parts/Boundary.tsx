// A part of the page that broke says so, instead of taking the page with it.

import { Component, type ReactElement, type ReactNode, Suspense } from "react";
import { wordsOf } from "../../state/http.js";
import { strings } from "../../strings.js";

interface BoundaryProps {
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly broken: string | null;
}

class Catching extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { broken: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { broken: wordsOf(error) };
  }

  override render(): ReactNode {
    if (this.state.broken === null) return this.props.children;
    return (
      <div className="broken" role="alert">
        <p>{strings.broken.what}</p>
        <p className="mono muted">{this.state.broken}</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          {strings.broken.reload}
        </button>
      </div>
    );
  }
}

/** Waits for what comes later, and catches what breaks. */
export function Boundary({ children }: BoundaryProps): ReactElement {
  return (
    <Catching>
      <Suspense fallback={<p className="broken muted">{strings.broken.loading}</p>}>{children}</Suspense>
    </Catching>
  );
}
