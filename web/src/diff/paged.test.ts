import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, Row } from "../state/wire.js";
import { PAGE, PagedRows } from "./paged.js";

const TOTAL = 5000;

function row(at: number): Row {
  return { kind: "context", old: at, new: at, text: `row ${at}`, changed: [], tokens: [] };
}

/** A server that answers when it is told to. */
class Server {
  readonly asked: { offset: number; limit: number; signal: AbortSignal; answer: () => Promise<void>; fail: () => Promise<void> }[] = [];

  readonly fetch = (offset: number, limit: number, signal: AbortSignal): Promise<Page> =>
    new Promise((resolve, reject) => {
      const count = Math.max(Math.min(limit, TOTAL - offset), 0);
      const page = { offset, total: TOTAL, rows: Array.from({ length: count }, (_, at) => row(offset + at)) };
      const settle = async (act: () => void): Promise<void> => {
        act();
        await new Promise((done) => setImmediate(done));
      };
      this.asked.push({
        offset,
        limit,
        signal,
        answer: () => settle(() => resolve(page)),
        fail: () => settle(() => reject(new Error("not now"))),
      });
    });

  get offsets(): number[] {
    return this.asked.map((each) => each.offset);
  }
}

test("the first page is asked for at once, and its neighbours when somebody looks", async () => {
  const server = new Server();
  const rows = new PagedRows(server.fetch);
  assert.deepEqual(server.offsets, [0]);
  rows.subscribe(() => undefined);
  await server.asked[0]?.answer();
  assert.equal(rows.total, TOTAL);
  assert.equal(rows.row(3)?.text, "row 3");
  rows.want(0, 40);
  assert.deepEqual(server.offsets, [0, PAGE, 2 * PAGE]);
});

test("no page is asked for twice", async () => {
  const server = new Server();
  const rows = new PagedRows(server.fetch);
  rows.subscribe(() => undefined);
  await server.asked[0]?.answer();
  rows.want(0, 40);
  rows.want(5, 45);
  rows.want(9, 49);
  assert.deepEqual(server.offsets, [0, PAGE, 2 * PAGE]);
});

test("what is scrolled away from is not waited for", async () => {
  const server = new Server();
  const rows = new PagedRows(server.fetch);
  rows.subscribe(() => undefined);
  await server.asked[0]?.answer();
  rows.want(10 * PAGE, 10 * PAGE + 40);
  rows.want(30 * PAGE, 30 * PAGE + 40);
  const [, first, , far] = server.asked;
  assert.equal(first?.offset, 10 * PAGE);
  assert.equal(first?.signal.aborted, true);
  assert.equal(far?.offset, 30 * PAGE);
  await far?.answer();
  assert.equal(rows.row(30 * PAGE)?.text, `row ${30 * PAGE}`);
});

test("a failure is told, and asked for again only when somebody wants it", async () => {
  const server = new Server();
  const rows = new PagedRows(server.fetch);
  let told = 0;
  rows.subscribe(() => (told += 1));
  await server.asked[0]?.fail();
  assert.match(rows.problem ?? "", /not now/i);
  assert.ok(told > 0);
  rows.want(0, 40);
  assert.equal(server.asked.length, 1);
  rows.retry();
  await server.asked[1]?.answer();
  assert.equal(rows.problem, null);
  assert.equal(rows.row(0)?.text, "row 0");
});

test("a search gets everything, in few requests", async () => {
  const server = new Server();
  const rows = new PagedRows(async (offset, limit, signal) => {
    const page = server.fetch(offset, limit, signal);
    void server.asked.at(-1)?.answer();
    return page;
  });
  await rows.first();
  await Promise.all([rows.load(0, TOTAL), rows.load(0, TOTAL)]);
  assert.equal(rows.row(TOTAL - 1)?.text, `row ${TOTAL - 1}`);
  assert.ok(server.asked.length <= 5, String(server.asked.length));
});
