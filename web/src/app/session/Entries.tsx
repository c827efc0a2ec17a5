// What is said in a conversation: by a person, by the model, and at the end of a run.

import { type ReactElement, memo } from "react";
import { useConnection } from "../../state/connection.js";
import type { Usage } from "../../state/events.js";
import type { Finish, Prompt, Remark, Words } from "../../state/timeline.js";
import { visible, visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { chain, money, number } from "../format.js";
import { Icon, type IconName } from "../parts/Icon.js";
import { Prose } from "./Prose.js";

export const PromptBox = memo(function PromptBox({ prompt }: { readonly prompt: Prompt }): ReactElement {
  const you = useConnection((state) => state.server?.you);
  const label = useConnection((state) => state.server?.labels[prompt.mode]);
  return (
    <>
      <h2 className="speaker">
        {prompt.by === you ? strings.session.you : visibleLine(prompt.by)}
        {prompt.mode !== "sdk" && <span className="badge badge-warn">{label ?? prompt.mode}</span>}
      </h2>
      <p className="said">{visible(prompt.text)}</p>
    </>
  );
});

export const WordsBox = memo(function WordsBox({ words }: { readonly words: Words }): ReactElement {
  const who = words.agents.length > 0 ? <h2 className="speaker">{chain(words.agents)}</h2> : null;
  if (words.kind === "text") {
    return (
      <>
        {who}
        <Prose text={words.text} />
      </>
    );
  }
  return (
    <details className="thinking">
      <summary>{strings.session.thinking}</summary>
      <p className="said">{visible(words.text)}</p>
    </details>
  );
});

const SIGNS: Readonly<Record<Finish["status"], IconName>> = { success: "check", error: "cross", stopped: "stop" };

export const FinishLine = memo(function FinishLine({ finish }: { readonly finish: Finish }): ReactElement {
  return (
    <div className={`finish finish-${finish.status}`}>
      <p>
        <Icon name={SIGNS[finish.status]} size={14} /> <strong>{strings.session.finish[finish.status]}</strong>
        {finish.usage !== null && <span className="tabular"> · {used(finish.usage)}</span>}
      </p>
      {finish.status !== "success" && <p className="said">{visible(finish.message)}</p>}
    </div>
  );
});

function used(usage: Usage): string {
  const read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  const parts = [strings.session.requests(usage.requests)];
  if (read + usage.output_tokens > 0) parts.push(strings.session.tokens(number(read), number(usage.output_tokens)));
  if (usage.cost !== null) parts.push(strings.session.cost(money(usage.cost)));
  return parts.join(" · ");
}

export const RemarkLine = memo(function RemarkLine({ remark }: { readonly remark: Remark }): ReactElement {
  return <p className="note note-warn">{strings.session.retried(visibleLine(remark.text))}</p>;
});
