// The policy: the configuration's rules for monitors and alerts as plain values, laid over what jobs declare (R31).
// Pure; does not read the configuration.

import type { AlertKind } from "../message/alert.ts";
import type { Presentation, Severity } from "../message/presentation.ts";
import type { Reminders } from "../monitor/incident.ts";
import type { Watch } from "../monitor/monitor.ts";
import type { Expectations } from "../monitor/outcomes.ts";
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

/** Who owns an alert and how bad it is. An absent value comes from the next tier (R38). */
export interface Ownership {
  readonly owner?: string;
  readonly severity?: Severity;
  readonly environment?: string;
  /** Whether runs that take much longer or shorter than usual are told. */
  readonly unusual?: "tell" | "leave";
  readonly links?: Readonly<Record<string, string>>;
}

export type Routing = Ownership & Readonly<{ destinations?: readonly string[] }>;

/** The configuration's rules for a monitor: its settings, and how its alerts are sent. */
export interface MonitorRules extends ConfiguredValues, Routing {}

export interface ApplicationRules extends Routing {
  readonly name?: string;
  readonly timezone?: string;
  /** R24: windows of all its monitors. */
  readonly maintenance?: readonly MaintenanceWindow[];
  /** R34: how many of its monitors may be active at once; absent or 0: no limit. */
  readonly maxActiveMonitors?: number;
  /** R46: whether the output of failures is kept; absent: it is not. */
  readonly keepOutput?: boolean;
  /** R46: regular expressions for what failures must not show; absent or empty: none. */
  readonly mask?: readonly string[];
  readonly monitors: ReadonlyMap<string, MonitorRules>;
}

/** The events that members of the team choose from; only pagers receive acknowledgements. */
export type MemberEvent = Exclude<AlertKind, "Acknowledged">;

/** `answers`: the person as whom answers to the mail are taken; left out: none are. */
export type Member = Readonly<{ name: string; email: string; events: readonly MemberEvent[]; answers?: string }>;

/** A destination as routing sees it; the notifier knows how to send there. */
export type DestinationRules = Readonly<{ hears?: Hearing; answers?: string }> & DestinationTakes;

type DestinationTakes =
  /** One message for each recipient, a mail address; null: for the team's members, by their preferences. */
  | { readonly takes: "mail"; readonly recipients: readonly string[] | null }
  /** One message for everybody who reads there. */
  | { readonly takes: "messages" }
  /** Each alert as it comes: a machine reads it. */
  | { readonly takes: "events" }
  /** One message for each person who has it on, of the applications that the person may see, whatever lists name. */
  | { readonly takes: "people" }
  /** It keeps its own incidents, and pages until a person acknowledges them there (R23). */
  | { readonly takes: "incidents" };

/** The last tier: holds unless a monitor or an application says otherwise (R38). */
export interface Team extends Ownership {
  /** Null: it has none. */
  readonly name: string | null;
  readonly destinations: readonly string[];
  readonly members: readonly Member[];
}

export interface Policy {
  readonly timezone: string;
  /** The zone of the computer we run on; null: not known. */
  readonly machineTimezone: string | null;
  readonly reminders: Reminders;
  /** When a report of all jobs is sent, as a cron expression; null or left out: never. */
  readonly report?: string | null;
  /** Of one key's reports under version 1; left out: none. */
  readonly rateLimits?: readonly RateLimit[];
  readonly team: Team;
  readonly destinations: ReadonlyMap<string, DestinationRules>;
  /** Names in routes that stand for the destination whose week it is; left out: none. */
  readonly rotas?: ReadonlyMap<string, Rota>;
  readonly applications: ReadonlyMap<string, ApplicationRules>;
  /** What holds for monitors with a label (R38), by label; of several the first counts; left out: none. */
  readonly labels?: ReadonlyMap<string, Routing>;
  /** What people planned beside it (R24), by the application's slug; left out: nothing. */
  readonly planned?: ReadonlyMap<string, readonly PlannedMaintenance[]>;
  /** Who is notified in a browser, and of which applications alone (null: of all); left out: no one. */
  readonly notified?: readonly NotifiedPerson[];
}

export type NotifiedPerson = Pick<Person, "name" | "applications">;

/** The destination of people's browsers where the configuration has none of that name. */
export const BROWSERS = "webpush";
const BROWSERS_RULES: DestinationRules = { takes: "people" };

export function withNotified(policy: Policy, notified: readonly NotifiedPerson[]): Policy {
  const destinations = new Map([...policy.destinations].filter(([, rules]) => rules !== BROWSERS_RULES));
  if (notified.length > 0 && !destinations.has(BROWSERS)) destinations.set(BROWSERS, BROWSERS_RULES);
  return { ...policy, destinations, notified };
}

/** One address of an alert; `recipient`: a mail address, the name of who has browsers, or null for everything else. */
export type Route = Readonly<{ destination: string; recipient: string | null }>;

/** The policy for one monitor: resolved once, when we load or create the monitor, and used from then on. */
export type MonitorPolicy = Readonly<{
  slug: string;
  key: string;
  declared: Declared;
  own: MonitorRules;
  /** What its labels say, the nearest first. */
  labelled: readonly Routing[];
  application: ApplicationRules;
  whole: Policy;
  planned: readonly PlannedMaintenance[];
}>;

const NO_RULES: MonitorRules = {};
const NONE: readonly never[] = [];
const NO_APPLICATION: ApplicationRules = { monitors: new Map() };

/** An application or a monitor that the configuration does not name has no rules of its own. */
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

