// Where each value in force for a monitor comes from, for people who wonder why it is watched as it is (R13, R31, R38).
// Pure; what is in force was decided by domain/settings/policy.ts.

import type { Monitor, Watch } from "../../domain/monitor/monitor.ts";
import { runDeadline } from "../../domain/monitor/run-start.ts";
import { nextMaintenance } from "../../domain/schedule/maintenance.ts";
import { expectationsOf, type MonitorPolicy, nameOf, presentationOf, routesOf } from "../../domain/settings/policy.ts";
import {
  COUNT_FIELDS,
  type CountField,
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type DeclaredField,
  type InForce,
} from "../../domain/settings/settings.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import type { ShownSetting, ShownSettings, ValueSource } from "../operations/answers/settings.ts";
import type { ShownMonitor } from "../operations/answers/shown-monitor.ts";
import { type Failing, unreachable } from "../telling/reach.ts";

/** The values in force for the monitor, each with its source and with what was declared beside it. */
export function settingsOf({ declared, policy, monitor: { watch } }: MonitorRecord): ShownMonitor["settings"] {
  const inForce: InForce<DeclaredField> = { ...watch, name: nameOf(policy, declared) };
  const shown = DECLARED_FIELDS.map((field) => [
    field,
    setting<unknown>(inForce[field], policy.own[field], declared[field], sourceOf(field, policy)),
  ]);
  return {
    ...(Object.fromEntries(shown) as ShownSettings),
    ...(Object.fromEntries(COUNT_FIELDS.map((field) => [field, watch[field]])) as InForce<CountField>),
    maintenance: watch.maintenance,
    outcomes: [...expectationsOf(policy)].map(([name, expectation]) => ({ name, ...expectation })),
  };
}

/** Where a value comes from that was neither configured nor declared. */
function sourceOf(field: DeclaredField, { application }: MonitorPolicy): ValueSource {
  const { from } = DECLARED_SETTINGS[field].otherwise;
  return from === "application" && application.timezone === undefined ? "server" : from;
}

/** The windows in their order, each with the time it takes place now or, if it does not, next. */
export const plannedWindows = ({ maintenance, timezone }: Watch, now: Instant): ShownMonitor["maintenance"] =>
  maintenance.map((window) => {
    const alone = { maintenance: [window], timezone };
    const next = nextMaintenance(alone, now - window.durationSeconds * SECOND, now);
    return { ...window, next };
  });

/** R21, for a run that starts now. */
export function runLimitOf({ watch, lastRunMs }: Monitor, now: Instant): ShownMonitor["runLimit"] {
  const milliseconds = runDeadline(watch, now, lastRunMs) - now;
  const seconds = Math.round(milliseconds / SECOND);
  if (watch.maxRuntimeSeconds !== null) return { seconds, from: "max_runtime" };
  if (milliseconds > runDeadline(watch, now, null) - now) return { seconds, from: "last_run" };
  if (watch.everySeconds !== null) return { seconds, from: "every" };
  return { seconds, from: watch.schedule === null ? "no_schedule" : "schedule" };
}

function setting<Value>(
  value: Value,
  configured: Value | undefined,
  declared: Value | null,
  otherwise: ValueSource,
): ShownSetting<Value> {
  if (configured !== undefined) return { value, from: "configuration", declared };
  return { value, from: declared === null ? otherwise : "declared", declared };
}

/** Whom an alert of the monitor would reach, and what it would say of it. */
export function routingOf(failing: Failing, { policy }: MonitorRecord): ShownMonitor["routing"] {
  const { severity, owner, environment, links } = presentationOf(policy);
  const routes = routesOf(policy, "InitialFailure");
  const destinations = [...new Set(routes.map(({ destination }) => destination))];
  return {
    destinations,
    failing: destinations.flatMap((destination) => {
      const failure = failing.get(destination);
      return failure === undefined ? [] : [{ destination, answer: failure.answer, since: failure.since }];
    }),
    unreachable: unreachable(policy, failing, "operator"),
    severity,
    owner,
    environment,
    links,
  };
}
