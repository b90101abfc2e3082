// Runs a bulk sync: a registry declares many monitors of an application in one request, and one transaction applies
// that. domain/monitor/reconcile.ts decides what to do for each monitor.

import type { LogFields } from "../../domain/log.ts";
import { type Action, type Reconciliation, type Registry, reconcile } from "../../domain/monitor/reconcile.ts";
import type { Instant } from "../../domain/time.ts";
import { toBit } from "../../store/sql.ts";
import type { SyncDetails } from "../../views/received.ts";
import type { Caller, SyncError, SyncReport } from "../api.ts";
import { capacityLeft } from "../capacity.ts";
import type { MonitorMemory } from "../clock/monitor-memory.ts";
import type { EngineContext, EngineTools } from "../engine-context.ts";
import { failedSyncAction, type Taken, takeAction } from "./take-action.ts";

type SyncParts = EngineTools & Readonly<{ flush: () => void; memory: MonitorMemory }>;

/** Makes the function that runs a bulk sync. That function throws when storage fails; then nothing has changed. */
export function createSync({ context, clock, committer, log, flush, memory }: SyncParts) {
  return (caller: Caller, registry: Registry): SyncReport => {
    flush();
    const now = clock.now();
    // Nothing else runs between this read and the transaction, so what is read here is still true in the transaction.
    const plan = planSync(context, caller, registry);
    // The results are kept by action. If the transaction is repeated, a new result replaces the one before.
    const taken = new Map<Action, Taken>();
    const take = (action: Action): void => {
      taken.set(action, takeAction(context, caller, registry, action, now));
    };
    const report = (): SyncReport => reportOf(registry, plan, [...taken.values()], now);
    // The job `null` writes the sync into the history. It must be last, because it writes what the actions did.
    committer.all<Action | null, void>(
      [...plan.actions, null],
      (action) => (action === null ? saveSync(context, caller, registry, report()) : take(action)),
      (action, error) => {
        log("error", "sync_failed", { application: caller.application, action: action?.action ?? "history", error });
        if (action !== null) taken.set(action, failedSyncAction(action));
      },
      null,
    );
    memory.finish([...taken.values()].map(({ afterCommit }) => afterCommit));
    const done = report();
    log(done.withheld.length === 0 ? "info" : "warn", "synced", factsOf(caller, registry, done));
    return done;
  };
}

/** The fields of the log line. `because` is the first error that prevented withdrawals (R29). */
function factsOf({ application }: Caller, { source, version }: Registry, report: SyncReport): LogFields {
  const { synced, errors, withheld } = report;
  const counts: Record<string, number> = {};
  for (const { action } of synced) counts[action] = (counts[action] ?? 0) + 1;
  const facts = { application, source, version, ...counts, errors: errors.length };
  if (withheld.length === 0) return facts;
  const because = errors.filter(({ blocksRemoval }) => blocksRemoval).map(({ key, error }) => `${key}: ${error}`);
  return { ...facts, withheld: withheld.length, because: because[0] };
}

function planSync(
  context: EngineContext,
  { applicationId: id, application: slug }: Caller,
  registry: Registry,
): Reconciliation {
  const keys = registry.entries.map(({ key }) => key);
  // Monitors that the registry does not name are read only if it is authoritative and so withdraws them.
  const known = context.store.registries.known(id, registry.authoritative ? registry.source : null, keys);
  return reconcile(registry, known, capacityLeft(context, { id, slug }));
}

function reportOf(registry: Registry, plan: Reconciliation, taken: readonly Taken[], at: Instant): SyncReport {
  const { actions, faults, superseded, withheld } = plan;
  const earlier = superseded.map((fault) => ({
    ...fault,
    error: `${fault.error} (an earlier entry; the last one counts)`,
  }));
  const synced = taken.flatMap(({ synced }) => synced ?? []);
  const declared = actions.filter(isDeclared).length;
  return {
    source: registry.source,
    at,
    synced,
    errors: [...faults, ...earlier, ...taken.flatMap(({ error }) => error ?? [])],
    withheld: withheld.map(({ key }) => key),
    total: declared + faults.length,
    faults: declared - synced.filter(isDeclared).length + faults.length,
  };
}

const isDeclared = ({ action }: Pick<Action, "action">): boolean => action !== "paused_removed";

// Below: writes each bulk sync into the history: who declared, what changed, and what was withheld and why (R29).

/** How many keys and errors one row of the history lists at most. The counts beside the lists are complete. */
const KEYS_KEPT = 100;
const ERRORS_KEPT = 20;

function saveSync({ store }: EngineContext, caller: Caller, registry: Registry, report: SyncReport): void {
  const { source, version, authoritative } = registry;
  const details = syncDetails(report);
  const changed = details.created + details.updated + details.removed;
  const { applicationId, keyId } = caller;
  store.syncs.insert(
    {
      applicationId,
      keyId,
      source,
      version,
      authoritative: toBit(authoritative),
      at: report.at,
      outcome: JSON.stringify(details),
    },
    changed === 0,
  );
}

function syncDetails({ synced, errors, withheld, total }: SyncReport): SyncDetails {
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

/** Sorts the errors that prevented withdrawals to the front, so that a cut list still has them. */
const blockingFirst = (one: SyncError, other: SyncError): number =>
  Number(other.blocksRemoval) - Number(one.blocksRemoval);
