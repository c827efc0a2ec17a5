// A question that is here: its parts, and which of them is looked at.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import type { Target } from "../diff/DiffTable.js";
import { fixedRows } from "../diff/source.js";
import { useNow } from "../state/clock.js";
import { useInbox } from "../state/inbox.js";
import type { Args, Ruling } from "../state/wire.js";
import { Answer } from "./Answer.js";
import { EditTab } from "./EditTab.js";
import { Ended } from "./Ended.js";
import { Head } from "./Head.js";
import { HunkBar } from "./HunkBar.js";
import { jsonRows } from "./jsonRows.js";
import { MainBody } from "./MainBody.js";
import { presented, pretty } from "./presented.js";
import type { Presented } from "./presented.js";
import { RowsPane } from "./RowsPane.js";
import { strings } from "./strings.js";
import { Tabs } from "./Tabs.js";
import type { Tab } from "./Tabs.js";
import { useApproval } from "./useApproval.js";
import { useKey } from "./useKey.js";
import type { Loaded } from "./useQuestion.js";
import { Warnings } from "./Warnings.js";
import { WholeFile, wholeFiles } from "./WholeFile.js";
import { Why } from "./Why.js";

interface Props {
  readonly loaded: Loaded;
  readonly hasChanged: boolean;
  readonly compact: boolean;
  readonly onAnswered: (() => void) | undefined;
  readonly reload: () => void;
}

export function Asked({ loaded, hasChanged, compact, onAnswered, reload }: Props): ReactNode {
  const { detail, blocks } = loaded;
  const { item, pending } = detail;
  const shown = useMemo(() => presented(detail), [detail.message, detail.pending]);
  const [wanted, setTab] = useState<Tab>("main");
  const [target, setTarget] = useState<Target | null>(null);
  const ended = useInbox((inbox) => inbox.ended[item.id]);
  const [ruling, setRuling] = useState<Ruling | null>(null);
  const how = ruling ?? detail.ruling ?? ended ?? null;
  const onRuling = useCallback(
    (given: Ruling) => {
      setRuling(given);
      onAnswered?.();
    },
    [onAnswered],
  );
  const box = useRef<HTMLElement>(null);
  useKey("edit", () => how === null && setTab("edit"));
  useEffect(() => {
    // In a window of its own the question is where reading begins, and no button is.
    if (compact) box.current?.querySelector<HTMLElement>(".q-title")?.focus();
  }, [compact]);
  const offered = tabsOf(shown, pending.call.args, how === null);
  // What can only be seen or done while it waits is gone when it has ended.
  const tab = offered.some(([name]) => name === wanted) ? wanted : "main";
  const approval = useApproval({ loaded, shown, isEditing: tab === "edit", box, onStale: reload });
  const tabs = <Tabs tabs={offered} tab={tab} onTab={setTab} />;
  const go = (row: number): void => {
    setTab("main");
    setTarget({ row, place: "top" });
  };
  return (
    <article ref={box} className={`q-detail${compact ? " q-compact" : ""}`} aria-label={visibleWord(shown.title)}>
      <div className="q-scroll" data-scrolls="">
        <Head item={item} shown={shown} blocks={blocks.blocks} isOpen={how === null} compact={compact} />
        <Warnings detail={detail} shown={shown} />
        <Why detail={detail} />
        <div className="q-pane">
          {tab === "main" && (
            <MainBody
              loaded={loaded}
              shown={shown}
              tabs={
                <>
                  {tabs}
                  {how === null && approval.picks && <HunkBar choice={approval.choice} count={blocks.blocks.length} />}
                </>
              }
              skip={approval.skip}
              choice={how === null && approval.picks ? approval.choice : undefined}
              target={target}
              onGo={go}
              onSeen={approval.onSeen}
            />
          )}
          {tab === "file" && <WholeFile id={item.id} changes={shown.changes} blocks={blocks.blocks} tabs={tabs} />}
          {tab === "raw" && <Raw args={pending.call.args} tabs={tabs} />}
          {tab === "edit" && (
            <EditTab
              id={item.id}
              original={pending.call.args}
              edit={approval.edit}
              edited={approval.edited}
              tabs={tabs}
              onSeen={approval.onEditSeen}
            />
          )}
        </div>
      </div>
      {how === null ? (
        <Open expires={item.expires}>
            {(isOver) => (
              <Answer
                loaded={loaded}
                approval={approval}
                isOver={isOver}
                hasChanged={hasChanged}
                onRuling={onRuling}
                onNext={() => (approval.edit.isChanged ? setTab("edit") : go(approval.ready.seen.next ?? 0))}
                reload={reload}
              />
            )}
        </Open>
      ) : (
        <Ended how={how} />
      )}
    </article>
  );
}

/** Whether the time is over; only this part is drawn anew every second. */
function Open({ expires, children }: { readonly expires: number | null; readonly children: (isOver: boolean) => ReactNode }): ReactNode {
  const now = useNow();
  return children(expires !== null && now >= expires);
}

function Raw({ args, tabs }: { readonly args: Args; readonly tabs: ReactNode }): ReactNode {
  const text = pretty(args);
  const source = useMemo(() => fixedRows(jsonRows(text)), [text]);
  return <RowsPane source={source} label={strings.raw.label} shape="text" tabs={tabs} copied={() => text} />;
}

function tabsOf({ body, changes }: Presented, args: Args, isOpen: boolean): readonly (readonly [Tab, string])[] {
  const names = { diff: strings.tabs.changes, command: strings.tabs.command, text: strings.tabs.content, facts: strings.tabs.facts };
  const isRaw = body.kind === "text" && body.isJson && body.text === pretty(args);
  const tabs: (readonly [Tab, string])[] = [["main", isRaw ? strings.tabs.raw : names[body.kind]]];
  if (isOpen && body.kind === "diff" && wholeFiles(changes).length > 0) tabs.push(["file", strings.tabs.file]);
  if (!isRaw) tabs.push(["raw", strings.tabs.raw]);
  if (isOpen) tabs.push(["edit", strings.tabs.edit]);
  return tabs;
}
