// Answering several questions at once: each by the digest of what was shown, each by itself.

import { Problem, post, wordsOf } from "../../state/http.js";
import type { ListItem } from "../../state/inbox.reduce.js";
import type { ApprovalDecision, Decided, DecidedEach } from "../../state/wire.js";

/** What was not answered, and why. */
export interface NotAnswered {
  readonly item: ListItem;
  readonly why: string;
}

const AT_ONCE = 200;

/** Give every question this answer; what could not be answered is told. */
export async function answerAll(items: readonly ListItem[], decision: ApprovalDecision): Promise<readonly NotAnswered[]> {
  const failed: NotAnswered[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    failed.push(...(await together(items.slice(at, at + AT_ONCE), decision)));
  }
  return failed;
}

async function together(items: readonly ListItem[], decision: ApprovalDecision): Promise<readonly NotAnswered[]> {
  const answers = items.map(({ id, digest }) => ({ id, digest, decision }));
  try {
    const { results } = await post<{ readonly results: readonly DecidedEach[] }>("/api/inbox/decisions", { answers });
    return results.flatMap((result, at) => {
      const item = items[at];
      return item === undefined || result.ruling !== null ? [] : [{ item, why: result.message }];
    });
  } catch (error) {
    // A server that takes one at a time.
    if (error instanceof Problem && (error.status === 404 || error.status === 405)) return oneByOne(items, decision);
    const why = wordsOf(error);
    return items.map((item) => ({ item, why }));
  }
}

async function oneByOne(items: readonly ListItem[], decision: ApprovalDecision): Promise<readonly NotAnswered[]> {
  const failed: NotAnswered[] = [];
  for (const item of items) {
    try {
      await post<Decided>(`/api/inbox/${encodeURIComponent(item.id)}/decision`, { digest: item.digest, decision });
    } catch (error) {
      failed.push({ item, why: wordsOf(error) });
    }
  }
  return failed;
}
