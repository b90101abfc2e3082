// The policy: the configuration's rules for monitors and alerts as plain values, applied over what jobs declare (R31).
// Pure; it does not read the configuration.

import type { AlertKind } from "../message/alert.ts";
import type { Presentation, Severity } from "../message/presentation.ts";
import type { Reminders } from "../monitor/incident.ts";
import type { Watch } from "../monitor/monitor.ts";
import type { Expectations } from "../monitor/reported-outcomes.ts";
import { hasLabel } from "../pattern.ts";
import type { Person } from "../people/person.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { MaintenanceWindow } from "../schedule/maintenance.ts";
import { NOTHING_DECLARED } from "./declared.ts";
import type { Hearing } from "./hearing.ts";
import type { PlannedMaintenance } from "./planned.ts";
import type { Rota } from "./rota.ts";
import {
  type AppliedValues,
  COUNT_FIELDS,
  type ConfiguredValues,
  type CountField,
  DEFAULTS,
  type Declared,
  RHYTHM_FIELDS,
  type ValuesInForce,
  WATCHED_FIELDS,
  type WatchedField,
} from "./settings.ts";

/** Who owns an alert and how bad it is. An absent value is taken from the next tier (R38). */
export interface Ownership {
  readonly owner?: string;
  readonly severity?: Severity;
  readonly environment?: string;
  /** Whether people are told of runs that take much longer or shorter than usual. */
  readonly unusual?: "tell" | "leave";
  readonly links?: Readonly<Record<string, string>>;
}

export type Routing = Ownership & Readonly<{ destinations?: readonly string[] }>;

/** The configuration's rules for a monitor: its settings, and how its alerts are sent. */
export interface MonitorRules extends ConfiguredValues, Routing {}

export interface ApplicationRules extends Routing {
  readonly name?: string;
  readonly timezone?: string;
  /** Maintenance of all the application's monitors (R24). */
  readonly maintenance?: readonly MaintenanceWindow[];
  /** How many of its monitors may be active at once (R34); absent or 0 means no limit. */
  readonly maxActiveMonitors?: number;
  /** Whether the output of failures is stored (R46); by default it is not. */
  readonly keepOutput?: boolean;
  /** Regular expressions for text that failures must not show (R46). */
  readonly mask?: readonly string[];
  readonly monitors: ReadonlyMap<string, MonitorRules>;
}

/** The events among which members of the team choose. Acknowledgements go only to pagers. */
export type MemberEvent = Exclude<AlertKind, "Acknowledged">;

/**
 * A member of the team. `answers` is the person in whose name replies to the mail are recorded; without it no replies
 * are accepted.
 */
export type Member = Readonly<{ name: string; email: string; events: readonly MemberEvent[]; answers?: string }>;

/** A destination as routing needs it. Only the notifier knows how to send there. */
export type DestinationRules = Readonly<{ hears?: Hearing; answers?: string }> & DestinationTakes;

type DestinationTakes =
  /** One message goes to each mail address of `recipients`; with `null` to the team's members, by their preferences. */
  | { readonly takes: "mail"; readonly recipients: readonly string[] | null }
  /** One message goes to everybody who reads there. */
  | { readonly takes: "messages" }
  /** Each alert goes there as it comes, because a machine reads it. */
  | { readonly takes: "events" }
  /** One message goes to each person who has switched it on, about the applications that the person may see. */
  | { readonly takes: "people" }
  /** The service keeps incidents itself, and pages until a person acknowledges them there (R23). */
  | { readonly takes: "incidents" };

/** The team's values, the last tier: they hold unless a monitor or an application sets others (R38). */
export interface Team extends Ownership {
  /** `null` when the team has no name. */
  readonly name: string | null;
  readonly destinations: readonly string[];
  readonly members: readonly Member[];
}

/** Returns the member who has this mail address; `undefined` when no member has it, or `recipient` is `null`. */
export const memberAt = ({ members }: Pick<Team, "members">, recipient: string | null): Member | undefined =>
  members.find(({ email }) => email === recipient);

