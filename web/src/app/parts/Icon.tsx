// The few signs of the page, drawn with lines in the colour of the text.

import type { ReactElement } from "react";

const PATHS = {
  session: "M3 4.5h10v7H7l-3 2.5v-2.5H3z",
  inbox: "M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5h3l1 2h3l1-2h3",
  history: "M8 2.5a5.5 5.5 0 1 1-5.2 3.7M2.5 3v3.3h3.3M8 5.2V8l2 1.6",
  grants: "M8 2l5 1.8v4c0 3-2.1 5.1-5 6.2-2.9-1.1-5-3.2-5-6.2v-4zM5.6 8l1.8 1.8 3.2-3.6",
  settings: "M2.5 5h6M12 5h1.5M10.2 3.3v3.4M2.5 11H4M7.5 11h6M5.8 9.3v3.4",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  dash: "M4 8h8",
  clock: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M8 5v3l2 1.5",
  right: "M6 3.5 10.5 8 6 12.5",
  left: "M10 3.5 5.5 8l4.5 4.5",
  down: "M8 3v9.5M4 8.5l4 4 4-4",
  plus: "M8 3v10M3 8h10",
  stop: "M4.5 4.5h7v7h-7z",
  send: "M8 13V3.5M4 7l4-4 4 4",
  warn: "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.01",
  dots: "M4 8v.01M8 8v.01M12 8v.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactElement {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "dots" ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