/** For a monitor that the configuration does not name, and that declares nothing: the application's rules alone. */
export const applicationPolicy = (policy: Policy, application: string): MonitorPolicy =>
  monitorPolicy(policy, application, "");

/** As they are kept; null: it has none, as where the configuration lists none (R31). */
export const labelsOf = ({ own, declared }: Pick<MonitorPolicy, "own" | "declared">): string | null =>
  (own.labels ?? declared.labels) || null;

/** The maintenance that the configuration sets for a monitor: its application's, and its own. */
export const configuredWindows = ({ own, application }: Pick<MonitorPolicy, "own" | "application">) =>
  application.maintenance === undefined || application.maintenance.length === 0
    ? (own.maintenance ?? DEFAULTS.maintenance)
    : [...application.maintenance, ...(own.maintenance ?? [])];

/** The value to apply: the configured one, else the declared one, else the default (R13, R31, R42). */
function toApply({ own, declared, application, whole, planned }: MonitorPolicy): AppliedValues {
  const otherwise = { ...DEFAULTS, timezone: application.timezone ?? whole.timezone };
  const watched = Object.fromEntries(
    WATCHED_FIELDS.map((field) => [field, own[field] ?? declared[field] ?? otherwise[field]]),
  ) as ValuesInForce<WatchedField>;
  // R44: of a schedule and an interval, one is in force: what is configured takes back the other that was declared.
  const [schedule, everySeconds] = RHYTHM_FIELDS.map((field) => own[field] !== undefined);
  const one = { ...(everySeconds ? { schedule: null } : {}), ...(schedule ? { everySeconds: null } : {}) };
  const configured = configuredWindows({ own, application });
  const maintenance = planned.length === 0 ? configured : [...configured, ...planned.map(({ window }) => window)];
  return { ...watched, ...one, maintenance };
}

/** What is in force where this was applied; the rest is as it is today (R23, R41). */
export function watchUnder({ own, declared, whole }: MonitorPolicy, applied: AppliedValues): Watch {
  const last = LAST_WATCHES.get(applied);
  if (last !== undefined && last.own === own && last.declared === declared && last.whole === whole) return last.watch;
  // Assigned, not spread: a second spread takes three times as long.
  const watch: Omit<Watch, CountField> & { -readonly [Field in CountField]?: number } = {
    ...applied,
    reminders: whole.reminders,
  };
  for (const field of COUNT_FIELDS) watch[field] = own[field] ?? declared[field] ?? DEFAULTS[field];
  LAST_WATCHES.set(applied, { own, declared, whole, watch: watch as Watch });
  return watch as Watch;
}

/** Monitors that declare the same share what was applied, so a report seldom makes another watch. */
const LAST_WATCHES = new WeakMap<AppliedValues, LastWatch>();
type LastWatch = Pick<MonitorPolicy, "own" | "declared" | "whole"> & { readonly watch: Watch };

export const watchOf = (policy: MonitorPolicy): Watch => watchUnder(policy, toApply(policy));

/** Whether a start makes a monitor of these rules, if there is none. */
export const isMadeAtStart = (rules: MonitorRules | undefined): boolean =>
  rules?.schedule !== undefined || rules?.everySeconds !== undefined;

/** What a monitor's completions must report (R27); empty: nothing. */
export const expectationsOf = ({ own }: MonitorPolicy): Expectations => own.outcomes ?? DEFAULTS.outcomes;

/** How often we drill the monitor's alerts, in seconds; null: it is no drill monitor. */
export const drillEveryOf = ({ own }: MonitorPolicy): number | null =>
  own.drillEverySeconds ?? DEFAULTS.drillEverySeconds;

/** The zones in use here, the likeliest for its jobs first: the application's, the server's, this computer's (R13). */
export const zonesNear = ({ application, whole: { timezone, machineTimezone } }: MonitorPolicy): string[] =>
  [application.timezone ?? timezone, timezone, machineTimezone ?? timezone].filter(
    (zone, place, all) => all.indexOf(zone) === place,
  );

/** The name that people read: configured, declared, or made from the key (`nightly-backup`: `Nightly backup`). */
export const monitorName = ({ own, key }: MonitorPolicy, { name }: Pick<Declared, "name">): string =>
  own.name ?? name ?? nameFromKey(key);

function nameFromKey(key: string): string {
  const words = key.replace(/[-_]+/g, " ").trim();
  return words === "" ? key : words.charAt(0).toUpperCase() + words.slice(1);
}

/** What to do when it fails; null: nothing is said. */
/** What mails to it mean (R47); null: what the usual words say. */
export const mailRuleOf = ({ own, declared }: MonitorPolicy): string | null => own.mailRule ?? declared.mailRule;

export const noteOf = ({ own, declared }: MonitorPolicy): string | null => own.note ?? declared.note;

/** What the nearest tier that says it says (R38): monitor, its labels, application, team; undefined: none does. */
export function nearestOf<Name extends keyof Routing>(policy: MonitorPolicy, name: Name): Routing[Name] {
  const { own, declared, labelled, application, whole } = policy;
  const itself = own[name] ?? (name === "severity" ? (declared.severity as Routing[Name] | null) : null);
  return itself ?? labelled.find((said) => said[name] !== undefined)?.[name] ?? application[name] ?? whole.team[name];
}

export const severityOf = (policy: MonitorPolicy): Severity => nearestOf(policy, "severity") ?? "error";

/**
 * Names of application and team; owner, severity, environment and each link of the nearest tier with one (R38).
 * `named`: what a person calls the application, which the configuration's name hides (R31).
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
