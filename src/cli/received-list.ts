// What `refused list` and `sync list` share: the newest rows of something the service has received, asked for and shown.
// Knows nothing of what a row says.

import type { ReceivedFilter } from "../engine/reads/received-contract.ts";
import { DONE } from "./io.ts";
import { askService, type Caller, type Screen } from "./socket-client.ts";
import { formatTable } from "./table.ts";

/** How a list of `Item` is got and shown, out of an answer of type `Answer`. */
export interface ReceivedList<Answer, Item> {
  readonly path: string;
  readonly itemsOf: (answer: Answer) => readonly Item[];
  /** Said where there is none. */
  readonly none: string;
  readonly head: (screen: Screen) => string[];
  readonly rows: (item: Item, screen: Screen) => string[][];
}

/** Newest first. An empty list, and one that leaves out older ones, is said on stderr. Answers the exit code. */
export async function showReceived<Answer extends { readonly more: boolean }, Item>(
  list: ReceivedList<Answer, Item>,
  caller: Caller,
  { application, limit }: ReceivedFilter,
  asJson: boolean,
): Promise<number> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (application !== null) query.set("application", application);
  const answer = await askService<Answer>(caller, { method: "GET", path: `${list.path}?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const items = list.itemsOf(answer.body);
  const { screen } = answer;
  const { out, err } = caller.io;
  if (asJson) out(JSON.stringify(items, null, 2));
  else if (items.length === 0) err(list.none);
  else {
    const rows = items.flatMap((item) => list.rows(item, screen));
    for (const line of formatTable(list.head(screen), rows, screen.width)) out(line);
  }
  if (answer.body.more) err(`these are the newest ${items.length}; there are older ones, --limit shows more`);
  return DONE;
}
