// The history of bulk syncs: who declared what, what it changed, and what it withheld and why (R29). Written with the sync;
// what operators see of it is here too.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { Registry } from "../../domain/settings/reconcile.ts";
import { toBit } from "../../store/sql.ts";
import type { Caller, SyncError, SyncReport } from "../api.ts";
import type { EngineContext } from "../context.ts";
import type { SyncList, SyncSummary } from "../operations/answers/received.ts";
import { findApplication } from "./operator-views.ts";
import type { ReceivedFilter } from "./received-filter.ts";

/** Keys in a list, and errors: a row stays small, its numbers tell how many there were. */
const KEYS_KEPT = 100;
const ERRORS_KEPT = 20;

/** What a sync did, as it is stored. */
type SyncOutcome = Pick<
  SyncSummary,
  "total" | "created" | "updated" | "unchanged" | "removed" | "errors" | "withheld" | "changes" | "withheldKeys"
> & { readonly errorList: readonly SyncError[] };

/** Runs inside the sync's transaction. */
export function saveSync({ store }: EngineContext, caller: Caller, registry: Registry, report: SyncReport): void {
  const { source, version, authoritative } = registry;
  const outcome = outcomeOf(report);
  const changed = outcome.created + outcome.updated + outcome.removed;
  const { applicationId, keyId } = caller;
  store.syncs.insert(
    {
      applicationId,
      keyId,
      source,
      version,
      authoritative: toBit(authoritative),
      at: report.at,
      outcome: JSON.stringify(outcome),
    },
    changed === 0,
  );
}

function outcomeOf({ synced, errors, withheld, total }: SyncReport): SyncOutcome {
  const of = (...actions: readonly string[]) => synced.filter(({ action }) => actions.includes(action));
  const created = of("created", "created_plan_limited");
  const updated = of("updated");
  const removed = of("paused_removed");
  return {
    total,
    created: created.length,
    updated: updated.length,
    unchanged: of("unchanged").length,
    removed: removed.length,
    errors: errors.length,
    withheld: withheld.length,
    changes: [...removed, ...created, ...updated].slice(0, KEYS_KEPT).map(({ key, action }) => ({ key, action })),
    errorList: errors.toSorted(blockingFirst).slice(0, ERRORS_KEPT),
    withheldKeys: withheld.slice(0, KEYS_KEPT),
  };
}

/** The reasons why nothing was withdrawn must not be cut off. */
const blockingFirst = (one: SyncError, other: SyncError): number =>
  Number(other.blocksRemoval) - Number(one.blocksRemoval);

/** The newest syncs, newest first. */
export function listSyncs(context: EngineContext, { application, limit }: ReceivedFilter): SyncList | Refusal {
  const owner = application === null ? null : findApplication(context, application);
  if (isRefusal(owner)) return owner;
  const found = context.store.syncs.newest(owner?.id ?? null, limit + 1);
  return {
    syncs: found.slice(0, limit).map(({ authoritative, outcome, ...row }) => {
      const { errorList, ...counted } = JSON.parse(outcome) as SyncOutcome;
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
