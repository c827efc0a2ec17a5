// Where the server is: the page's own address without `/agent`, since it may be mounted below a prefix.

/** The path before `/agent`; empty at the root. */
export function baseOf(pathname: string): string {
  return pathname.replace(/\/agent\/?$/, "").replace(/\/+$/, "");
}

/** The address of a path of the API. */
export function addressOf(path: string): string {
  return baseOf(location.pathname) + (path.startsWith("/") ? path : `/${path}`);
}

/** The address of the WebSocket, going on behind what was seen. */
export function socketAddress(since: number): string {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}${addressOf("/api/terminal/ws/agent")}?since=${since}`;
}

/** The code in what a person pasted: a whole link, its end, or the code or token itself. */
export function codeIn(text: string): string {
  const trimmed = text.trim();
  const at = trimmed.indexOf("code=");
  if (at < 0) return trimmed;
  const code = trimmed.slice(at + "code=".length);
  return decoded(code.split(/[&\s]/, 1)[0] ?? "");
}

/** The text that a part of an address stands for; what is none stands for itself. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
