// `rollcall sync list`: what bulk syncs changed, and what they withheld and why, through the running service.

import type { ListedSync, ListedSyncs } from "../http/management-contract.ts";
import { DONE } from "./io.ts";
import { askService, type Caller, type Screen } from "./socket-client.ts";
import { headIn, minute, shortText } from "./spoken.ts";
import { formatTable, ownerColumn } from "./table.ts";

export interface ReceivedFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  readonly limit: number;
}

/** Newest first. An empty list, and one that leaves out older ones, is said on stderr. */
export async function runSyncList(
  caller: Caller,
  { application, limit }: ReceivedFilter,
  asJson: boolean,
): Promise<number> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (application !== null) query.set("application", application);
  const answer = await askService<ListedSyncs>(caller, { method: "GET", path: `/syncs?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { syncs, more } = answer.body;
  const { screen } = answer;
  const { out, err } = caller.io;
  if (asJson) out(JSON.stringify(syncs, null, 2));
  else if (syncs.length === 0) err("there was no bulk sync");
  else {
    const rows = syncs.flatMap((sync) => rowsOf(sync, screen));
    for (const line of formatTable(headOf(screen), rows, screen.width)) out(line);
  }
  if (more) err(`these are the newest ${syncs.length}; there are older ones, --limit shows more`);
  return DONE;
}

const headOf = (screen: Screen): string[] => [
  headIn(screen, "AT"),
  ...ownerColumn(screen, "APPLICATION"),
  "KEY",
  "SOURCE",
  "VERSION",
  "MONITORS",
  "WHAT IT DID",
];

const TEXT_SHOWN = 160;

/** One row for what it did, and one below it for each thing that went wrong. */
function rowsOf(sync: ListedSync, screen: Screen): string[][] {
  const { application, keyId, source, version, total } = sync;
  const owner = ownerColumn(screen, application);
  const row = [minute(sync.at, screen), ...owner, String(keyId), source, version ?? "-", String(total)];
  const texts = [deedsOf(sync, screen), ...troublesOf(sync)];
  const [first = "", ...others] = texts.map((text) => shortText(text, TEXT_SHOWN));
  return [[...row, first], ...others.map((text) => [...row.map(() => ""), text])];
}

const DEEDS = {
  created: "created",
  created_plan_limited: "created, paused by the plan:",
  updated: "updated",
  paused_removed: "withdrew",
} as const;

function deedsOf({ changes, times, firstAt }: ListedSync, screen: Screen): string {
  const deeds = Object.entries(DEEDS).flatMap(([action, deed]) => {
    const keys = changes.filter((change) => change.action === action).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${deed} ${keys.join(", ")}`];
  });
  if (deeds.length > 0) return deeds.join("; ");
  return times === 1 ? "changed nothing" : `changed nothing, ${times} times since ${minute(firstAt, screen)}`;
}

function troublesOf({ withheld, withheldKeys, errors, errorList }: ListedSync): string[] {
  const kept =
    withheld === 0 ? [] : [`left as it was, though not named: ${withheldKeys.join(", ")}, because of the error below`];
  const shown = errorList.map(({ key, error }) => (key === "" ? `error: ${error}` : `error in ${key}: ${error}`));
  const left = errors - errorList.length;
  return [...kept, ...shown, ...(left > 0 ? [`and ${left} more errors`] : [])];
}
