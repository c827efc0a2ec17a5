// One thing that is on or off, and what that means.

import { type ReactElement, type ReactNode, useId } from "react";

interface SwitchProps {
  readonly label: string;
  readonly how?: string;
  readonly on: boolean;
  readonly disabled?: boolean;
  readonly onChange: (on: boolean) => void;
  readonly children?: ReactNode;
}

export function Switch({ label, how, on, disabled = false, onChange, children }: SwitchProps): ReactElement {
  const about = useId();
  const field = useId();
  return (
    <div className="setting">
      <label className="setting-words" htmlFor={field}>
        <span>{label}</span>
        {how !== undefined && (
          <span id={about} className="muted">
            {how}
          </span>
        )}
      </label>
      {children}
      <input
        id={field}
        type="checkbox"
        role="switch"
        className="switch"
        checked={on}
        disabled={disabled}
        aria-label={label}
        aria-describedby={how === undefined ? undefined : about}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
