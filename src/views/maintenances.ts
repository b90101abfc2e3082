// Maintenance as it is shown: what people planned beside what the configuration sets (R24). Changes nothing.

import type { Span } from "../domain/monitor/window.ts";
import { reachOf } from "../domain/pattern.ts";
import { isOnce, type MaintenanceWindow, nextMaintenance, occurrencesIn } from "../domain/schedule/maintenance.ts";
import { type MonitorPolicy, monitorPolicy, zonesNear } from "../domain/settings/policy.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { StoredMaintenance } from "../store/monitor-settings.ts";
import type { ShownMaintenance } from "./answers/maintenances.ts";
import type { MonitorBooks } from "./context.ts";

export interface MaintenancesAsked {
  /** Slugs; null: all. */
  readonly applications: readonly string[] | null;
  /** Past ones that ended before are left out. */
  readonly since: Instant;
  /** Of those that are over. */
  readonly limit: number;
}

/** In the order of `MAINTENANCES`. */
export function maintenancesOf(
  { store, policy }: MonitorBooks,
  { applications, since, limit }: MaintenancesAsked,
  now: Instant,
): ShownMaintenance[] {
  const isAsked = (slug: string): boolean => applications === null || applications.includes(slug);
  const planned = store.maintenances.since(since).filter(({ application }) => isAsked(application));
  const configured = [...policy.applications].flatMap(([application, { monitors }]) => {
    if (!isAsked(application)) return [];
    const windows = [...monitors].flatMap(([key, { maintenance = [] }]) =>
      maintenance.map((window) => ({ key, window, name: JSON.stringify(window) })),
    );
    const zone = zonesNear(monitorPolicy(policy, application, ""))[0]!;
    return [...Map.groupBy(windows, ({ name }) => name).values()].map((same) =>
      configuredWindow(
        application,
        same.map(({ key }) => key),
        same[0]!.window,
        zone,
        now,
      ),
    );
  });
  const all = [...planned.map((one) => shownMaintenance(one, now)), ...configured];
  const of = (state: ShownMaintenance["state"]) => all.filter((one) => one.state === state);
  const begins = ({ next }: ShownMaintenance): Instant => next?.from ?? 0;
  const over = ({ endedAt, next }: ShownMaintenance): Instant => endedAt ?? next?.until ?? 0;
  return [
    ...of("now").sort((a, b) => begins(a) - begins(b)),
    ...of("ahead").sort((a, b) => begins(a) - begins(b)),
    ...of("past")
      .sort((a, b) => over(b) - over(a))
      .slice(0, limit),
  ];
}

/** Those of a monitor that are not over. `timezone`: of its schedule. */
export const maintenancesFor = (
  application: string,
  { key, own, planned }: MonitorPolicy,
  timezone: string,
  now: Instant,
): ShownMaintenance[] => [
  ...(own.maintenance ?? []).map((window) => configuredWindow(application, [key], window, timezone, now)),
  ...planned.map((one) => shownMaintenance(one, now)).filter(({ state }) => state !== "past"),
];

/** When a monitor is in maintenance, and why; null: the configuration says so. */
export type MaintenanceSpan = Span & Readonly<{ reason: string | null }>;

/** Those of each monitor that touch a span, past or to come, ascending. */
export function maintenanceIn({ store, policy }: MonitorBooks, span: Span) {
  const kept = store.maintenances.since(span.from).map((one) => ({ ...one, reaches: reachOf(one.targets) }));
  return ({
    application,
    key,
    timezone,
  }: Pick<MonitorOutline, "application" | "key" | "timezone">): MaintenanceSpan[] => {
    const configured = (monitorPolicy(policy, application, key).own.maintenance ?? []).flatMap((window) =>
      occurrencesIn(window, timezone, span).map(({ from, until }) => ({ from, to: until, reason: null })),
    );
    const planned = kept.flatMap(({ application: of, reaches, window, at, endedAt, reason }) =>
      of === application && reaches(key)
        ? occurrencesIn(window, timezone, span).map(({ from, until }) => ({
            from: Math.max(from, at),
            to: Math.min(until, endedAt ?? until),
            reason,
          }))
        : [],
    );
    return [...configured, ...planned].filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
  };
}

export function shownMaintenance(planned: StoredMaintenance, now: Instant): ShownMaintenance {
  const { id, application, targets, window, reason, at, by, endedAt, endedBy } = planned;
  const times = timesOf(window, "UTC", now);
  const past = { state: "past", next: isOnce(window) ? times.next : null } as const;
  return {
    ...{ id, application, monitors: targets, ...times, ...(endedAt === null ? {} : past) },
    ...{ reason, plannedAt: at, plannedBy: by, endedAt, endedBy },
  };
}

const BY_NO_ONE = { reason: null, plannedAt: null, plannedBy: null, endedAt: null, endedBy: null };

const configuredWindow = (
  application: string,
  monitors: readonly string[],
  window: MaintenanceWindow,
  timezone: string,
  now: Instant,
): ShownMaintenance => ({ id: null, application, monitors, ...timesOf(window, timezone, now), ...BY_NO_ONE });

/** `timezone`: of a window that names none. */
function timesOf(window: MaintenanceWindow, timezone: string, now: Instant) {
  const once = isOnce(window);
  const length = once ? window.until - window.from : window.durationSeconds * SECOND;
  const found = nextMaintenance({ maintenance: [window], timezone }, now - length, now);
  const next = found ?? (once ? { from: window.from, until: window.until } : null);
  const state: ShownMaintenance["state"] = found === null ? "past" : found.from <= now ? "now" : "ahead";
  return {
    state,
    schedule: once ? null : window.schedule,
    timezone: once ? null : window.timezone,
    durationSeconds: Math.round(length / SECOND),
    next,
  };
}
