// The policy: the configuration's rules for monitors and alerts as plain values, laid over what jobs declare (R31). It
// decides where an alert goes (R38). Pure; does not read the configuration.

import type { AlertKind } from "../message/alert.ts";
import type { Presentation, Severity } from "../message/presentation.ts";
import type { Reminders } from "../monitor/incident.ts";
import type { Watch } from "../monitor/monitor.ts";
import type { Expectations } from "../monitor/outcomes.ts";
import type { MaintenanceWindow } from "../schedule/maintenance.ts";
import type { PlannedMaintenance } from "./planned.ts";
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

/** Who owns an alert and how bad it is. An absent value comes from the next tier: monitor, application, team (R38). */
export interface Labels {
  readonly owner?: string;
  readonly severity?: Severity;
  readonly environment?: string;
  readonly links?: Readonly<Record<string, string>>;
}

export type Routing = Labels & Readonly<{ destinations?: readonly string[] }>;

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

export type Member = Readonly<{ name: string; email: string; events: readonly MemberEvent[] }>;

/**
 * A table of the configuration that an operation keeps (R31), such as `destinations.phone`: the text behind each of its
 * keys, as a variable of the environment would have it.
 */
export type KeptTable = Readonly<{ path: string; settings: Readonly<Record<string, string>> }>;

/** A destination as routing sees it; the notifier knows how to send there. */
export type DestinationRules =
  /** One message for each recipient, a mail address; null: for the team's members, by their preferences. */
  | { readonly takes: "mail"; readonly recipients: readonly string[] | null }
  /** One message for everybody who reads there. */
  | { readonly takes: "messages" }
  /** It keeps its own incidents, and pages until a person acknowledges them there (R23). */
  | { readonly takes: "incidents" };

/** The last tier: holds unless a monitor or an application says otherwise (R38). */
export interface Team extends Labels {
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
  readonly team: Team;
  readonly destinations: ReadonlyMap<string, DestinationRules>;
  readonly applications: ReadonlyMap<string, ApplicationRules>;
  /** What people planned beside it (R24), by the application's slug; left out: nothing. */
  readonly planned?: ReadonlyMap<string, readonly PlannedMaintenance[]>;
}

/** One address of an alert; `recipient` is a mail address for e-mail and null for everything else. */
export type Route = Readonly<{ destination: string; recipient: string | null }>;

/** The policy for one monitor: resolved once, when we load or create the monitor, and used from then on. */
export type MonitorPolicy = Readonly<{
  key: string;
  own: MonitorRules;
  application: ApplicationRules;
  whole: Policy;
  planned: readonly PlannedMaintenance[];
}>;

const NO_RULES: MonitorRules = {};
const NO_PLANS: readonly PlannedMaintenance[] = [];
const NO_APPLICATION: ApplicationRules = { monitors: new Map() };

/** An application or a monitor that the configuration does not name has no rules of its own. */
export function monitorPolicy(policy: Policy, application: string, key: string): MonitorPolicy {
  const rules = policy.applications.get(application) ?? NO_APPLICATION;
  const planned = policy.planned?.get(application)?.filter(({ reaches }) => reaches(key)) ?? NO_PLANS;
  return { key, own: rules.monitors.get(key) ?? NO_RULES, application: rules, whole: policy, planned };
}

/** For a monitor that the configuration does not name: the application's rules alone. */
export const applicationPolicy = (policy: Policy, application: string): MonitorPolicy =>
  monitorPolicy(policy, application, "");

/** The maintenance that the configuration sets for a monitor: its application's, and its own. */
export const configuredWindows = ({ own, application }: Pick<MonitorPolicy, "own" | "application">) =>
  application.maintenance === undefined || application.maintenance.length === 0
    ? (own.maintenance ?? DEFAULTS.maintenance)
    : [...application.maintenance, ...(own.maintenance ?? [])];

