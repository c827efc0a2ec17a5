// Nothing is here: what will be, and how it comes.

import type { ReactElement, ReactNode } from "react";
import { Icon, type IconName } from "./Icon.js";

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly how: string;
  readonly children?: ReactNode;
}

export function Empty({ icon, title, how, children }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      <Icon name={icon} size={24} />
      <h2>{title}</h2>
      <p>{how}</p>
      {children}
    </div>
  );
}
