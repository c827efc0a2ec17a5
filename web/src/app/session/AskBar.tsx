// A question was put off, or came while a prompt was being written: it waits, and this says so.

import type { ReactElement } from "react";
import { visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { Countdown } from "../parts/Countdown.js";
import { Icon } from "../parts/Icon.js";
import type { Questions } from "./useQuestions.js";

export function AskBar({ questions }: { readonly questions: Questions }): ReactElement | null {
  const first = questions.waiting[0];
  if (first === undefined || questions.shown !== null) return null;
  return (
    <div className="ask-bar">
      <Icon name="clock" />
      <span className="cut" role="status">
        <strong>{strings.ask.bar(questions.waiting.length)}</strong> <span>{visibleLine(first.description)}</span>
      </span>
      <Countdown expires={first.expires} />
      <button type="button" className="button button-primary" onClick={() => questions.review()}>
        {strings.session.review}
      </button>
    </div>
  );
}
