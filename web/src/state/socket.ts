// The connection that stays: it comes back by itself and goes on behind what was seen.

import { type Command, type ServerMessage, readMessage } from "./events.js";

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** How long to wait before this attempt, counted from 0: longer each time, never quite the same. */
export function pause(attempt: number, chance: number = Math.random()): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return Math.round(most * (0.75 + chance / 4));
}

/** Remembers the last number that was seen, and tells what is new. */
export class Sequence {
  seen = 0;

  /** Whether this message is news; its number is remembered. */
  take(message: ServerMessage): boolean {
    if (message.type === "hello") {
      // Told from the beginning again: nothing of it is known yet. A server that counts anew goes on from its own number.
      if (message.content.missed) this.seen = 0;
      else this.seen = Math.min(this.seen, message.content.head);
      return true;
    }
    if (message.seq === undefined) return true;
    if (message.seq <= this.seen) return false;
    this.seen = message.seq;
    return true;
  }
}

export interface Ears {
  readonly address: (since: number) => string;
  readonly onMessages: (messages: readonly ServerMessage[]) => void;
  readonly onOpen: () => void;
  /** The connection is gone; whether to try again. */
  readonly onLost: () => Promise<boolean>;
  readonly onRetry: (at: number) => void;
}

/** Keeps one WebSocket open for as long as it is wanted. */
export class Wire {
  private readonly ears: Ears;
  private readonly sequence = new Sequence();
  private socket: WebSocket | null = null;
  private waiting: ReturnType<typeof setTimeout> | null = null;
  private attempt = 0;
  private heard: ServerMessage[] = [];
  private due = false;

  constructor(ears: Ears) {
    this.ears = ears;
  }

  /** Pass on at once what waits to be drawn: a page that is being hidden draws no more. */
  hide(): void {
    this.pass();
  }

  /** Connect now, also where an attempt was planned for later. */
  connect(): void {
    if (this.waiting !== null) clearTimeout(this.waiting);
    this.waiting = null;
    if (this.socket !== null) return;
    const socket = new WebSocket(this.ears.address(this.sequence.seen));
    this.socket = socket;
    socket.addEventListener("open", () => this.ears.onOpen());
    socket.addEventListener("message", (event) => this.hear(String(event.data)));
    socket.addEventListener("close", () => void this.lost());
  }

  /** Say something; false if nobody listens. */
  send(command: Command): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(command));
    return true;
  }

  /** End it for good. */
  close(): void {
    if (this.waiting !== null) clearTimeout(this.waiting);
    this.waiting = null;
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  private hear(text: string): void {
    const message = readMessage(text);
    if (message === null || !this.sequence.take(message)) return;
    if (message.type === "hello") this.attempt = 0;
    this.heard.push(message);
    // Many come at once: they are drawn together. A page nobody sees draws no frames, also not one that was asked for
    // before it was hidden; but it must still tell.
    if (document.hidden) queueMicrotask(() => this.pass());
    else if (!this.due) requestAnimationFrame(() => this.pass());
    this.due = true;
  }

  private pass(): void {
    this.due = false;
    const heard = this.heard;
    this.heard = [];
    if (heard.length > 0) this.ears.onMessages(heard);
  }

  private async lost(): Promise<void> {
    if (this.socket === null) return;
    this.socket = null;
    this.pass();
    if (!(await this.ears.onLost())) return;
    const wait = pause(this.attempt);
    this.attempt += 1;
    this.ears.onRetry(Date.now() + wait);
    this.waiting = setTimeout(() => this.connect(), wait);
  }
}
