// Signing in, and keeping every store up to date with what the server says.

import { onDrift, setServerTime } from "./clock.js";
import { useConnection } from "./connection.js";
import type { Command, ServerMessage } from "./events.js";
import { Problem, get, onStranger, post, del, wordsOf } from "./http.js";
import { useInbox } from "./inbox.js";
import { codeIn, socketAddress } from "./place.js";
import { useSession } from "./session.js";
import { Wire } from "./socket.js";
import type { Inbox, Who } from "./wire.js";

const wire = new Wire({
  address: socketAddress,
  onMessages: hear,
  onOpen: () => undefined,
  onLost: stillWelcome,
  onRetry: (retryAt) => useConnection.getState().set({ retryAt }),
});

function hear(messages: readonly ServerMessage[]): void {
  for (const message of messages) {
    if (message.type !== "hello") continue;
    useConnection.getState().greet(message.content);
    if (message.content.now !== undefined) setServerTime(message.content.now);
    else void readClock();
  }
  useInbox.getState().tell(messages);
  useSession.getState().tell(messages);
}

async function readClock(): Promise<void> {
  try {
    setServerTime((await get<Inbox>("/api/inbox")).now);
  } catch {
    // This device's own clock will do.
  }
}

/** A browser is not told why a WebSocket was refused; a request is. */
async function stillWelcome(): Promise<boolean> {
  useConnection.getState().set({ link: "lost", retryAt: null });
  try {
    await get<Who>("/api/session");
  } catch (error) {
    return !(error instanceof Problem && error.status === 401);
  }
  return true;
}

/** Say something to the agent; false if the connection is lost. */
export function send(command: Command): boolean {
  return wire.send(command);
}

/** Connect at once, whenever the next attempt was planned. */
export function retry(): void {
  useConnection.getState().set({ retryAt: null });
  wire.connect();
}

/** Trade a link's code, or a personal token, for a session. */
export async function signIn(pasted: string): Promise<void> {
  await post<Who>("/api/session", { code: codeIn(pasted) });
  await enter();
}

/** End the session of this browser. */
export async function signOut(): Promise<void> {
  await del("/api/session");
  turnAway(null);
}

function turnAway(why: string | null): void {
  wire.close();
  useConnection.getState().set({ link: "stranger", retryAt: null, turnedAway: why });
}

async function enter(): Promise<void> {
  useConnection.getState().set({ link: "connecting", turnedAway: null });
  wire.connect();
}

/** The code in the address bar is traded at once, so that it stays in no history. */
async function tradeLink(): Promise<string | null> {
  if (!location.hash.startsWith("#code=")) return null;
  const code = codeIn(location.hash);
  history.replaceState(null, "", location.pathname);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
  try {
    await post<Who>("/api/session", { code });
    return null;
  } catch (error) {
    return wordsOf(error);
  }
}

/** Begin: sign in if the address has a code, then connect. */
export async function start(): Promise<void> {
  const refused = await tradeLink();
  onStranger(() => turnAway(null));
  window.addEventListener("hashchange", () => {
    if (location.hash.startsWith("#code=")) void tradeLink().then(begin);
  });
  onDrift(() => void readClock());
  // Back from sleep, or from another network: try now.
  window.addEventListener("online", retry);
  document.addEventListener("visibilitychange", () => {
    const { link } = useConnection.getState();
    if (document.hidden) {
      wire.hide();
      return;
    }
    if (link === "lost") retry();
    // Signed in by another tab meanwhile, perhaps.
    if (link === "stranger") void begin(null);
  });
  await begin(refused);
}

async function begin(refused: string | null): Promise<void> {
  try {
    await get<Who>("/api/session");
  } catch (error) {
    if (error instanceof Problem && error.status === 401) {
      turnAway(refused);
      return;
    }
    // Not there yet: the connection keeps trying.
  }
  await enter();
}
