// What would happen, in the way that suits it: a diff, a command, a text, or a few facts.

import { useMemo } from "react";
import type { ReactNode } from "react";
import type { Choice, Target } from "../diff/DiffTable.js";
import { visibleWord } from "../diff/hidden.js";
import { fixedRows, textRows } from "../diff/source.js";
import { CommandBody } from "./CommandBody.js";
import { FactsBody } from "./FactsBody.js";
import { FileList } from "./FileList.js";
import { filesOf } from "./files.js";
import { jsonRows } from "./jsonRows.js";
import type { Presented } from "./presented.js";
import { RowsPane } from "./RowsPane.js";
import { strings } from "./strings.js";
import { PANEL } from "./Tabs.js";
import type { Loaded } from "./useQuestion.js";

interface Props {
  readonly loaded: Loaded;
  readonly shown: Presented;
  readonly tabs: ReactNode;
  readonly skip: number;
  readonly choice: Choice | undefined;
  readonly target: Target | null;
  readonly onGo: (row: number) => void;
  readonly onSeen: (rows: readonly number[]) => void;
}

export function MainBody({ loaded, shown, tabs, skip, choice, target, onGo, onSeen }: Props): ReactNode {
  const { body, changes } = shown;
  const files = useMemo(() => (changes.length > 1 ? filesOf(changes) : []), [changes]);
  const text = useMemo(
    () => (body.kind === "text" ? fixedRows(body.isJson ? jsonRows(body.text) : textRows(body.text)) : null),
    [body],
  );
  switch (body.kind) {
    case "command":
      return <CommandBody command={body.command} tabs={tabs} target={target} onSeen={onSeen} />;
    case "facts":
      return (
        <>
          <div className="q-bar">{tabs}</div>
          <div {...PANEL} aria-label={strings.tabs.facts}>
            <FactsBody facts={body.facts} note={body.note} target={target} onSeen={onSeen} />
          </div>
        </>
      );
    case "text":
      return text === null ? null : (
        <RowsPane
          source={text}
          label={strings.diff.text}
          shape={body.numbered ? "file" : "text"}
          tabs={tabs}
          target={target}
          onSeen={onSeen}
          copied={() => body.text}
        />
      );
    case "diff":
      return (
        <RowsPane
          source={loaded.rows}
          label={strings.diff.label(visibleWord(shown.path ?? shown.title))}
          shape="diff"
          tabs={tabs}
          aside={files.length > 0 ? <FileList files={files} onGo={onGo} /> : undefined}
          skip={skip}
          blocks={loaded.blocks.blocks}
          choice={choice}
          target={target}
          onSeen={onSeen}
          copied={() => diffText(loaded, shown)}
        />
      );
  }
}

function diffText({ detail }: Loaded, { changes }: Presented): string {
  const diffs = changes.map((change) => change.unified_diff);
  return diffs.some((each) => each !== "") ? diffs.join("") : `${detail.message.diff_lines.join("\n")}\n`;
}
