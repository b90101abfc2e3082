// The policy: what the configuration says of monitors and alerts, as plain values. It is applied over what jobs declare
// (R31). Pure; the configuration is read elsewhere.

import type { AlertKind } from "../message/alert.ts";
import type { Presentation, Severity } from "../message/presentation.ts";
import type { Reminders } from "../monitor/incident.ts";
import type { Watch } from "../monitor/monitor.ts";
import type { Expectations } from "../monitor/reported-outcomes.ts";
import type { Person } from "../people/person.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { MaintenanceWindow } from "../schedule/maintenance.ts";
import type { PlannedMaintenance } from "../schedule/planned.ts";
import type { Hearing } from "../telling/hearing.ts";
import type { Rota } from "../telling/rota.ts";
import { NOTHING_DECLARED } from "./declared.ts";
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
import { hasLabel } from "./targets.ts";

/**
 * Who owns the alerts of a monitor, and how bad they are. An absent value comes from the next tier: the monitor's
 * labels, its application, the team (R38).
 */
export interface Ownership {
  readonly owner?: string;
  readonly severity?: Severity;
  readonly environment?: string;
  /** Whether people are told of a run that takes much longer or shorter than usual. */
  readonly unusual?: "tell" | "leave";
  readonly links?: Readonly<Record<string, string>>;
}

export type Routing = Ownership & Readonly<{ destinations?: readonly string[] }>;

export interface MonitorRules extends ConfiguredValues, Routing {}

export interface ApplicationRules extends Routing {
  readonly name?: string;
  readonly timezone?: string;
  /** Maintenance for all monitors of the application (R24). */
  readonly maintenance?: readonly MaintenanceWindow[];
  /** How many monitors of the application may be active at once (R34); absent or 0 means any number. */
  readonly maxActiveMonitors?: number;
  /** Whether the output of failing jobs is stored (R46); absent means no. */
  readonly keepOutput?: boolean;
  /** Regular expressions for text that is hidden in the output of failing jobs (R46); absent means none. */
  readonly mask?: readonly string[];
  readonly monitors: ReadonlyMap<string, MonitorRules>;
}

/** The kinds of alerts that a member can choose. Acknowledgements are left out: they go only to pagers. */
export type MemberEvent = Exclude<AlertKind, "Acknowledged">;

/**
 * A member of the team. `answers` is the name of the person under whom a reply to a mail of theirs is recorded. If it
 * is absent, the person counts whom the mail's destination names, if any.
 */
export type Member = Readonly<{ name: string; email: string; events: readonly MemberEvent[]; answers?: string }>;

/** What must be known of a destination to decide where alerts go. Only the notifier knows how to send to it. */
export type DestinationRules = Readonly<{ hears?: Hearing; answers?: string }> & DestinationTakes;

type DestinationTakes =
  /** A mail goes to each address of `recipients`. With `null` it goes to the members of the team, as each prefers. */
  | { readonly takes: "mail"; readonly recipients: readonly string[] | null }
  /** Several people read what arrives at the destination, such as a chat, so one message goes to it. */
  | { readonly takes: "messages" }
  /** A program reads what arrives at the destination, so each alert goes to it as soon as the alert comes. */
  | { readonly takes: "events" }
  /** A message goes to each person who has switched it on, about the applications that the person may see. */
  | { readonly takes: "people" }
  /** The service has its own incidents, and pages people until one acknowledges the incident there (R23). */
  | { readonly takes: "incidents" };

/** The values of the team. They count where neither a monitor, its labels nor its application set others (R38). */
export interface Team extends Ownership {
  readonly name: string | null;
  readonly destinations: readonly string[];
  readonly members: readonly Member[];
}

export const memberAt = ({ members }: Pick<Team, "members">, recipient: string | null): Member | undefined =>
  members.find(({ email }) => email === recipient);

