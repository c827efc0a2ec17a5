// Which key means what, and when it means nothing: keys must never act on somebody who types.

export type QuestionKey = "approve" | "reject" | "edit" | "find";
export type ListKey = "next" | "previous" | "open" | "select";
export type Action = QuestionKey | ListKey | "help";

/** What a key press looks like here; a real event has more. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
  readonly isComposing: boolean;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  j: "next",
  k: "previous",
  Enter: "open",
  a: "approve",
  r: "reject",
  e: "edit",
  x: "select",
  "/": "find",
  "?": "help",
};
const MAY_REPEAT: ReadonlySet<Action> = new Set(["next", "previous"]);
const QUESTION: ReadonlySet<string> = new Set(["approve", "reject", "edit", "find"]);

/** What this key press asks for; null if it is nothing of ours. */
export function actionOf(press: Press): Action | null {
  if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing) return null;
  const action = ACTIONS[press.key.length === 1 ? press.key.toLowerCase() : press.key] ?? null;
  return action !== null && press.repeat && !MAY_REPEAT.has(action) ? null : action;
}

export function isForQuestion(action: Action): action is QuestionKey {
  return QUESTION.has(action);
}

/** Whether this element takes text, so that a key belongs to it. */
export function takesText(element: { readonly tagName: string; readonly type?: string; readonly isContentEditable?: boolean }): boolean {
  if (element.isContentEditable === true) return true;
  const name = element.tagName.toLowerCase();
  if (name === "textarea" || name === "select") return true;
  return name === "input" && !["checkbox", "radio", "button", "submit", "reset"].includes(element.type ?? "text");
}

/** Keys with which people go on from what they wrote. */
const LEAVES: ReadonlySet<string> = new Set(["Tab", "Escape"]);
/** Keys with which they look around; in a field they belong to the text. */
const LOOKS: ReadonlySet<string> = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]);

/** Whether this key says that its person is not writing, or not any more. */
export function endsWriting({ key, ctrlKey, metaKey }: Press, inField: boolean): boolean {
  return LEAVES.has(key) || (key === "Enter" && (ctrlKey || metaKey)) || (!inField && LOOKS.has(key));
}

const QUIET_MS = 700;

/** Somebody who writes goes on writing, also where a question has taken the focus, and however long they thought. */
export class Quiet {
  private isWriting = false;
  private until = 0;

  /** A key was pressed in a field. */
  typed(now: number): void {
    this.isWriting = true;
    this.until = now + QUIET_MS;
  }

  /** The person did something that is not writing. */
  acted(): void {
    this.isWriting = false;
  }

  /** Whether a key pressed elsewhere still belongs to what was being typed; if so, the wait begins anew. */
  isTypingAhead(now: number): boolean {
    if (!this.isWriting && now >= this.until) return false;
    this.until = now + QUIET_MS;
    return true;
  }
}
