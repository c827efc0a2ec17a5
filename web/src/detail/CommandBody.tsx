// A command: all of it, where it runs, what the sandbox lets it touch, and what each part is judged.

import { useMemo } from "react";
import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import { fixedRows } from "../diff/source.js";
import type { Target } from "../diff/DiffTable.js";
import type { CommandPart, CommandPreview } from "../state/wire.js";
import { commandRows, someParts } from "./command.js";
import { RowsPane } from "./RowsPane.js";
import { strings } from "./strings.js";

interface Props {
  readonly command: CommandPreview;
  readonly tabs?: ReactNode;
  readonly target?: Target | null;
  readonly onSeen: (rows: readonly number[]) => void;
}

const MARKS = { allow: "✓", ask: "?", deny: "✗" } as const;
const MOST_TEXT = 60;

export function CommandBody({ command, tabs, target = null, onSeen }: Props): ReactNode {
  const source = useMemo(() => fixedRows(commandRows(command)), [command]);
  const parts = someParts(command.parts);
  const left = command.parts.length - parts.length;
  return (
    <div className="q-command">
      <RowsPane
        source={source}
        label={strings.diff.command}
        shape="text"
        tabs={tabs}
        target={target}
        onSeen={onSeen}
        copied={() => command.command}
      />
      <dl className="q-facts">
        {command.cwd !== null && <Fact label={strings.command.cwd} value={command.cwd} />}
        <Fact label={strings.command.sandbox} value={command.sandbox === "" ? strings.command.noSandbox : command.sandbox} />
      </dl>
      {parts.length > 0 && (
        <ol className="q-parts" aria-label={strings.command.parts}>
          {parts.map((part) => (
            <Part key={`${part.start}-${part.end}-${part.text}`} part={part} />
          ))}
          {left > 0 && <li className="muted">{strings.command.more(left)}</li>}
        </ol>
      )}
    </div>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="mono">{visibleWord(value)}</dd>
    </div>
  );
}

function Part({ part }: { readonly part: CommandPart }): ReactNode {
  const isLong = part.text.length > MOST_TEXT;
  const hasRule = part.rule !== "" && !part.rule.startsWith("[") && !part.why.includes(part.rule);
  return (
    <li className={`q-part q-part-${part.verdict}`}>
      <span className="q-verdict">
        <span aria-hidden="true">{MARKS[part.verdict]}</span> {strings.command.verdict[part.verdict]}
      </span>
      <span className="q-part-text mono">
        {visibleWord(isLong ? part.text.slice(0, MOST_TEXT) : part.text)}
        {isLong && `… ${strings.command.characters(part.text.length)}`}
      </span>
      <span className="q-part-why">
        {visibleWord(part.why)}
        {hasRule && <span className="mono q-rule">{strings.command.rule(visibleWord(part.rule))}</span>}
      </span>
    </li>
  );
}
