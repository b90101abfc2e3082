// What operators see of the history of bulk syncs (R29): the newest, with what each did. Changes nothing.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { SyncList, SyncSummary } from "./answers/received.ts";
import type { ViewSource } from "./context.ts";
import { findListed } from "./find-named.ts";
import { ALL_RECEIVED, type ReceivedFilter, sinceOf } from "./received-filter.ts";

/** What a sync did, as it is stored. */
export type SyncOutcome = Pick<
  SyncSummary,
  "total" | "created" | "updated" | "unchanged" | "removed" | "errors" | "withheld" | "changes" | "withheldKeys"
> & {
  readonly errorList: readonly { readonly key: string; readonly error: string; readonly blocksRemoval: boolean }[];
};

/** The newest syncs, newest first. */
export function listSyncs(
  context: ViewSource,
  { application, monitor, sinceSeconds, limit }: ReceivedFilter,
  now: Instant,
): SyncList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const from = sinceOf(sinceSeconds, now);
  const found = context.store.syncs
    .newest(owner?.id ?? null, monitor === null ? limit + 1 : ALL_RECEIVED)
    .filter(({ at }) => at >= from)
    .map((row) => ({ ...row, outcome: JSON.parse(row.outcome) as SyncOutcome }))
    .filter(({ outcome }) => monitor === null || isAbout(outcome, monitor));
  return {
    syncs: found.slice(0, limit).map(({ authoritative, outcome, ...row }) => {
      const { errorList, ...counted } = outcome;
      return {
        application: row.application,
        keyId: row.keyId,
        source: row.source,
        version: row.version,
        authoritative: authoritative === 1,
        firstAt: row.firstAt,
        at: row.at,
        times: row.times,
        ...counted,
        errorList: errorList.map(({ key, error, blocksRemoval }) => ({ key, error, withheldRemoval: blocksRemoval })),
      };
    }),
    more: found.length > limit,
  };
}

const isAbout = ({ changes, withheldKeys, errorList }: SyncOutcome, monitor: string): boolean =>
  [...changes, ...errorList].some(({ key }) => key === monitor) || withheldKeys.includes(monitor);
