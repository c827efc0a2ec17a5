// The question that waits, above the page. Escape closes it and decides nothing.

import type { ReactElement } from "react";
import { Detail } from "../../detail/Detail.js";
import { useInbox } from "../../state/inbox.js";
import { strings } from "../../strings.js";
import { Boundary } from "../parts/Boundary.js";
import { Sheet } from "../parts/Sheet.js";
import type { Questions } from "./useQuestions.js";

interface AskSheetProps {
  readonly id: string;
  readonly questions: Questions;
}

export function AskSheet({ id, questions }: AskSheetProps): ReactElement {
  const place = Math.max(0, questions.waiting.findIndex((each) => each.id === id));
  // Somebody else was first, or time was: then there is nothing to put off.
  const over = useInbox((state) => state.ended[id] !== undefined || (state.known && state.items.every((each) => each.id !== id)));
  return (
    <Sheet
      title={over ? strings.ask.over : strings.ask.title(place + 1, questions.waiting.length)}
      onClose={over ? questions.answered : questions.later}
      closeLabel={over ? strings.keys.close : strings.ask.later}
      closeHint={over ? strings.keys.close : strings.ask.laterHint}
      size="tall"
    >
      <div className="ask" data-question>
        <Boundary>
          <Detail id={id} onAnswered={questions.answered} compact />
        </Boundary>
      </div>
    </Sheet>
  );
}