export interface Policy {
  readonly timezone: string;
  /** The time zone of the computer that runs rollcall; `null` when it is not known. */
  readonly machineTimezone: string | null;
  readonly reminders: Reminders;
  /** When a report about all jobs is sent, as a cron expression; absent or `null` when it is never sent. */
  readonly report?: string | null;
  /** The limits for the reports of one key under version 1; absent means none. */
  readonly rateLimits?: readonly RateLimit[];
  readonly team: Team;
  readonly destinations: ReadonlyMap<string, DestinationRules>;
  /** Rotas by name. A rota in a route means the destination that is on call. */
  readonly rotas?: ReadonlyMap<string, Rota>;
  readonly applications: ReadonlyMap<string, ApplicationRules>;
  /** Routing for monitors with a label (R38), by label. Of several labels the first one counts. */
  readonly labels?: ReadonlyMap<string, Routing>;
  /** The maintenance that people have planned (R24), by the application's slug. */
  readonly planned?: ReadonlyMap<string, readonly PlannedMaintenance[]>;
  /** Who is notified in a browser, and about which applications (`null` means all). Absent when no person is. */
  readonly notified?: readonly NotifiedPerson[];
}

export type NotifiedPerson = Pick<Person, "name" | "applications">;

/** The name of the destination for people's browsers, unless the configuration has a destination of that name. */
export const BROWSERS = "webpush";
const BROWSERS_RULES: DestinationRules = { takes: "people" };

export function withNotified(policy: Policy, notified: readonly NotifiedPerson[]): Policy {
  const destinations = new Map([...policy.destinations].filter(([, rules]) => rules !== BROWSERS_RULES));
  if (notified.length > 0 && !destinations.has(BROWSERS)) destinations.set(BROWSERS, BROWSERS_RULES);
  return { ...policy, destinations, notified };
}

/**
 * One address of an alert. `recipient` is a mail address or the name of a person with browsers; it is `null` for every
 * other kind of destination.
 */
export type Route = Readonly<{ destination: string; recipient: string | null }>;

/** The policy for one monitor. It is resolved once, when the monitor is loaded or created. */
export type MonitorPolicy = Readonly<{
  slug: string;
  key: string;
  declared: Declared;
  own: MonitorRules;
  /** What the monitor's labels say, the nearest first. */
  labelled: readonly Routing[];
  application: ApplicationRules;
  whole: Policy;
  planned: readonly PlannedMaintenance[];
}>;

const NO_RULES: MonitorRules = {};
const NONE: readonly never[] = [];
const NO_APPLICATION: ApplicationRules = { monitors: new Map() };

/**
 * Returns the policy for one monitor. An application or a monitor that the configuration does not name has no rules.
 */
export function monitorPolicy(
  policy: Policy,
  application: string,
  key: string,
  declared: MonitorPolicy["declared"] = NOTHING_DECLARED,
): MonitorPolicy {
  const rules = policy.applications.get(application) ?? NO_APPLICATION;
  const own = rules.monitors.get(key) ?? NO_RULES;
  const labels = labelsOf({ own, declared });
  const labelled =
    labels === null
      ? NONE
      : [...(policy.labels ?? [])].flatMap(([label, said]) => (hasLabel(labels, label) ? said : []));
  const planned = policy.planned?.get(application)?.filter(({ reaches }) => reaches(key, labels)) ?? NONE;
  return { slug: application, key, declared, own, labelled, application: rules, whole: policy, planned };
}

/**
 * The policy of a monitor that neither the configuration names nor declares anything: the application's rules alone.
 */
export const applicationPolicy = (policy: Policy, application: string): MonitorPolicy =>
  monitorPolicy(policy, application, "");

/**
 * The labels in their stored form; `null` when the monitor has none, also when the configuration sets an empty list
 * (R31).
 */
export const labelsOf = ({ own, declared }: Pick<MonitorPolicy, "own" | "declared">): string | null =>
  (own.labels ?? declared.labels) || null;

/** The maintenance that the configuration sets for a monitor: its application's and its own. */
export const configuredWindows = ({ own, application }: Pick<MonitorPolicy, "own" | "application">) =>
  application.maintenance === undefined || application.maintenance.length === 0
    ? (own.maintenance ?? DEFAULTS.maintenance)
    : [...application.maintenance, ...(own.maintenance ?? [])];

/** The values to apply: the configured one, otherwise the declared one, otherwise the default (R13, R31, R42). */
function toApply({ own, declared, application, whole, planned }: MonitorPolicy): AppliedValues {
  const otherwise = { ...DEFAULTS, timezone: application.timezone ?? whole.timezone };
  const watched = Object.fromEntries(
    WATCHED_FIELDS.map((field) => [field, own[field] ?? declared[field] ?? otherwise[field]]),
  ) as ValuesInForce<WatchedField>;
  // Only one of a schedule and an interval is in force: the configured one removes the declared other one (R44).
  const [schedule, everySeconds] = RHYTHM_FIELDS.map((field) => own[field] !== undefined);
  const one = { ...(everySeconds ? { schedule: null } : {}), ...(schedule ? { everySeconds: null } : {}) };
  const configured = configuredWindows({ own, application });
  const maintenance = planned.length === 0 ? configured : [...configured, ...planned.map(({ window }) => window)];
  return { ...watched, ...one, maintenance };
}

