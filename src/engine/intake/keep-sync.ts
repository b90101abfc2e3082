// Records in the history what a bulk sync did: who declared what, what it changed, and what it withheld and why (R29).

import type { Registry } from "../../domain/settings/reconcile.ts";
import { toBit } from "../../store/sql.ts";
import type { SyncOutcome } from "../../views/received.ts";
import type { Caller, SyncError, SyncReport } from "../api.ts";
import type { EngineContext } from "../context.ts";

/** The most keys in a list, and errors: a row stays small, and its numbers give the full counts. */
const KEYS_KEPT = 100;
const ERRORS_KEPT = 20;

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

/** Never cuts off the reasons why nothing was withdrawn. */
const blockingFirst = (one: SyncError, other: SyncError): number =>
  Number(other.blocksRemoval) - Number(one.blocksRemoval);
