// The box for the next prompt: Enter sends it, and the run under way can be stopped.

import { type KeyboardEvent, type ReactElement, useState } from "react";
import { useConnection } from "../../state/connection.js";
import { wordsOf } from "../../state/http.js";
import { useSession } from "../../state/session.js";
import { useSettings } from "../../state/settings.js";
import { send } from "../../state/start.js";
import { visibleLine } from "../../state/visible.js";
import type { PermissionMode } from "../../state/wire.js";
import { strings } from "../../strings.js";
import { Icon } from "../parts/Icon.js";
import { wroteAll } from "../useKeys.js";
import { ModeSelect } from "./ModeSelect.js";

interface ComposerProps {
  /** No conversation is on the page. */
  readonly blank: boolean;
  /** Whether somebody is in the middle of a prompt: from its first letter until they send it or go elsewhere. */
  readonly onWriting: (writes: boolean) => void;
}

export function Composer({ blank, onWriting }: ComposerProps): ReactElement {
  const { draft, sending, refused, fresh, resumes, setDraft, setSending } = useSession();
  const running = useSession((state) => state.timeline.running);
  const open = useConnection((state) => state.link === "open");
  const { autoApproveReads, change } = useSettings();
  const [mode, setMode] = useState<PermissionMode>("sdk");

  const ready = open && !running && sending === null && draft.trim() !== "";
  const submit = (): void => {
    if (!ready) return;
    const goOn = blank ? resumes && !fresh : !fresh;
    const said = send({
      command: "run",
      prompt: draft,
      continue: goOn,
      permission_mode: mode,
      auto_approve_safe: autoApproveReads,
    });
    setSending(said ? draft : null, said ? null : strings.session.notConnected);
    if (!said) return;
    onWriting(false);
    wroteAll();
  };
  const stop = (): void => {
    const told = send({ command: "stop" });
    setSending(sending, told ? null : strings.session.notConnected);
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    // Without a keyboard, Enter breaks the line, and the button sends.
    const bare = !event.ctrlKey && !event.metaKey;
    if (bare && matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {refused !== null && (
        <p className="note note-danger" role="alert">
          {visibleLine(wordsOf(refused))}
        </p>
      )}
      <label htmlFor="prompt" className="sr-only">
        {strings.session.prompt}
      </label>
      <textarea
        id="prompt"
        rows={2}
        placeholder={blank ? strings.session.placeholder : strings.session.placeholderMore}
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value);
          onWriting(true);
        }}
        onFocus={() => onWriting(draft.trim() !== "")}
        // Whoever only looks at another window comes back to this field.
        onBlur={(event) => onWriting(document.activeElement === event.target)}
        onKeyDown={pressed}
        enterKeyHint="enter"
      />
      <div className="composer-bar">
        <ModeSelect mode={mode} onMode={setMode} />
        <label className="check" title={strings.session.readsHint}>
          <input
            type="checkbox"
            checked={autoApproveReads}
            onChange={(event) => change({ autoApproveReads: event.target.checked })}
          />
          {strings.session.reads}
        </label>
        <span className="composer-hint muted">{strings.session.sendHint}</span>
        {running ? (
          <button type="button" className="button button-danger" title={strings.session.stopHint} onClick={stop}>
            <Icon name="stop" size={14} /> {strings.session.stop}
          </button>
        ) : (
          <button className="button button-primary" disabled={!ready}>
            <Icon name="send" size={14} /> {sending === null ? strings.session.send : strings.session.sending}
          </button>
        )}
      </div>
    </form>
  );
}
