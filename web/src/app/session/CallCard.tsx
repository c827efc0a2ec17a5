// One call of a tool: on one line what it is and how far it got; opened, its arguments and its result.

import { type ReactElement, memo, useId, useState } from "react";
import { useConnection } from "../../state/connection.js";
import type { Call, CallStatus } from "../../state/timeline.js";
import { visible, visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { chain, gist, words } from "../format.js";
import { Icon, type IconName } from "../parts/Icon.js";

const SIGNS: Readonly<Record<CallStatus, readonly [IconName, string]>> = {
  writing: ["dots", ""],
  proposed: ["dots", ""],
  waiting: ["clock", "badge-warn"],
  running: ["dots", "badge-accent"],
  done: ["check", "badge-ok"],
  refused: ["dash", "badge-danger"],
  failed: ["cross", "badge-danger"],
  stopped: ["stop", ""],
};

interface CallCardProps {
  readonly call: Call;
  readonly onReview: (toolUseId: string) => void;
}

export const CallCard = memo(function CallCard({ call, onReview }: CallCardProps): ReactElement {
  const [open, setOpen] = useState(false);
  const body = useId();
  const cwd = useConnection((state) => state.server?.cwd ?? "");
  const [sign, tone] = SIGNS[call.status];
  return (
    <article className={`call call-${call.status}`}>
      <div className="call-head">
        <button type="button" className="call-open" aria-expanded={open} aria-controls={body} onClick={() => setOpen(!open)}>
          <span className={open ? "turn turned" : "turn"}>
            <Icon name="right" size={12} />
          </span>
          <span className="call-name">{visibleLine(call.name)}</span>
          <span className="call-gist mono cut">{gist(call.input, cwd)}</span>
          {call.agents.length > 0 && <span className="muted cut">{chain(call.agents)}</span>}
          <span className={`badge ${tone}`}>
            <Icon name={sign} size={12} />
            <span>{strings.status[call.status]}</span>
          </span>
        </button>
        {call.status === "waiting" && (
          <button type="button" className="button" onClick={() => onReview(call.id)}>
            {strings.session.review}
          </button>
        )}
      </div>
      <RuledLine call={call} />
      <div id={body} hidden={!open} className="call-body">
        {open && <CallBody call={call} />}
      </div>
    </article>
  );
});

/** Who decided; a person's own words, where there are some. */
function RuledLine({ call }: { readonly call: Call }): ReactElement | null {
  const { ended } = call;
  if (ended === null || (ended.outcome === "approved" && ended.note === "")) return null;
  return (
    <p className="call-ruled">
      {strings.session.ruled(strings.outcome[ended.outcome], visibleLine(ended.by))}
      {ended.note !== "" && " "}
      {ended.note !== "" && <q>{visibleLine(ended.note)}</q>}
    </p>
  );
}

function CallBody({ call }: { readonly call: Call }): ReactElement {
  const args = Object.entries(call.input ?? {});
  return (
    <>
      <h3>{strings.session.arguments}</h3>
      {args.length === 0 ? (
        <p className="muted">{strings.session.noArguments}</p>
      ) : (
        <dl className="args">
          {args.map(([name, value]) => (
            <div key={name}>
              <dt className="mono">{visibleLine(name)}</dt>
              <dd>
                <pre>{visible(words(value))}</pre>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <h3>{strings.session.result}</h3>
      {call.result === null ? (
        <p className="muted">{strings.session.noResult}</p>
      ) : (
        <pre className="call-result">{visible(call.result) || strings.session.emptyResult}</pre>
      )}
    </>
  );
}