export interface Policy {
  readonly timezone: string;
  /** The time zone of the computer that runs rollcall; `null` when it is not known. */
  readonly machineTimezone: string | null;
  readonly reminders: Reminders;
  /** When a report about all jobs is sent, as a cron expression; absent or `null` when none is sent. */
  readonly report?: string | null;
  /** How many reports one key may send under version 1 of the contract; absent means any number. */
  readonly rateLimits?: readonly RateLimit[];
  readonly team: Team;
  readonly destinations: ReadonlyMap<string, DestinationRules>;
  /** The rotas by name. A rota in a list of destinations means the destination that is on call. */
  readonly rotas?: ReadonlyMap<string, Rota>;
  readonly applications: ReadonlyMap<string, ApplicationRules>;
  /**
   * What counts for monitors with a label, by the label (R38). When a monitor has several of these labels, each value
   * comes from the first label in this map that has it.
   */
  readonly labels?: ReadonlyMap<string, Routing>;
  /** The maintenance that people have planned (R24), by the slug of the application. */
  readonly planned?: ReadonlyMap<string, readonly PlannedMaintenance[]>;
  /** The people who are notified in their browsers, if any, and about which applications (`null` means all). */
  readonly notified?: readonly NotifiedPerson[];
}

export type NotifiedPerson = Pick<Person, "name" | "applications">;

/**
 * The name of the destination that notifies people in their browsers. If the configuration has a destination of this
 * name, the configured one counts.
 */
export const BROWSERS = "webpush";
const BROWSERS_RULES: DestinationRules = { takes: "people" };

export function withNotified(policy: Policy, notified: readonly NotifiedPerson[]): Policy {
  const destinations = new Map([...policy.destinations].filter(([, rules]) => rules !== BROWSERS_RULES));
  if (notified.length > 0 && !destinations.has(BROWSERS)) destinations.set(BROWSERS, BROWSERS_RULES);
  return { ...policy, destinations, notified };
}

/** `recipient` is a mail address, or a person's name for browsers; `null` for other kinds of destinations. */
export type Route = Readonly<{ destination: string; recipient: string | null }>;

/** The policy for one monitor. It is made once, when the monitor is loaded or created. */
export type MonitorPolicy = Readonly<{
  slug: string;
  key: string;
  declared: Declared;
  own: MonitorRules;
  /** What the policy says of the monitor's labels. The first one that has a value counts. */
  labelled: readonly Routing[];
  application: ApplicationRules;
  whole: Policy;
  planned: readonly PlannedMaintenance[];
}>;

const NO_RULES: MonitorRules = {};
const NONE: readonly never[] = [];
const NO_APPLICATION: ApplicationRules = { monitors: new Map() };

/** Makes the policy for one monitor. An application or a monitor that the configuration does not name has no rules. */
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

/** The policy of a monitor of which nothing is configured or declared: only application and team count. */
export const applicationPolicy = (policy: Policy, application: string): MonitorPolicy =>
  monitorPolicy(policy, application, "");

/** The labels as they are stored; `null` without labels. An empty configured list removes the declared ones (R31). */
export const labelsOf = ({ own, declared }: Pick<MonitorPolicy, "own" | "declared">): string | null =>
  (own.labels ?? declared.labels) || null;

export const configuredWindows = ({ own, application }: Pick<MonitorPolicy, "own" | "application">) =>
  application.maintenance === undefined || application.maintenance.length === 0
    ? (own.maintenance ?? DEFAULTS.maintenance)
    : [...application.maintenance, ...(own.maintenance ?? [])];

/** The values to come into force: the configured one first, then the declared one, then the default (R13, R31, R42). */
function toApply({ own, declared, application, whole, planned }: MonitorPolicy): AppliedValues {
  const otherwise = { ...DEFAULTS, timezone: application.timezone ?? whole.timezone };
  const watched = Object.fromEntries(
    WATCHED_FIELDS.map((field) => [field, own[field] ?? declared[field] ?? otherwise[field]]),
  ) as ValuesInForce<WatchedField>;
  // A schedule and an interval are never in force together. A configured schedule removes a declared interval, and a
  // configured interval a declared schedule (R44).
  const [schedule, everySeconds] = RHYTHM_FIELDS.map((field) => own[field] !== undefined);
  const one = { ...(everySeconds ? { schedule: null } : {}), ...(schedule ? { everySeconds: null } : {}) };
  const configured = configuredWindows({ own, application });
  const maintenance = planned.length === 0 ? configured : [...configured, ...planned.map(({ window }) => window)];
  return { ...watched, ...one, maintenance };
}

