// Brings configured names into the store at a start or reload: creates missing applications and monitors, and declares
// values that have changed (R12, R31).

import { hasSlots } from "../../domain/schedule/rhythm.ts";
import { NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { isMadeAtStart, watchOf } from "../../domain/settings/policy.ts";
import { sameApplied } from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import { loadMonitor } from "../../views/monitor-records.ts";
import type { AfterCommit } from "../after-commit.ts";
import type { EngineContext } from "../context.ts";
import { makeMonitor } from "../monitor-records.ts";
import { applySignals } from "../record.ts";
import { saveConfigured } from "../setting-changes.ts";
import { rearm } from "./wake.ts";

/** The application a start without any creates. */
const FIRST_APPLICATION = "default";

/** Whether nobody has used this database yet. */
export const isFirstStart = ({ applications }: Store): boolean => applications.list().length === 0;

/** Slugs of the applications to create: those configured that are missing; `default` when there would be none. */
function missingApplications({ store, policy }: EngineContext): string[] {
  const missing = [...policy.applications.keys()].filter((slug) => store.applications.find(slug) === null);
  return missing.length === 0 && isFirstStart(store) ? [FIRST_APPLICATION] : missing;
}

/**
 * Slugs of the applications that a start creates and that never had a key: a start that failed may have left them so.
 */
export function awaitingFirstKey({ store, policy }: EngineContext): string[] {
  return [FIRST_APPLICATION, ...policy.applications.keys()].filter((slug, place, all) => {
    const application = store.applications.find(slug);
    return application !== null && all.indexOf(slug) === place && store.keys.list(application.id).length === 0;
  });
}

/**
 * Creates the applications that are missing, and monitors that are configured with a schedule. A first start also keeps
 * its time zone: whatever happens to the computer, no schedule may change its meaning by itself (R13). In a
 * transaction.
 */
export function createConfigured(context: EngineContext, now: Instant): void {
  const { store, policy } = context;
  if (isFirstStart(store)) store.liveness.keepTimezone(policy.timezone);
  for (const slug of missingApplications(context)) store.applications.create(slug, now);
  for (const [slug, { monitors }] of policy.applications) {
    const application = store.applications.find(slug)!;
    for (const [key, rules] of monitors) {
      if (!isMadeAtStart(rules) || store.monitors.find(application.id, key) !== null) continue;
      makeMonitor(context, application, key, NOTHING_DECLARED, now);
    }
  }
}

export interface Declaration extends AfterCommit {
  /** Whose only schedule went with a section of the configuration: it is never missed again. Null: it has one. */
  readonly unwatched: { readonly application: string; readonly monitor: string } | null;
}

/**
 * Puts the configuration's present values in force for a monitor; writes nothing when they are. Null: there is no such
 * monitor any more. In a transaction.
 */
export function declareConfigured(context: EngineContext, monitorId: number, now: Instant): Declaration | null {
  const before = loadMonitor(context, monitorId);
  if (before === null) return null;
  const watch = watchOf(before.policy, before.declared);
  if (sameApplied(watch, before.monitor.watch)) return { ...rearm(context, before), unwatched: null };
  saveConfigured({ store: context.store, id: before.id, now }, before.declared, before.monitor.watch, watch);
  const unwatched = !hasSlots(watch) ? { application: before.application, monitor: before.key } : null;
  return { ...applySignals(context, before, [{ kind: "declare", watch }], now).afterCommit, unwatched };
}
