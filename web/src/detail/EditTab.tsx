// Editing the call before it is approved: what was written, what it is judged, what it would do.

import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import { get } from "../state/http.js";
import type { Args, ToolSchema } from "../state/wire.js";
import type { Edited } from "./edited.js";
import { Redrawn } from "./Redrawn.js";
import { pretty } from "./presented.js";
import { textField } from "./edit.js";
import { strings } from "./strings.js";
import { PANEL } from "./Tabs.js";
import type { Edit } from "./useEdit.js";
import { pathOf } from "./useQuestion.js";

interface Props {
  readonly id: string;
  readonly original: Args;
  readonly edit: Edit;
  readonly edited: Edited | null;
  readonly tabs: ReactNode;
  readonly onSeen: (rows: readonly number[]) => void;
}

export function EditTab({ id, original, edit, edited, tabs, onSeen }: Props): ReactNode {
  const field = textField(original);
  return (
    <>
      <div className="q-bar">{tabs}</div>
      <div className="q-edit" data-scrolls="" {...PANEL} aria-label={strings.tabs.edit}>
        <div className="q-edit-head">
          {field !== null && (
            <div role="group" aria-label={strings.edit.as} className="q-switch">
              {[field, null].map((each) => (
                <button
                  key={each ?? ""}
                  type="button"
                  aria-pressed={edit.draft.field === each}
                  disabled={edit.args === null || (each !== null && typeof edit.args[each] !== "string")}
                  onClick={() => edit.use(each)}
                >
                  {each === null ? strings.edit.json : strings.edit.text(each)}
                </button>
              ))}
            </div>
          )}
          <span className="q-grow" />
          {edit.isChanged && (
            <button type="button" className="q-tool" onClick={edit.reset}>
              {strings.edit.reset}
            </button>
          )}
        </div>
        <textarea
          className="field mono q-edit-text"
          aria-label={edit.draft.field ?? strings.edit.json}
          aria-invalid={edit.problem !== null || edit.drawn?.verdict === "deny"}
          aria-describedby="q-edit-said"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          rows={Math.min(Math.max(edit.draft.text.split("\n").length + 1, 5), 16)}
          value={edit.draft.text}
          onChange={(event) => edit.write(event.target.value)}
        />
        <Said edit={edit} />
        {edited !== null && <Redrawn key={edit.times} edited={edited} rows={edit.drawn?.rows ?? null} onSeen={onSeen} />}
        <Schema id={id} />
      </div>
    </>
  );
}

/** What is known of the edit now. */
function Said({ edit }: { readonly edit: Edit }): ReactNode {
  const [text, kind] = said(edit);
  return (
    <p id="q-edit-said" role="status" className={kind === "" ? "muted" : `note note-${kind}`}>
      {text}
    </p>
  );
}

function said({ isChanged, problem, drawn, failure }: Edit): readonly [string, "" | "warn" | "danger"] {
  if (problem !== null) return [problem, "danger"];
  if (!isChanged) return [strings.edit.unchanged, ""];
  if (failure !== null) return [visibleWord(failure), "danger"];
  if (drawn === null) return [strings.edit.checking, ""];
  if (drawn.problem !== null) {
    const words = visibleWord(drawn.problem);
    return drawn.verdict === "deny" ? [strings.edit.problem(words), "danger"] : [strings.edit.elsewhere(words), "warn"];
  }
  const reason = visibleWord(drawn.reason);
  if (drawn.verdict === "deny") return [strings.edit.denied(reason), "danger"];
  return [drawn.verdict === "ask" ? strings.edit.asks(reason) : strings.edit.allowed(reason), ""];
}

function Schema({ id }: { readonly id: string }): ReactNode {
  const [schema, setSchema] = useState<Args | null>(null);
  useEffect(() => {
    let isOver = false;
    // Without it the edit is judged all the same.
    get<ToolSchema>(pathOf(id, "/schema")).then((found) => isOver || setSchema(found.schema), () => undefined);
    return () => {
      isOver = true;
    };
  }, [id]);
  if (schema === null) return null;
  return (
    <details className="q-schema">
      <summary>{strings.edit.schema}</summary>
      <pre>{visibleText(pretty(schema))}</pre>
    </details>
  );
}

function visibleText(text: string): string {
  return text.split("\n").map(visibleWord).join("\n");
}