/**
 * The values in force. Those in `applied` were stored when the settings were last saved. The tolerances and the
 * reminders are not stored: the present policy decides them (R23, R41).
 */
export function watchUnder({ own, declared, whole }: MonitorPolicy, applied: AppliedValues): Watch {
  const last = LAST_WATCHES.get(applied);
  if (last !== undefined && last.own === own && last.declared === declared && last.whole === whole) return last.watch;
  // Assigning the fields is three times as fast as spreading a second object.
  const watch: Omit<Watch, CountField> & { -readonly [Field in CountField]?: number } = {
    ...applied,
    reminders: whole.reminders,
  };
  for (const field of COUNT_FIELDS) watch[field] = own[field] ?? declared[field] ?? DEFAULTS[field];
  LAST_WATCHES.set(applied, { own, declared, whole, watch: watch as Watch });
  return watch as Watch;
}

/**
 * The last watch that was made of each object of applied values. Monitors that declare the same share that object, so a
 * report seldom needs a new watch.
 */
const LAST_WATCHES = new WeakMap<AppliedValues, LastWatch>();
type LastWatch = Pick<MonitorPolicy, "own" | "declared" | "whole"> & { readonly watch: Watch };

export const watchOf = (policy: MonitorPolicy): Watch => watchUnder(policy, toApply(policy));

/** Whether rollcall creates the monitor at its start, if the monitor does not exist yet. */
export const isMadeAtStart = (rules: MonitorRules | undefined): boolean =>
  rules?.schedule !== undefined || rules?.everySeconds !== undefined;

/** The outcomes that a complete of the monitor must report (R27); empty when it need not report any. */
export const expectationsOf = ({ own }: MonitorPolicy): Expectations => own.outcomes ?? DEFAULTS.outcomes;

/** How many seconds lie between two drills of the monitor's alerts; `null` when it has no drills. */
export const drillEveryOf = ({ own }: MonitorPolicy): number | null =>
  own.drillEverySeconds ?? DEFAULTS.drillEverySeconds;

/** Zones in which the job may run, the likeliest first: the application's, the server's, this computer's (R13). */
export const zonesNear = ({ application, whole: { timezone, machineTimezone } }: MonitorPolicy): string[] =>
  [application.timezone ?? timezone, timezone, machineTimezone ?? timezone].filter(
    (zone, place, all) => all.indexOf(zone) === place,
  );

/** The configured name, the declared one, or one made from the key: `nightly-backup` becomes `Nightly backup`. */
export const monitorName = ({ own, key }: MonitorPolicy, { name }: Pick<Declared, "name">): string =>
  own.name ?? name ?? nameFromKey(key);

function nameFromKey(key: string): string {
  const words = key.replace(/[-_]+/g, " ").trim();
  return words === "" ? key : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The rule that says what mails to the monitor's address mean (R47); `null` means the usual rule. */
export const mailRuleOf = ({ own, declared }: MonitorPolicy): string | null => own.mailRule ?? declared.mailRule;

export const noteOf = ({ own, declared }: MonitorPolicy): string | null => own.note ?? declared.note;

/** The value of the nearest tier that has one: the monitor, its labels, its application, the team (R38). */
export function nearestTierValue<Name extends keyof Routing>(policy: MonitorPolicy, name: Name): Routing[Name] {
  const { own, declared, labelled, application, whole } = policy;
  const itself = own[name] ?? (name === "severity" ? (declared.severity as Routing[Name] | null) : null);
  return itself ?? labelled.find((said) => said[name] !== undefined)?.[name] ?? application[name] ?? whole.team[name];
}

export const severityOf = (policy: MonitorPolicy): Severity => nearestTierValue(policy, "severity") ?? "error";

/**
 * What messages say of the monitor besides its trouble. Owner, severity, environment and each link come from the
 * nearest tier that has one (R38). `named` is the application's name given by a person; a configured name comes before
 * it (R31).
 */
export function presentationOf(policy: MonitorPolicy, named: string | null = null): Presentation {
  const { own, labelled, application, whole } = policy;
  return {
    applicationName: application.name ?? named,
    teamName: whole.team.name,
    owner: nearestTierValue(policy, "owner") ?? null,
    severity: severityOf(policy),
    environment: nearestTierValue(policy, "environment") ?? null,
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