/**
 * The values in force: those that were applied and stored, and for values that are not stored the present ones (R23,
 * R41).
 */
export function watchUnder({ own, declared, whole }: MonitorPolicy, applied: AppliedValues): Watch {
  const last = LAST_WATCHES.get(applied);
  if (last !== undefined && last.own === own && last.declared === declared && last.whole === whole) return last.watch;
  // The fields are assigned, because a second spread takes three times as long.
  const watch: Omit<Watch, CountField> & { -readonly [Field in CountField]?: number } = {
    ...applied,
    reminders: whole.reminders,
  };
  for (const field of COUNT_FIELDS) watch[field] = own[field] ?? declared[field] ?? DEFAULTS[field];
  LAST_WATCHES.set(applied, { own, declared, whole, watch: watch as Watch });
  return watch as Watch;
}

/** Monitors with equal declarations share what was applied, so a report seldom creates a new watch. */
const LAST_WATCHES = new WeakMap<AppliedValues, LastWatch>();
type LastWatch = Pick<MonitorPolicy, "own" | "declared" | "whole"> & { readonly watch: Watch };

export const watchOf = (policy: MonitorPolicy): Watch => watchUnder(policy, toApply(policy));

/** Whether a start of rollcall creates the monitor of these rules, if there is none. */
export const isMadeAtStart = (rules: MonitorRules | undefined): boolean =>
  rules?.schedule !== undefined || rules?.everySeconds !== undefined;

/** What a monitor's completions must report (R27); empty when nothing is required. */
export const expectationsOf = ({ own }: MonitorPolicy): Expectations => own.outcomes ?? DEFAULTS.outcomes;

/** How often a drill of the monitor's alerts is sent, in seconds; `null` when it is not a drill monitor. */
export const drillEveryOf = ({ own }: MonitorPolicy): number | null =>
  own.drillEverySeconds ?? DEFAULTS.drillEverySeconds;

/**
 * The time zones in use here, the likeliest for the job first: the application's, the server's, this computer's (R13).
 */
export const zonesNear = ({ application, whole: { timezone, machineTimezone } }: MonitorPolicy): string[] =>
  [application.timezone ?? timezone, timezone, machineTimezone ?? timezone].filter(
    (zone, place, all) => all.indexOf(zone) === place,
  );

/**
 * The name that people read: configured, declared, or made from the key (`nightly-backup` becomes `Nightly backup`).
 */
export const monitorName = ({ own, key }: MonitorPolicy, { name }: Pick<Declared, "name">): string =>
  own.name ?? name ?? nameFromKey(key);

function nameFromKey(key: string): string {
  const words = key.replace(/[-_]+/g, " ").trim();
  return words === "" ? key : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The rule for mails to the monitor's address (R47); `null` means the usual words. */
export const mailRuleOf = ({ own, declared }: MonitorPolicy): string | null => own.mailRule ?? declared.mailRule;

export const noteOf = ({ own, declared }: MonitorPolicy): string | null => own.note ?? declared.note;

/**
 * The value of the nearest tier that has one (R38): monitor, its labels, application, team. `undefined` when none has.
 */
export function nearestOf<Name extends keyof Routing>(policy: MonitorPolicy, name: Name): Routing[Name] {
  const { own, declared, labelled, application, whole } = policy;
  const itself = own[name] ?? (name === "severity" ? (declared.severity as Routing[Name] | null) : null);
  return itself ?? labelled.find((said) => said[name] !== undefined)?.[name] ?? application[name] ?? whole.team[name];
}

export const severityOf = (policy: MonitorPolicy): Severity => nearestOf(policy, "severity") ?? "error";

/**
 * The names of the application and the team; and owner, severity, environment and each link from the nearest tier that
 * has one (R38). `named` is the application's name given by a person; a name in the configuration overrides it (R31).
 */
export function presentationOf(policy: MonitorPolicy, named: string | null = null): Presentation {
  const { own, labelled, application, whole } = policy;
  return {
    applicationName: application.name ?? named,
    teamName: whole.team.name,
    owner: nearestOf(policy, "owner") ?? null,
    severity: severityOf(policy),
    environment: nearestOf(policy, "environment") ?? null,
    links: Object.assign(
      {},
      whole.team.links,
      application.links,
      ...labelled.map((said) => said.links).reverse(),
      own.links,
    ),
    note: noteOf(policy),
    labels: labelsOf(policy)?.split(" ") ?? [],
  };
}
