// A model's text: its plain marks drawn, everything as text nodes.

import type { ReactElement } from "react";
import { visible } from "../../state/visible.js";
import { type Piece, pieces } from "./marks.js";

export function Prose({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="prose">
      {pieces(text).map((piece, at) => (
        <One key={at} piece={piece} />
      ))}
    </div>
  );
}

function One({ piece }: { readonly piece: Piece }): ReactElement {
  const text = visible(piece.text);
  switch (piece.kind) {
    case "plain":
      return <span>{text}</span>;
    case "code":
      return <code>{text}</code>;
    case "strong":
      return <strong>{text}</strong>;
    case "block":
      return <pre>{text}</pre>;
  }
}
