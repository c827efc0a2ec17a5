// A session: the conversation, the box for the next prompt, and the question that waits, above both.

import { type ReactElement, useEffect, useRef, useState } from "react";
import { hasModes, useConnection } from "../../state/connection.js";
import { useSession } from "../../state/session.js";
import { strings } from "../../strings.js";
import { go, hashOf } from "../route.js";
import { Empty } from "../parts/Empty.js";
import { AskBar } from "./AskBar.js";
import { AskSheet } from "./AskSheet.js";
import { Composer } from "./Composer.js";
import { Scroller } from "./Scroller.js";
import { Start } from "./Start.js";
import { Timeline } from "./Timeline.js";
import { useQuestions } from "./useQuestions.js";

export function SessionView(): ReactElement {
  const hasAgent = useConnection(hasModes);
  return hasAgent ? <WithAgent /> : <WithoutAgent />;
}

function WithAgent(): ReactElement {
  const timeline = useSession((state) => state.timeline);
  const fresh = useSession((state) => state.fresh);
  const [writes, setWrites] = useState(false);
  const questions = useQuestions(timeline, writes);
  useFocusBack(questions.shown !== null);
  const blank = fresh || timeline.conversations.length === 0;
  return (
    <div className="session">
      <h1 className="sr-only">{strings.session.title}</h1>
      <Scroller>
        {blank ? <Start /> : <Timeline timeline={timeline} onReview={questions.review} />}
      </Scroller>
      <div className="dock">
        <AskBar questions={questions} />
        <Composer blank={blank} onWriting={setWrites} />
      </div>
      {questions.shown !== null && <AskSheet key={questions.shown} questions={questions} id={questions.shown} />}
    </div>
  );
}

/** Once nothing is asked any more, go on where one would: at the prompt, or on a phone without its keyboard. */
function useFocusBack(asks: boolean): void {
  const asked = useRef(false);
  useEffect(() => {
    if (!asks && asked.current) {
      const quiet = matchMedia("(pointer: coarse)").matches;
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        document.querySelector<HTMLElement>(quiet ? "main" : "#prompt")?.focus();
      });
    }
    asked.current = asks;
  }, [asks]);
}

/** Nothing can be started here; whoever came without an address of their own goes on to what waits. */
function WithoutAgent(): ReactElement {
  useEffect(() => {
    if (location.hash === "") go("inbox", undefined, { replace: true });
  }, []);
  return (
    <div className="session">
      <h1 className="sr-only">{strings.session.title}</h1>
      <Empty icon="session" title={strings.session.noAgent} how={strings.session.noAgentWhy}>
        <a className="button" href={hashOf("inbox")}>
          {strings.session.toInbox}
        </a>
      </Empty>
    </div>
  );
}
