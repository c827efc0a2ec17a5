// Which way a run is started; what this server does not allow is shown, with how to allow it.

import { type ReactElement, useId } from "react";
import { MODES, useConnection } from "../../state/connection.js";
import type { PermissionMode } from "../../state/wire.js";
import { strings } from "../../strings.js";

interface ModeSelectProps {
  readonly mode: PermissionMode;
  readonly onMode: (mode: PermissionMode) => void;
}

export function ModeSelect({ mode, onMode }: ModeSelectProps): ReactElement {
  const server = useConnection((state) => state.server);
  const help = useId();
  const labels = server?.labels ?? {};
  const allowed = server?.modes ?? [];
  return (
    <span className="mode">
      <label>
        <span className="sr-only">{strings.session.mode}</span>
        <select
          className={mode === "bypassPermissions" ? "field field-warn" : "field"}
          value={mode}
          onChange={(event) => onMode(MODES.find((each) => each === event.target.value) ?? "sdk")}
        >
          {MODES.map((each) => (
            <option key={each} value={each} disabled={!allowed.includes(each)}>
              {labels[each] ?? each}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="button button-quiet button-icon" popoverTarget={help} aria-label={strings.session.modes}>
        ?
      </button>
      <div id={help} popover="auto" className="mode-help">
        <dl>
          {MODES.map((each) => (
            <div key={each}>
              <dt>{labels[each] ?? each}</dt>
              <dd>{strings.modeHelp[each]}</dd>
              {!allowed.includes(each) && <dd className="muted">{strings.modeOff[each]}</dd>}
            </div>
          ))}
        </dl>
      </div>
    </span>
  );
}
