// Creates what the configuration names and the database does not have: applications and monitors (R12, R31).

import { NOTHING_DECLARED } from "../domain/settings/declared.ts";
import { isMadeAtStart } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { EngineContext } from "./engine-context.ts";
import { makeMonitor } from "./new-monitors.ts";

const FIRST_APPLICATION = "default";

export const isFirstStart = ({ applications }: Store): boolean => applications.list().length === 0;

/**
 * Returns the slugs of missing configured applications; `default` when no application is configured and none exists.
 */
function missingApplications({ store, policy }: EngineContext): string[] {
  const missing = [...policy.applications.keys()].filter((slug) => store.applications.find(slug) === null);
  return missing.length === 0 && isFirstStart(store) ? [FIRST_APPLICATION] : missing;
}

/**
 * Returns the slugs of configured applications (and `default`) that exist but have no key, for example because an
 * earlier start failed. The caller makes their first keys.
 */
export function awaitingFirstKey({ store, policy }: EngineContext): string[] {
  return [FIRST_APPLICATION, ...policy.applications.keys()].filter((slug, place, all) => {
    const application = store.applications.find(slug);
    return application !== null && all.indexOf(slug) === place && store.keys.list(application.id).length === 0;
  });
}

/**
 * Creates missing applications, and missing monitors that are configured with a schedule or an interval. The very first
 * start also stores the time zone in use, because schedules must not change their meaning when the computer's zone
 * changes (R13). Must be called in a transaction.
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
