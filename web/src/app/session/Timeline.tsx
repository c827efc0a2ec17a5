// The conversation under way, and those before it on demand.

import { type ReactElement, useState } from "react";
import { useSession } from "../../state/session.js";
import type { Entry, Timeline as Session } from "../../state/timeline.js";
import { strings } from "../../strings.js";
import { Icon } from "../parts/Icon.js";
import { CallCard } from "./CallCard.js";
import { FinishLine, PromptBox, RemarkLine, WordsBox } from "./Entries.js";

interface TimelineProps {
  readonly timeline: Session;
  readonly onReview: (toolUseId: string) => void;
}

export function Timeline({ timeline, onReview }: TimelineProps): ReactElement {
  const [all, setAll] = useState(false);
  const setFresh = useSession((state) => state.setFresh);
  const earlier = timeline.conversations.length - 1;
  const shown = all ? timeline.conversations : timeline.conversations.slice(-1);
  return (
    <>
      <div className="timeline-head">
        {earlier > 0 && !all ? (
          <button type="button" className="button button-quiet" onClick={() => setAll(true)}>
            {strings.session.earlier(earlier)}
          </button>
        ) : (
          <span />
        )}
        <button
          type="button"
          className="button button-quiet"
          disabled={timeline.running}
          onClick={() => {
            setFresh(true);
            document.getElementById("prompt")?.focus();
          }}
        >
          <Icon name="plus" size={14} /> {strings.session.newConversation}
        </button>
      </div>
      {timeline.missed && <p className="note">{strings.connection.missed}</p>}
      {shown.map((each) => (
        <ol key={each.key} className="timeline" aria-label={strings.session.timeline}>
          {each.entries.map((entry) => (
            <li key={entry.key} className={`entry entry-${entry.kind}`}>
              <OneEntry entry={entry} onReview={onReview} />
            </li>
          ))}
        </ol>
      ))}
      {timeline.running && timeline.waiting.size === 0 && (
        <p className="working" role="status">
          <span className="pulse" aria-hidden="true" />
          {strings.session.running}
        </p>
      )}
    </>
  );
}

function OneEntry({ entry, onReview }: { readonly entry: Entry; readonly onReview: (id: string) => void }): ReactElement {
  switch (entry.kind) {
    case "prompt":
      return <PromptBox prompt={entry} />;
    case "text":
    case "thinking":
      return <WordsBox words={entry} />;
    case "call":
      return <CallCard call={entry} onReview={onReview} />;
    case "finish":
      return <FinishLine finish={entry} />;
    case "remark":
      return <RemarkLine remark={entry} />;
  }
}
