import assert from "node:assert/strict";
import { test } from "node:test";
import { inSight, onTop, topSheet, watchSight } from "./sight.js";

// Of a dialog, only what is in it matters here.
const dialog = (...inside: readonly Element[]): Element => ({ contains: (each: Element) => inside.includes(each) }) as Element;
const element = (): Element => ({}) as Element;

test("nobody looks at what lies below the dialog on top, or in a tab in the background", (context) => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, { document: page });
  context.after(() => Reflect.deleteProperty(globalThis, "document"));
  const [below, asked] = [element(), element()];
  const seen: boolean[] = [];
  const unwatch = watchSight(() => seen.push(inSight(asked)));
  const keysGone = onTop(dialog());
  assert.deepEqual([inSight(below), inSight(asked)], [false, false]);
  const sheet = dialog(asked);
  const askGone = onTop(sheet);
  assert.deepEqual([inSight(below), inSight(asked), topSheet()], [false, true, sheet]);
  keysGone();
  page.hidden = true;
  page.dispatchEvent(new Event("visibilitychange"));
  page.hidden = false;
  askGone();
  assert.deepEqual([inSight(below), topSheet()], [true, null]);
  assert.deepEqual(seen, [false, true, true, false, true]);
  unwatch();
});
