// One past question on a line; opened, what was proposed, approved and executed.

import { type ReactElement, type ReactNode, memo, useId, useState } from "react";
import { visible, visibleLine } from "../../state/visible.js";
import type { Args, Past } from "../../state/wire.js";
import { strings } from "../../strings.js";
import { brief, chain, exactly, moment, short, words } from "../format.js";
import { Icon } from "../parts/Icon.js";
import { isChanged, kindOf } from "./matching.js";

const s = strings.history;

/** What nobody decided is nobody's refusal. */
function toneOf(past: Past): string {
  if (past.decision === null) return "badge-warn";
  if (past.decision.kind === "expired" || past.decision.kind === "cancelled") return "";
  return kindOf(past) === "approved" ? "badge-ok" : "badge-danger";
}

export const PastRow = memo(function PastRow({ past }: { readonly past: Past }): ReactElement {
  const [open, setOpen] = useState(false);
  const body = useId();
  return (
    <li className="past">
      <button type="button" className="past-head" aria-expanded={open} aria-controls={body} onClick={() => setOpen(!open)}>
        <span className={open ? "turn turned" : "turn"}>
          <Icon name="right" size={12} />
        </span>
        <span className="past-what cut" title={visibleLine(past.description)}>
          {brief(past.description, past.proposed["file_path"] ?? past.proposed["path"] ?? null)}
        </span>
        <span className="past-tool mono muted cut">{visibleLine(past.tool_name)}</span>
        <span className="past-state">
          <span className={`badge ${toneOf(past)}`}>{decisionWord(past)}</span>
          {isChanged(past) && <span className="badge badge-accent">{s.changed}</span>}
          {past.executed !== null && past.executed.state !== "done" && (
            <span className="badge badge-danger">{stateWord(past.executed.state)}</span>
          )}
        </span>
        <span className="past-who muted cut">{visibleLine(past.decision?.by ?? "")}</span>
        <time className="past-when muted tabular" title={exactly(past.created)}>
          {moment(past.decision?.at ?? past.created)}
        </time>
      </button>
      <div id={body} hidden={!open}>
        {open && <PastBody past={past} />}
      </div>
    </li>
  );
});

function decisionWord(past: Past): string {
  if (past.decision === null) return s.pending;
  const { outcome, kind } = past.decision;
  return outcome === undefined ? (s.kindsOf[kind] ?? kind) : strings.outcome[outcome];
}

function stateWord(state: string): string {
  return s.states[state] ?? state;
}

function PastBody({ past }: { readonly past: Past }): ReactElement {
  const { decision, executed } = past;
  return (
    <div className="past-body">
      <Step title={s.proposed} when={past.created} word={past.agents.length > 0 ? chain(past.agents) : ""}>
        <Arguments args={past.proposed} />
      </Step>
      <Step
        title={decision === null ? s.approved : decisionWord(past)}
        when={decision?.at ?? null}
        word={decision === null ? s.pending : decision.by === "" ? "" : s.by(visibleLine(decision.by))}
      >
        {decision !== null && decision.note !== "" && <p className="quoted">{visible(decision.note)}</p>}
        <Approved past={past} />
      </Step>
      <Step title={s.executed} when={executed?.at ?? null} word={executed === null ? s.noneExecuted : stateWord(executed.state)}>
        {executed !== null && executed.detail !== "" && <pre>{visible(executed.detail)}</pre>}
      </Step>
      <p className="past-run muted mono" title={visibleLine(past.run)}>
        {s.run} {visibleLine(short(past.run))}
      </p>
    </div>
  );
}

/** What was approved of it, if anything was. */
function Approved({ past }: { readonly past: Past }): ReactNode {
  const { approved, decision } = past;
  if (decision?.hunks != null) return <p>{s.some(decision.hunks, decision.of ?? null)}</p>;
  if (approved === null) return null;
  return isChanged(past) ? <Arguments args={approved} /> : <p className="muted">{s.same}</p>;
}

interface StepProps {
  readonly title: string;
  readonly when: number | null;
  readonly word: string;
  readonly children: ReactNode;
}

function Step({ title, when, word, children }: StepProps): ReactElement {
  return (
    <section className="step">
      <h2>{title}</h2>
      <p className="muted">
        {word}
        {when !== null && (
          <time className="tabular" title={exactly(when)}>
            {word !== "" && " · "}
            {moment(when)}
          </time>
        )}
      </p>
      {children}
    </section>
  );
}

function Arguments({ args }: { readonly args: Args }): ReactElement {
  return <pre>{visible(words(args))}</pre>;
}
