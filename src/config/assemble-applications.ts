// Makes the rules of applications and monitors for the domain. A key that was not written stays absent: jobs declare
// it, or it comes from one level higher (R31, R38).

import { type Expectation, type Expectations, OUTCOMES_MAX } from "../domain/monitor/outcomes.ts";
import { PATTERNS_MAX, STEPS_MAX, stepsOf } from "../domain/output/patterns.ts";
import { type MaintenanceWindow, pausesForEver } from "../domain/schedule/maintenance.ts";
import type { ApplicationRules, Labels, MonitorRules, Routing } from "../domain/settings/policy.ts";
import {
  COUNT_FIELDS,
  type ConfiguredField,
  type CountField,
  DECLARED_FIELDS,
  type DeclaredField,
  SETTINGS,
  type ValueOf,
} from "../domain/settings/settings.ts";
import { milliseconds, SECOND } from "../domain/time.ts";
import { checkReferences } from "./assemble-destinations.ts";
import { type ConfigDraft, complain, complainMissing } from "./draft.ts";
import type { Path } from "./fault.ts";
import type { Values } from "./keys.ts";
import { nodeAt } from "./tree.ts";

type ApplicationValues = Values["applications"][string];
type MonitorValues = ApplicationValues["monitors"][string];

/** The rules by slug. */
export function assembleApplications(draft: ConfigDraft): Map<string, ApplicationRules> {
  const applications = Object.entries(draft.values.applications);
  return new Map(applications.map(([slug, values]) => [slug, assembleApplication(draft, slug, values)]));
}

function assembleApplication(draft: ConfigDraft, slug: string, values: ApplicationValues): ApplicationRules {
  const path = ["applications", slug];
  const monitors = Object.entries(values.monitors).map(([key, monitor]): [string, MonitorRules] => [
    key,
    assembleMonitor(draft, [...path, "monitors", key], monitor),
  ]);
  const { name, timezone, max_active_monitors: maxActiveMonitors, keep_output: keepOutput, mask } = values;
  const routing = assembleRouting(draft, path, values);
  if (mask.length > PATTERNS_MAX) {
    complain(draft, [...path, "mask"], `has ${mask.length} patterns`, `must be a list of at most ${PATTERNS_MAX}`);
  } else if (stepsOf(mask) > STEPS_MAX) {
    const rule = `must take RE2 at most ${STEPS_MAX} steps in all: a count such as {30} takes as many`;
    complain(draft, [...path, "mask"], `takes ${stepsOf(mask)} steps`, rule);
  }
  const own = { ...present({ name, timezone }), maxActiveMonitors, keepOutput, mask };
  return { ...own, ...routing, monitors: new Map(monitors) };
}

function assembleMonitor(draft: ConfigDraft, path: Path, values: MonitorValues): MonitorRules {
  const declared = Object.fromEntries(DECLARED_FIELDS.map((field) => [field, assembleDeclared(field, values)]));
  if (values.schedule !== undefined && values.every !== undefined) {
    complain(draft, [...path, "every"], "is given beside a schedule", "must be left out, or the schedule");
  }
  const counts = Object.fromEntries(COUNT_FIELDS.map((field) => [field, values[SETTINGS[field].key]]));
  const others: { readonly [Field in Exclude<ConfiguredField, CountField>]: ValueOf<Field> | undefined } = {
    maintenance: assembleMaintenance(draft, [...path, "maintenance"], values.maintenance),
    drillEverySeconds: assembleDrill(draft, path, values),
    outcomes: assembleOutcomes(draft, [...path, "outcomes"], values.outcomes),
  };
  return { ...present({ ...declared, ...counts, ...others }), ...assembleRouting(draft, path, values) };
}

/** The settings that jobs may declare too; undefined: not written. */
function assembleDeclared(field: DeclaredField, values: MonitorValues): string | number | undefined {
  const { kind, key } = SETTINGS[field];
  const written = values[key];
  return kind === "seconds" || kind === "interval" ? seconds(written) : written;
}

const DRILL_EVERY = "30d";

