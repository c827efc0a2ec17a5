// What can be set for this browser, who it is, and what it is connected to.

import { type ReactElement, useId } from "react";
import { useConnection } from "../../state/connection.js";
import { type DiffLayout, type Theme, useSettings } from "../../state/settings.js";
import { visibleLine } from "../../state/visible.js";
import { strings } from "../../strings.js";
import { Account } from "./Account.js";
import { Notifications } from "./Notifications.js";
import { Switch } from "./Switch.js";

const s = strings.settings;

export function SettingsView({ onHelp }: { readonly onHelp: () => void }): ReactElement {
  const settings = useSettings();
  return (
    <div className="record settings">
      <header className="record-head">
        <h1>{s.title}</h1>
        <span className="muted">{s.here}</span>
      </header>
      <section className="card">
        <Choice<Theme>
          label={s.theme}
          options={s.themes}
          value={settings.theme}
          onChange={(theme) => settings.change({ theme })}
        />
        <Choice<DiffLayout>
          label={s.diff}
          options={s.diffs}
          value={settings.diff}
          onChange={(diff) => settings.change({ diff })}
        />
        <Switch label={s.wrap} on={settings.wrap} onChange={(wrap) => settings.change({ wrap })} />
        <Switch
          label={s.shortcuts}
          how={s.shortcutsHow}
          on={settings.shortcuts}
          onChange={(shortcuts) => settings.change({ shortcuts })}
        >
          <button type="button" className="button button-quiet" onClick={onHelp}>
            {s.showKeys}
          </button>
        </Switch>
        <Notifications />
      </section>
      <Account />
      <About />
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>): ReactElement {
  const name = useId();
  return (
    <fieldset className="setting">
      <legend>{label}</legend>
      <div className="segments">
        {(Object.keys(options) as T[]).map((each) => (
          <label key={each} className={each === value ? "segment segment-on" : "segment"}>
            <input type="radio" name={name} checked={each === value} onChange={() => onChange(each)} />
            {options[each]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function About(): ReactElement | null {
  const server = useConnection((state) => state.server);
  if (server === null) return null;
  const model = server.model === null ? s.none : visibleLine(server.model);
  return (
    <section className="card">
      <h2>{s.server}</h2>
      <dl className="facts">
        <dt>{s.folder}</dt>
        <dd className="mono">{server.cwd === null ? s.none : visibleLine(server.cwd)}</dd>
        <dt>{s.model}</dt>
        <dd>{server.offline && model !== "offline" ? `${model} (${s.offline})` : model}</dd>
        {server.version !== "" && (
          <>
            <dt>{s.version}</dt>
            <dd>{server.version}</dd>
          </>
        )}
      </dl>
    </section>
  );
}
