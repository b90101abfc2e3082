// Reads maintenance for pages and commands: what people planned and what the configuration sets (R24).

import type { Span } from "../domain/monitor/window.ts";
import { isOneTimeMaintenance, nextMaintenance, occurrencesIn } from "../domain/schedule/maintenance.ts";
import {
  applicationPolicy,
  configuredWindows,
  labelsOf,
  type MonitorPolicy,
  zonesNear,
} from "../domain/settings/policy.ts";
import { targetMatcherOf } from "../domain/settings/targets.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { StoredMaintenance } from "../store/monitor-settings.ts";
import { type PolicyFacts, policyOfOutline } from "./completed-monitors.ts";
import type { ShownMaintenance } from "./schemas/maintenance-schemas.ts";
import type { MonitorReads } from "./view-source.ts";

export interface MaintenancesAsked {
  /** The slugs of the applications; `null` means all applications. */
  readonly applications: readonly string[] | null;
  /** Maintenance that a person planned is left out when it ended before this instant. */
  readonly since: Instant;
  /**
   * At most this many of the maintenances that are over are listed, the newest ones. Present and future ones are always
   * listed.
   */
  readonly limit: number;
}

/** Planned or configured maintenance. Configured maintenance has no id, reason or person. */
type KeptMaintenance = Pick<StoredMaintenance, "application" | "targets" | "window" | "by" | "endedAt" | "endedBy"> &
  Readonly<{ id: number | null; reason: string | null; at: Instant | null }>;

const BY_NO_ONE = { id: null, reason: null, at: null, by: null, endedAt: null, endedBy: null };

/**
 * The maintenance of these applications. First comes what lasts now, then what is ahead (the soonest first), then what
 * is over (the newest first).
 */
export function maintenancesOf(
  { store, policy }: MonitorReads,
  { applications, since, limit }: MaintenancesAsked,
  now: Instant,
): ShownMaintenance[] {
  const configured = [...policy.applications].flatMap(([application, { maintenance: ofAll = [], monitors }]) => {
    const windows = [
      ...ofAll.map((window) => ({ key: null, window })),
      ...[...monitors].flatMap(([key, { maintenance = [] }]) => maintenance.map((window) => ({ key, window }))),
    ];
    return [...Map.groupBy(windows, ({ window }) => JSON.stringify(window)).values()].map((same) => {
      const targets = same.some(({ key }) => key === null) ? [] : same.map(({ key }) => key!);
      return { ...BY_NO_ONE, application, targets, window: same[0]!.window };
    });
  });
  const all = [...store.maintenances.since(since), ...configured]
    .filter(({ application }) => applications === null || applications.includes(application))
    .map((one) => shownMaintenance(one, now, zonesNear(applicationPolicy(policy, one.application))[0]!))
    .sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || orderOf(a) - orderOf(b));
  return all.slice(0, limit + all.filter(({ state }) => state !== "past").length);
}

const STATES: readonly ShownMaintenance["state"][] = ["now", "ahead", "past"];

const orderOf = ({ state, next, endedAt }: ShownMaintenance): number =>
  state === "past" ? -(endedAt ?? next?.until ?? 0) : (next?.from ?? 0);

/**
 * Lists the maintenance of one monitor, both configured and planned. `timezone` is the zone of the monitor's schedule.
 */
export const maintenancesFor = (
  application: string,
  policy: MonitorPolicy,
  timezone: string,
  now: Instant,
): ShownMaintenance[] =>
  [
    ...configuredWindows(policy).map((window) => ({ ...BY_NO_ONE, application, targets: [policy.key], window })),
    ...policy.planned,
  ].map((one) => shownMaintenance(one, now, timezone));

/** When a monitor is in maintenance, and why and by whom that was planned. `reason` is `null` if it is configured. */
export type MaintenanceSpan = Span & Pick<KeptMaintenance, "reason" | "by">;

type MaintainedMonitor = PolicyFacts & Pick<MonitorOutline, "timezone" | "pauses">;

/**
 * Makes a function that returns a monitor's maintenance in the span, past or planned, in ascending order. When a person
 * resumed the monitor during maintenance, the maintenance ended then (R24).
 */
export function maintenanceIn({ store, policy }: MonitorReads, span: Span, now: Instant) {
  const planned = store.maintenances.since(span.from).map((one) => ({ ...one, reaches: targetMatcherOf(one.targets) }));
  const resumesOf = (monitor: MaintainedMonitor, since: Instant): Instant[] =>
    store.audit
      .ofMonitor(monitor, { since, before: now + 1 }, ACTIONS_READ)
      .flatMap(({ action, at }) => (action === "monitor resume" ? [at] : []));
  /**
   * Ends each window at the instant when a person resumed the monitor in it, as the audit tells. A monitor in
   * maintenance has the pause `manual`. So if it lacks this pause in a window that lasts now, a person has resumed it.
   * When the audit does not tell of that, the window becomes empty.
   */
  const obeyed = (monitor: MaintainedMonitor, windows: MaintenanceSpan[]): MaintenanceSpan[] => {
    const first = windows.find(({ from }) => from <= now);
    if (first === undefined) return windows;
    const resumes = resumesOf(monitor, first.from);
    return windows.map((one) => {
      const resumedAt = resumes.findLast((at) => at >= one.from && at < one.to);
      const isNow = one.from <= now && one.to > now;
      const isResumed = resumedAt !== undefined || (isNow && monitor.pauses.manual === null);
      return isResumed ? { ...one, to: resumedAt ?? one.from } : one;
    });
  };
  return (monitor: MaintainedMonitor): MaintenanceSpan[] => {
    const { application, key, timezone } = monitor;
    const ofMonitor = policyOfOutline(policy, monitor);
    const configured = configuredWindows(ofMonitor).map((window) => ({
      ...BY_NO_ONE,
      window,
    }));
    const own = planned.filter((one) => one.application === application && one.reaches(key, labelsOf(ofMonitor)));
    const windows = [...configured, ...own]
      .flatMap(({ window, at, endedAt, reason, by }) =>
        occurrencesIn(window, timezone, span).map(({ from, until }) => {
          return { from: Math.max(from, at ?? from), to: Math.min(until, endedAt ?? until), reason, by };
        }),
      )
      .sort((a, b) => a.from - b.from);
    return obeyed(monitor, windows).filter(({ from, to }) => from < to);
  };
}

/** How many of the newest audit rows of a monitor are read to find out when a person resumed it. */
const ACTIONS_READ = 100;

/** A maintenance as people see it. `timezone` counts for a window that names no zone. */
export function shownMaintenance(kept: KeptMaintenance, now: Instant, timezone = "UTC"): ShownMaintenance {
  const { id, application, targets, window, reason, at, by, endedAt, endedBy } = kept;
  const once = isOneTimeMaintenance(window);
  const length = once ? window.until - window.from : window.durationSeconds * SECOND;
  const around = (at: Instant) => nextMaintenance({ maintenance: [window], timezone }, at - length, at);
  const found = endedAt === null ? around(now) : null;
  return {
    id,
    application,
    monitors: targets,
    state: found === null ? "past" : found.from <= now ? "now" : "ahead",
    schedule: once ? null : window.schedule,
    timezone: once ? null : window.timezone,
    durationSeconds: Math.round(length / SECOND),
    next: found ?? (once ? { from: window.from, until: window.until } : endedAt === null ? null : around(endedAt)),
    reason,
    plannedAt: at,
    plannedBy: by,
    endedBy,
    endedAt: endedAt ?? (found === null && once ? window.until : null),
  };
}