/** How often its alerts are drilled, in seconds; undefined: never. */
function assembleDrill(
  draft: ConfigDraft,
  path: Path,
  { drill = false, drill_every }: MonitorValues,
): number | undefined {
  if (drill) return seconds(drill_every ?? DRILL_EVERY);
  if (drill_every !== undefined) {
    const rule = "must be left out unless the monitor has drill = true";
    complain(draft, [...path, "drill_every"], "is given without a drill", rule);
  }
  return undefined;
}

/** R24. Windows that leave no time between them would silence the monitor for ever. */
function assembleMaintenance(
  draft: ConfigDraft,
  path: Path,
  values: MonitorValues["maintenance"],
): MaintenanceWindow[] {
  const windows = values.flatMap((value, place) => assembleWindow(draft, [...path, place], value));
  if (pausesForEver(windows)) {
    complain(draft, path, "has windows that take over from each other", "must leave time in which it is watched");
  }
  return windows;
}

/** Nothing when it is faulty. */
function assembleWindow(
  draft: ConfigDraft,
  path: Path,
  value: MonitorValues["maintenance"][number],
): MaintenanceWindow[] {
  const { cron, duration, timezone = null } = value;
  if (cron === undefined) complainMissing(draft, [...path, "cron"], "must be given for every window");
  if (duration === undefined) complainMissing(draft, [...path, "duration"], "must be given for every window");
  if (cron === undefined || duration === undefined) return [];
  const window = { schedule: cron, timezone, durationSeconds: milliseconds(duration) / SECOND };
  if (!pausesForEver([window])) return [window];
  complain(
    draft,
    [...path, "duration"],
    `"${duration}" lasts until the next window begins`,
    "must be shorter than the time between two, or the pause would never end",
  );
  return [];
}

function assembleRouting(draft: ConfigDraft, path: Path, values: ApplicationValues | MonitorValues): Routing {
  checkReferences(draft, [...path, "destinations"]);
  const { destinations } = values;
  return { ...present({ destinations }), ...assembleLabels(values) };
}

/** What one of the three tiers sets for its alerts (R38). */
export function assembleLabels(values: ApplicationValues | MonitorValues | Values["team"]): Labels {
  const { owner, severity, environment, links } = values;
  return present({ owner, severity, environment, links: present(links) });
}

const seconds = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : milliseconds(text) / SECOND;

/** Only the given values: an absent key is looked up elsewhere, an undefined one would not be. */
const present = <T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };

// Makes the expected outcomes of a monitor (R27), and finds those that no report can meet: more names than a report
// carries, or bounds without room between them.

type OutcomeValues = Values["applications"][string]["monitors"][string]["outcomes"];

function assembleOutcomes(draft: ConfigDraft, path: Path, values: OutcomeValues): Expectations {
  const entries = Object.entries(values);
  if (entries.length > OUTCOMES_MAX) {
    complain(draft, path, `names ${entries.length}`, `must name at most ${OUTCOMES_MAX}, a report carries no more`);
  }
  return new Map(entries.map(([key, value]) => [key, assembleExpectation(draft, [...path, key], value)]));
}

function assembleExpectation(draft: ConfigDraft, path: Path, values: OutcomeValues[string]): Expectation {
  const { equals = null, min = null, max = null, on_failure: onFailure } = values;
  if (asksNothing(draft, path)) {
    complain(draft, path, "expects nothing", "must have min, max or equals");
  }
  if (equals !== null && (min !== null || max !== null)) {
    complain(draft, [...path, "equals"], "stands beside min or max", "must stand alone");
  }
  if (min !== null && max !== null && min > max) {
    complain(draft, [...path, "min"], `${min} is more than max`, `must be at most ${max}`);
  }
  return { equals, min, max, onFailure };
}

/** A key that has a fault of its own would have set a bound. */
function asksNothing(draft: ConfigDraft, path: Path): boolean {
  const node = nodeAt(draft.tree, path);
  return node?.kind === "table" && [...node.entries.keys()].every((name) => name === "on_failure");
}
