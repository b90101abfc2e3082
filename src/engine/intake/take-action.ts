// Carries out one action of a bulk sync: creates, changes or withdraws a monitor. It runs inside the transaction of the
// sync. domain/monitor/reconcile.ts has decided which actions there are.

import {
  type Action,
  PAUSE_BY_PLAN,
  type Registry,
  type RegistryEntry,
  signalsOf,
  type Update,
} from "../../domain/monitor/reconcile.ts";
import { declaredAfter, NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { monitorName, monitorPolicy, watchOf } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import { monitorWithPolicy } from "../../views/completed-monitors.ts";
import type { Caller, SyncError, Synced } from "../api.ts";
import { beyondCapacity } from "../capacity.ts";
import { type AfterCommit, armOnly, type EngineContext } from "../engine-context.ts";
import { makeMonitor } from "../new-monitors.ts";
import { withOwed } from "../pay-owed.ts";
import { applySignals, saveDeclared } from "../record.ts";

export interface Taken {
  readonly synced: Synced | null;
  /**
   * Why the monitor is not as declared, for example paused by the limit of the paid plan; `null` when it is as
   * declared.
   */
  readonly error: SyncError | null;
  /** The work for after the commit; `null` when no fact of the monitor changed. */
  readonly afterCommit: AfterCommit | null;
}

/** The part of a registry that is stored with each monitor that it declares: its name and its version. */
type Declarer = Pick<Registry, "source" | "version">;

export function takeAction(
  context: EngineContext,
  caller: Caller,
  declarer: Declarer,
  action: Action,
  now: Instant,
): Taken {
  switch (action.action) {
    case "created":
    case "created_plan_limited":
      return create(context, caller, declarer, action.entry, action.action, now);
    case "updated":
    case "unchanged":
      return update(context, caller, declarer, action, now);
    case "paused_removed":
      return withdrawMonitor(context, action.known.id, now);
    default:
      return action satisfies never;
  }
}

function create(
  context: EngineContext,
  caller: Caller,
  { source, version }: Declarer,
  { key, declared: said, metadata }: RegistryEntry,
  action: "created" | "created_plan_limited",
  now: Instant,
): Taken {
  const declared = declaredAfter(NOTHING_DECLARED, said);
  const made = makeMonitor(context, { id: caller.applicationId, slug: caller.application }, key, declared, now);
  context.store.registries.saveDeclaration(made.id, { source, version, metadata, declaredAt: now });
  const limited = action === "created_plan_limited";
  return {
    synced: { key, name: monitorName(made.policy, declared), action },
    error: limited ? limitedBy(context, caller, key) : null,
    afterCommit: limited ? applySignals(context, made, [PAUSE_BY_PLAN], now).afterCommit : armOnly(made, made.wakeAt),
  };
}

function update(context: EngineContext, caller: Caller, declarer: Declarer, update: Update, now: Instant): Taken {
  const { store } = context;
  const { entry, known, declared, metadata, limited, action } = update;
  const { source, version } = declarer;
  const { key } = entry;
  const policy = monitorPolicy(context.policy, caller.application, key, declared);
  const watch = watchOf(policy);
  const [first, ...others] = signalsOf(update, watch);
  const afterCommit =
    first === undefined
      ? null
      : applySignals(context, monitorWithPolicy(context, known.id)!, [first, ...others], now).afterCommit;
  const isDeclared = declared !== known.declared || metadata !== known.metadata;
  if (isDeclared)
    saveDeclared({ store, id: known.id, now }, known.declared, declared, watch, { by: "registry", source });
  store.registries.saveDeclaration(known.id, { source, version, metadata, declaredAt: now });
  return {
    synced: { key, name: monitorName(policy, declared), action },
    error: limited ? limitedBy(context, caller, key) : null,
    afterCommit: isDeclared ? withOwed(context, known.id, afterCommit, now) : afterCommit,
  };
}

function withdrawMonitor(context: EngineContext, id: number, now: Instant): Taken {
  const before = monitorWithPolicy(context, id)!;
  const { key, policy, declared } = before;
  const { afterCommit } = applySignals(context, before, [{ kind: "withdraw" }], now);
  const name = monitorName(policy, declared);
  return { synced: { key, name, action: "paused_removed" }, error: null, afterCommit };
}

/**
 * The error for a monitor that was declared but paused, because the application's paid plan has no room for it (R29).
 */
const limitedBy = (context: EngineContext, { applicationId, application }: Caller, key: string): SyncError => ({
  key,
  error: `it is paused, for it ${beyondCapacity(context, { id: applicationId, slug: application })}`,
  blocksRemoval: false,
});

/** Makes the result of an action during which an unexpected error was thrown. Its monitor is unchanged. */
export function failedSyncAction(action: Action): Taken {
  const { key } = "known" in action ? action.known : action.entry;
  const error = { key, error: "an unexpected error; the log has it", blocksRemoval: false };
  return { synced: null, error, afterCommit: null };
}
