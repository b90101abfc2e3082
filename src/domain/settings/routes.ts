// Where alerts and notices about a monitor go (R38). Pure.

import type { Alert, AlertKind } from "../message/alert.ts";
import type { Severity } from "../message/presentation.ts";
import { type Instant, SECOND } from "../time.ts";
import { WELL_FOR } from "./flapping.ts";
import { type Hearing, heardFrom, isAtLeast } from "./hearing.ts";
import {
  applicationPolicy,
  type Member,
  type MemberEvent,
  type MonitorPolicy,
  nearestOf,
  type Policy,
  type Route,
  severityOf,
} from "./policy.ts";

/** `notBefore`: it waits for this instant; left out: it is sent at once. */
export type AlertRoute = Route & Readonly<{ notBefore?: Instant }>;

/**
 * Where an alert goes, and from when on. `told`: the routes on which its incident was reported, for an alert that goes
 * only there. A reminder does not wait: in the morning the message of the trouble itself is news enough. Null: no one
 * here wants it, and we need not write it.
 */
export function alertRoutesOf(
  policy: MonitorPolicy,
  { kind, reason, flaps }: Pick<Alert, "kind" | "reason"> & Pick<Heard, "flaps">,
  at: Instant,
  told: () => readonly Route[],
): AlertRoute[] | null {
  const { destinations } = policy.whole;
  if (kind === "Acknowledged") {
    const pagers = told().filter(({ destination }) => destinations.get(destination)?.takes === "incidents");
    return pagers.length === 0 ? null : pagers;
  }
  const wanted = routesOf(policy, kind, kind === "Recovered" ? told : undefined);
  const routes = wanted.flatMap((route): AlertRoute[] => {
    const hears = hearingAt(policy.whole, route.destination);
    if (hears === HEARS_ALL && !flaps) return [route];
    const wasTold = () =>
      told().some((one) => one.destination === route.destination && one.recipient === route.recipient);
    if (hears.afterSeconds !== undefined && !isOpening(kind) && !wasTold()) return [];
    const heard = heardOn(route, policy.whole, { kind, severity: severityOf(policy), flaps }, at);
    return reason === "reminder" && heard.notBefore !== undefined ? [] : [heard];
  });
  return routes.length === 0 && wanted.length > 0 ? null : routes;
}

export const isOpening = (kind: AlertKind): boolean => kind === "InitialFailure" || kind === "NeverExecuted";

const HEARS_ALL: Hearing = {};

export const hearingAt = ({ destinations }: Policy, name: string): Hearing =>
  destinations.get(name)?.hears ?? HEARS_ALL;

/** As whom answers are taken that come from there: the member's person, else the destination's; null: none are. */
export function answersAs({ destinations, team }: Policy, { destination, recipient }: Route): string | null {
  const rules = destinations.get(destination);
  const member = recipient === null ? undefined : team.members.find(({ email }) => email === recipient);
  return rules === undefined ? null : (member?.answers ?? rules.answers ?? null);
}

/** All of them. */
export function answerersOf({ destinations, team }: Policy, destination: string): string[] {
  const rules = destinations.get(destination);
  const members = rules?.takes === "mail" ? team.members : [];
  return [rules, ...members].flatMap((one) => one?.answers ?? []);
}

/** `kind` null: no alert, but a warning. `flaps`: the recovery of a job that has failed again and again. */
export type Heard = Readonly<{ kind: AlertKind | null; severity: Severity; flaps?: boolean | undefined }>;

/** Whether people read there, who want one message and not one for each time. */
const isDamped = ({ destinations }: Policy, name: string): boolean =>
  ["messages", "mail", "people"].includes(destinations.get(name)?.takes ?? "");

/** The route of what is written at `at`, and from when on its destination hears of that. */
function heardOn<To extends Pick<Route, "destination">>(
  route: To,
  whole: Policy,
  { kind, severity, flaps = false }: Heard,
  at: Instant,
): To & Pick<AlertRoute, "notBefore"> {
  const hears = hearingAt(whole, route.destination);
  const later = kind !== null && isOpening(kind) ? (hears.afterSeconds ?? 0) * SECOND : 0;
  const due = at + (flaps && isDamped(whole, route.destination) ? WELL_FOR : later);
  const notBefore = heardFrom(hears, severity, whole.timezone, due);
  return notBefore === at ? route : { ...route, notBefore };
}

/** From when on a destination hears of what is written at `at`. */
export const heardBy =
  (whole: Policy) =>
  (destination: string, heard: Heard, at: Instant): Instant =>
    heardOn({ destination }, whole, heard, at).notBefore ?? at;

/** The destinations that hear only of what no one has acknowledged. */
export const laterDestinations = ({ destinations }: Policy): string[] =>
  [...destinations].flatMap(([name, { hears }]) => (hears?.afterSeconds === undefined ? [] : [name]));

/**
 * Where an alert of this kind goes: to the destinations of the nearest tier that names some (R38). `told`: the routes
 * on which the trouble was told, for its end: that goes there also when the trouble is less bad by then.
 */
export const routesOf = (policy: MonitorPolicy, kind: MemberEvent, told?: () => readonly Route[]): Route[] =>
  routesFor(policy, ({ events }) => events.includes(kind), told);

/**
 * Where a notice about a monitor goes: like its alerts, but by mail to every member, whatever they prefer, and at once
 * (R38). No one acknowledges a notice.
 */
