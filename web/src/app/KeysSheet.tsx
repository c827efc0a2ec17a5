// All keys on one page.

import type { ReactElement } from "react";
import { useSettings } from "../state/settings.js";
import { strings } from "../strings.js";
import { Sheet } from "./parts/Sheet.js";

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [["J"], strings.keys.next],
  [["K"], strings.keys.previous],
  [["Enter"], strings.keys.open],
  [["A"], strings.keys.approve],
  [["R"], strings.keys.reject],
  [["E"], strings.keys.edit],
  [["X"], strings.keys.select],
  [["/"], strings.keys.find],
  [["Esc"], strings.keys.later],
  [["Enter"], strings.keys.send],
  [["?"], strings.keys.help],
];

export function KeysSheet({ onClose }: { readonly onClose: () => void }): ReactElement {
  const on = useSettings((state) => state.shortcuts);
  return (
    <Sheet title={strings.keys.title} onClose={onClose} size="small">
      <div className="keys">
        {!on && <p className="note">{strings.keys.off}</p>}
        <dl>
          {KEYS.map(([keys, what]) => (
            <div key={what}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Sheet>
  );
}