/** The value to apply: the configured one, else the declared one, else the default (R13, R31, R42). */
function toApply({ own, application, whole, planned }: MonitorPolicy, declared: Declared): AppliedValues {
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

/** What is in force where this was applied; the rest is today's configuration (R23, R41). */
export function watchUnder({ own, whole }: MonitorPolicy, applied: AppliedValues): Watch {
  const last = LAST_WATCHES.get(applied);
  if (last !== undefined && last.own === own && last.whole === whole) return last.watch;
  // Assigned, not spread: a second spread takes three times as long.
  const watch: Omit<Watch, CountField> & { -readonly [Field in CountField]?: number } = {
    ...applied,
    reminders: whole.reminders,
  };
  for (const field of COUNT_FIELDS) watch[field] = own[field] ?? DEFAULTS[field];
  LAST_WATCHES.set(applied, { own, whole, watch: watch as Watch });
  return watch as Watch;
}

/** Monitors of which jobs report share what was applied, where it is the same: a report seldom makes another. */
const LAST_WATCHES = new WeakMap<AppliedValues, Pick<MonitorPolicy, "own" | "whole"> & { readonly watch: Watch }>();

export const watchOf = (policy: MonitorPolicy, declared: Declared): Watch =>
  watchUnder(policy, toApply(policy, declared));

/** Whether a start makes a monitor of these rules, if there is none. */
export const isMadeAtStart = (rules: MonitorRules | undefined): boolean =>
  rules?.schedule !== undefined || rules?.everySeconds !== undefined;

/** What a monitor's completions must report (R27); empty: nothing. */
export const expectationsOf = ({ own }: MonitorPolicy): Expectations => own.outcomes ?? DEFAULTS.outcomes;

/** How often we drill the monitor's alerts, in seconds; null: it is no drill monitor. */
export const drillEveryOf = ({ own }: MonitorPolicy): number | null =>
  own.drillEverySeconds ?? DEFAULTS.drillEverySeconds;

/** How many monitors of an application may be active at once (R34); Infinity without a limit. */
export function mostActiveOf(policy: Policy, application: string): number {
  const most = policy.applications.get(application)?.maxActiveMonitors ?? 0;
  return most === 0 ? Number.POSITIVE_INFINITY : most;
}

/** The zones in use here, the likeliest for its jobs first: the application's, the server's, this computer's (R13). */
export const zonesNear = ({ application, whole: { timezone, machineTimezone } }: MonitorPolicy): string[] => [
  ...new Set([application.timezone ?? timezone, timezone, machineTimezone ?? timezone]),
];

/** The name that people read: configured, declared, or made from the key (`nightly-backup`: `Nightly backup`). */
export const nameOf = ({ own, key }: MonitorPolicy, { name }: Pick<Declared, "name">): string =>
  own.name ?? name ?? nameFromKey(key);

function nameFromKey(key: string): string {
  const words = key.replace(/[-_]+/g, " ").trim();
  return words === "" ? key : words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the nearest tier that says it says (R38); undefined: none does. */
export const labelOf = <Name extends keyof Labels>(
  { own, application, whole: { team } }: MonitorPolicy,
  name: Name,
): Labels[Name] => own[name] ?? application[name] ?? team[name];

/**
 * Names of application and team; owner, severity, environment and each link of the nearest tier with one (R38).
 * `named`: what a person calls the application, which the configuration's name hides (R31).
 */
export function presentationOf(policy: MonitorPolicy, named: string | null = null): Presentation {
  const { own, application, whole } = policy;
  return {
    applicationName: application.name ?? named,
    teamName: whole.team.name,
    owner: labelOf(policy, "owner") ?? null,
    severity: labelOf(policy, "severity") ?? "error",
    environment: labelOf(policy, "environment") ?? null,
    links: { ...whole.team.links, ...application.links, ...own.links },
  };
}

/**
 * Where an alert goes. `told`: the routes on which its incident was reported, for an alert that goes only there. Null:
 * no one here wants it, and we need not write it.
 */
export function alertRoutesOf(policy: MonitorPolicy, kind: AlertKind, told: () => readonly Route[]): Route[] | null {
  if (kind !== "Acknowledged") return routesOf(policy, kind);
  const { destinations } = policy.whole;
  const pagers = told().filter(({ destination }) => destinations.get(destination)?.takes === "incidents");
  return pagers.length === 0 ? null : pagers;
}

/** Where an alert of this kind goes: to the monitor's destinations, else the application's, else the team's (R38). */
export const routesOf = (policy: MonitorPolicy, kind: MemberEvent): Route[] =>
  routesFor(policy, ({ events }) => events.includes(kind));

/** Where a notice about a monitor goes: like its alerts, but by mail to every member, whatever they prefer (R38). */
export const noticeRoutesOf = (policy: MonitorPolicy): Route[] => routesFor(policy, () => true);

/** Where the team's own alerts would go: the alerts of an application without any configuration. */
export const teamRoutes = (policy: Policy): Route[] => noticeRoutesOf(applicationPolicy(policy, ""));

/** Everybody whom a destination reaches, whatever the members' preferences; null: no destination has this name. */
export const routesAt = (policy: Policy, destination: string): Route[] | null =>
  policy.destinations.has(destination) ? routesTo(policy, destination, () => true) : null;

/**
 * The names of the destinations at which a monitor's alerts arrive. Asked for by each report, so kept by what names
 * them.
 */
export function alertDestinations(policy: MonitorPolicy): ReadonlySet<string> {
  const named = namesIn(policy);
  const kept = ALERT_DESTINATIONS.get(policy.whole) ?? new WeakMap<readonly string[], ReadonlySet<string>>();
  ALERT_DESTINATIONS.set(policy.whole, kept);
  const known = kept.get(named) ?? new Set(routesOf(policy, "InitialFailure").map(({ destination }) => destination));
  kept.set(named, known);
  return known;
}

const ALERT_DESTINATIONS = new WeakMap<Policy, WeakMap<readonly string[], ReadonlySet<string>>>();

/** Names of destinations: the monitor's, else its application's, else the team's (R38). */
const namesIn = ({ own, application, whole }: MonitorPolicy): readonly string[] =>
  own.destinations ?? application.destinations ?? whole.team.destinations;

function routesFor(policy: MonitorPolicy, wants: Wants): Route[] {
  return [...new Set(namesIn(policy))].flatMap((name) => routesTo(policy.whole, name, wants));
}

function routesTo(policy: Policy, name: string, wants: Wants): Route[] {
  const reached = addressesAt(policy, name, wants).filter(({ leftOut }) => leftOut === null);
  return [...new Set(reached.map(({ recipient }) => recipient))].map((recipient) => ({ destination: name, recipient }));
}

type Wants = (member: Member) => boolean;

/** `person`: the member who has this mail address; null: none. `leftOut`: why an alert does not go there. */
export type RoutedAddress = Route & Readonly<{ person: string | null; leftOut: "events" | "elsewhere" | null }>;

/** All that the configuration names; `elsewhere`: the monitor's alerts go to other destinations (R38). */
export function addressesOf(policy: MonitorPolicy, kind: MemberEvent): RoutedAddress[] {
  const named = new Set(namesIn(policy));
  return [...policy.whole.destinations.keys()].flatMap((name) =>
    addressesAt(policy.whole, name, ({ events }) => events.includes(kind)).map((address) =>
      named.has(name) ? address : { ...address, leftOut: "elsewhere" },
    ),
  );
}

function addressesAt({ destinations, team }: Policy, destination: string, wants: Wants): RoutedAddress[] {
  const rules = destinations.get(destination);
  if (rules === undefined) return [];
  if (rules.takes !== "mail") return [{ destination, recipient: null, person: null, leftOut: null }];
  const { recipients } = rules;
  if (recipients === null)
    return team.members.map((member) => {
      const { email: recipient, name: person } = member;
      return { destination, recipient, person, leftOut: wants(member) ? null : "events" };
    });
  const nameAt = (recipient: string) => team.members.find(({ email }) => email === recipient)?.name ?? null;
  return recipients.map((recipient) => ({ destination, recipient, person: nameAt(recipient), leftOut: null }));
}
