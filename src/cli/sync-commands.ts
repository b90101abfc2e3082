// `rollcall sync list`: what bulk syncs changed, and what they withheld and why, through the running service.

import type { ReceivedFilter } from "../engine/reads/received-contract.ts";
import type { ListedSync, ListedSyncs } from "../http/management/contract.ts";
import { showReceived } from "./received-list.ts";
import type { Caller, Screen } from "./socket-client.ts";
import { headIn, minute, shortText } from "./spoken.ts";
import { ownerColumn } from "./table.ts";

export const runSyncList = (caller: Caller, filter: ReceivedFilter, asJson: boolean): Promise<number> =>
  showReceived<ListedSyncs, ListedSync>(
    {
      path: "/syncs",
      itemsOf: ({ syncs }) => syncs,
      none: "there was no bulk sync",
      head: headOf,
      rows: rowsOf,
    },
    caller,
    filter,
    asJson,
  );

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