export const noticeRoutesOf = (policy: MonitorPolicy): Route[] =>
  routesFor(policy, () => true).filter(
    ({ destination }) => hearingAt(policy.whole, destination).afterSeconds === undefined,
  );

/** Where a warning about a monitor goes that is no alert: as its alerts in trouble do, after quiet hours too. */
export const warningRoutesOf = (policy: MonitorPolicy, at: Instant): AlertRoute[] =>
  noticeRoutesOf(policy).map((route) => heardOn(route, policy.whole, { kind: null, severity: "warning" }, at));

/** Where the team's own alerts would go: the alerts of an application without any configuration. */
export const teamRoutes = (policy: Policy): Route[] => noticeRoutesOf(applicationPolicy(policy, ""));

/**
 * Everybody whom a destination reaches, whatever the members' preferences; null: no destination has this name. `slug`:
 * of the application that the message is about; "": about none, so who may not see all does not get it.
 */
export const routesAt = (policy: Policy, destination: string, slug = ""): Route[] | null =>
  policy.destinations.has(destination) ? routesTo({ whole: policy, slug }, destination, () => true) : null;

/**
 * The names of the destinations at which a monitor's alerts arrive. Asked for by each report, so kept by what names
 * them.
 */
export function alertDestinations(policy: MonitorPolicy): ReadonlySet<string> {
  const named = namesIn(policy);
  const kept = ALERT_DESTINATIONS.get(policy.whole) ?? new WeakMap<readonly string[], Map<string, Set<string>>>();
  ALERT_DESTINATIONS.set(policy.whole, kept);
  const byKind = kept.get(named) ?? new Map<string, Set<string>>();
  kept.set(named, byKind);
  const kind = `${severityOf(policy)} ${policy.slug} ${nearestOf(policy, "environment") ?? ""}`;
  const known = byKind.get(kind) ?? new Set(routesOf(policy, "InitialFailure").map(({ destination }) => destination));
  byKind.set(kind, known);
  return known;
}

const ALERT_DESTINATIONS = new WeakMap<Policy, WeakMap<readonly string[], Map<string, Set<string>>>>();

/** Names of destinations (R38). */
const namesIn = (policy: MonitorPolicy): readonly string[] => nearestOf(policy, "destinations")!;

/** And, unless none is named, those that people have switched on for themselves. */
function namesHeard(policy: MonitorPolicy): ReadonlySet<string> {
  const named = namesIn(policy);
  const { destinations, notified = [] } = policy.whole;
  if (named.length === 0 || notified.length === 0) return new Set(named);
  return new Set([...named, ...[...destinations].flatMap(([name, { takes }]) => (takes === "people" ? [name] : []))]);
}

function routesFor(policy: MonitorPolicy, wants: Wants, told: () => readonly Route[] = () => []): Route[] {
  const heard = [...namesHeard(policy)].filter(
    (name) => unheardAt(policy, name) === null || told().some(({ destination }) => destination === name),
  );
  return heard.flatMap((name) => routesTo(policy, name, wants));
}

/** Whether it names destinations of which some would hear of it, were it worse or of another environment. */
export const isLeftOut = (policy: MonitorPolicy): boolean =>
  namesIn(policy).some((name) => unheardAt(policy, name) !== null);

/** Why this destination hears nothing of this monitor; null: it does. */
function unheardAt(policy: MonitorPolicy, destination: string): "severity" | "environment" | null {
  const { severity, environments } = hearingAt(policy.whole, destination);
  if (severity !== undefined && !isAtLeast(severityOf(policy), severity)) return "severity";
  return environments?.includes(nearestOf(policy, "environment") ?? "") === false ? "environment" : null;
}

type Whose = Pick<MonitorPolicy, "whole" | "slug">;

function routesTo(policy: Whose, name: string, wants: Wants): Route[] {
  const reached = addressesAt(policy, name, wants).filter(({ leftOut }) => leftOut === null);
  return [...new Set(reached.map(({ recipient }) => recipient))].map((recipient) => ({ destination: name, recipient }));
}

type Wants = (member: Member) => boolean;

/** Why an alert does not go somewhere; `elsewhere`: the monitor's alerts go to other destinations (R38). */
export type LeftOut = "events" | "elsewhere" | "severity" | "environment";

/** `person`: the member who has this mail address; null: none. `leftOut`: null: an alert goes there. */
export type RoutedAddress = Route & Readonly<{ person: string | null; leftOut: LeftOut | null }>;

/** All that the configuration names. */
export function addressesOf(policy: MonitorPolicy, kind: MemberEvent): RoutedAddress[] {
  const named = namesHeard(policy);
  return [...policy.whole.destinations.keys()].flatMap((name) =>
    addressesAt(policy, name, ({ events }) => events.includes(kind)).map((address) =>
      named.has(name)
        ? { ...address, leftOut: unheardAt(policy, name) ?? address.leftOut }
        : { ...address, leftOut: "elsewhere" },
    ),
  );
}

function addressesAt({ whole, slug }: Whose, destination: string, wants: Wants): RoutedAddress[] {
  const { destinations, team, notified = [] } = whole;
  const rules = destinations.get(destination);
  if (rules === undefined) return [];
  if (rules.takes === "people")
    return notified
      .filter(({ applications }) => applications === null || applications.includes(slug))
      .map(({ name }) => ({ destination, recipient: name, person: null, leftOut: null }));
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
