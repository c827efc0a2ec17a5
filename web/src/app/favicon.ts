// The sign in the tab, with how many questions wait. The build names every sign in index.html:
// the policy of the page lets no script draw one.

const COUNTED = "assent-counted-icon";
const MOST = 10;

/** Show how many wait; a page that has no such signs keeps its one. */
export function markTab(count: number): void {
  const shown = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (shown === null) return;
  const plain = (shown.dataset["plain"] ??= shown.href);
  const wanted = `link[rel="${COUNTED}"][data-count="${Math.min(count, MOST)}"]`;
  shown.href = document.querySelector<HTMLLinkElement>(wanted)?.href ?? plain;
}
