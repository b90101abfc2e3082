// Where alerts and notices about a monitor go (R38). Pure.

import type { AlertKind } from "../message/alert.ts";
import type { Severity } from "../message/presentation.ts";
import { DAY, type Instant } from "../time.ts";
import { type Hearing, isAtLeast } from "./hearing.ts";
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
import { onCall, type Rota } from "./rota.ts";

/** `via`: the rota by which the alert goes there; null when the destination is named itself. */
export type AlertRoute = Route & Readonly<{ via: string | null }>;

/**
 * Who is entitled to an alert and wants it. `told`: who knows of the trouble of its incident. An end goes to them too,
 * whatever has changed since; an acknowledgement goes to pagers among them alone.
 */
export function alertRoutesOf(
  policy: MonitorPolicy,
  kind: AlertKind,
  at: Instant,
  told: readonly AlertRoute[],
): readonly AlertRoute[] {
  if (kind === "Acknowledged")
    return told.filter(({ destination }) => policy.whole.destinations.get(destination)?.takes === "incidents");
  if (kind === "Recovered") return freshRoutes(policy, kind, at, told);
  const { routes } = keptReach(policy, at);
  const known = routes.get(kind);
  if (known !== undefined) return known;
  const fresh = freshRoutes(policy, kind, at, NONE);
  routes.set(kind, fresh);
  return fresh;
}

function freshRoutes(policy: MonitorPolicy, kind: MemberEvent, at: Instant, told: readonly AlertRoute[]): AlertRoute[] {
  const hearers = hearersOf(policy, at, told);
  return routesFor(policy, hearers, ({ events }) => events.includes(kind)).map((route) => withRota(route, hearers));
}

const withRota = (route: Route, hearers: ReadonlyMap<string, Hearer>): AlertRoute => ({
  ...route,
  via: hearers.get(route.destination)?.rota?.name ?? null,
});

const HEARS_ALL: Hearing = {};

const hearingAt = ({ destinations }: Policy, name: string): Hearing => destinations.get(name)?.hears ?? HEARS_ALL;

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

const NONE: readonly never[] = [];

/** Where an alert of this kind goes: to the destinations of the nearest tier that names some (R38). Null: as below. */
export const routesOf = (policy: MonitorPolicy, kind: MemberEvent, at: Instant | null): Route[] =>
  routesFor(policy, hearersOf(policy, at), ({ events }) => events.includes(kind));

/**
 * Where a notice about a monitor goes: like its alerts, but by mail to every member, whatever they prefer, and at once
 * (R38). No one acknowledges a notice.
 */
export function noticeRoutesOf(policy: MonitorPolicy, at: Instant): Route[] {
  const hearers = [...hearersOf(policy, at)].filter(([, { hears }]) => hears.afterSeconds === undefined);
  return routesFor(policy, new Map(hearers), () => true);
}

/** Where a warning about a monitor goes that is no alert: as its alerts in trouble do, after quiet hours too. */
export function warningRoutesOf(policy: MonitorPolicy, at: Instant): AlertRoute[] {
  const hearers = hearersOf(policy, at);
  return noticeRoutesOf(policy, at).map((route) => withRota(route, hearers));
}

/** Where the team's own alerts would go: the alerts of an application without any configuration. */
export const teamRoutes = (policy: Policy, at: Instant): Route[] => noticeRoutesOf(applicationPolicy(policy, ""), at);

/**
 * Everybody whom a destination reaches, whatever the members' preferences; null: no destination has this name. `slug`:
 * of the application that the message is about; "": about none, so who may not see all does not get it. A rota reaches
 * whom its turns reach.
 */
export const routesAt = (policy: Policy, destination: string, slug = ""): Route[] | null =>
  policy.rotas?.has(destination)
    ? [...new Set(policy.rotas.get(destination)!.turns)].flatMap((turn) => routesAt(policy, turn, slug) ?? [])
    : policy.destinations.has(destination)
      ? routesTo({ whole: policy, slug }, destination, () => true)
      : null;

/** Where a monitor's alerts arrive. `isLeftOut`: it names some that would hear of it, were it worse or elsewhere. */
export type Reached = Readonly<{ names: ReadonlySet<string>; isLeftOut: boolean }>;

/** Where they arrive at `at`; null: of a rota's turns each. */
export const reachOf = (policy: MonitorPolicy, at: Instant | null): Reached =>
  at === null ? reachedAt(policy, at) : keptReach(policy, at);

/** Each report and each alert asks for it, so it is kept for all monitors that share what decides it. */
function keptReach(policy: MonitorPolicy, at: Instant): KeptReach {
  const { whole, slug } = policy;
  const severity = severityOf(policy);
  const environment = nearestOf(policy, "environment");
  const kept = keptAt(namesIn(policy), slug);
  for (const one of kept) {
    const isAlike = one.whole === whole && one.severity === severity && one.environment === environment;
    if (isAlike && one.from <= at && at < one.until) return one;
  }
  const news: KeptReach = {
    ...reachedAt(policy, at),
    whole,
    severity,
    environment,
    from: at,
    until: turnsUntil(whole, at),
    routes: new Map(),
  };
  const others = kept.filter((one) => one.whole === whole && at < one.until);
  kept.splice(0, kept.length, news, ...others.slice(0, KEPT - 1));
  return news;
}

const reachedAt = (policy: MonitorPolicy, at: Instant | null): Reached => ({
  names: new Set(routesOf(policy, "InitialFailure", at).map(({ destination }) => destination)),
  isLeftOut: [...hearersOf(policy, null).values()].some(({ leftOut }) => leftOut !== null),
});

/** Until when each rota's turn is the same. */
const turnsUntil = ({ rotas, timezone }: Policy, at: Instant): Instant =>
  Math.min(...[...(rotas?.values() ?? NONE)].map((rota) => onCall(rota, timezone, at).until));

type KeptReach = Reached &
  Readonly<{ whole: Policy; severity: Severity; environment: string | undefined }> & {
    readonly from: Instant;
    readonly until: Instant;
    /** Where alerts of each kind go that has been asked for, but for ends, which also go where trouble was told. */
    readonly routes: Map<AlertKind, readonly AlertRoute[]>;
  };

/** By the names in a route, and by application. */
const REACHES = new WeakMap<readonly string[], Map<string, KeptReach[]>>();
/** Severities and environments of an application; more are worked out again. */
const KEPT = 16;

function keptAt(named: readonly string[], slug: string): KeptReach[] {
  const bySlug = REACHES.get(named) ?? new Map<string, KeptReach[]>();
  if (bySlug.size === 0) REACHES.set(named, bySlug);
  const kept = bySlug.get(slug) ?? [];
  if (kept.length === 0) bySlug.set(slug, kept);
  return kept;
}

/** Names of destinations (R38). */
const namesIn = (policy: MonitorPolicy): readonly string[] => nearestOf(policy, "destinations")!;

/** And, unless none is named, those that people have switched on for themselves. */
function namesHeard(policy: MonitorPolicy): ReadonlySet<string> {
  const named = namesIn(policy);
  const { destinations, notified = [] } = policy.whole;
  if (named.length === 0 || notified.length === 0) return new Set(named);
  return new Set([...named, ...[...destinations].flatMap(([name, { takes }]) => (takes === "people" ? [name] : []))]);
}

/** A destination that is named, and the rota by which it is. `leftOut`: why it hears nothing of this; null: it does. */
type Hearer = Readonly<{ hears: Hearing; rota: Rota | null; leftOut: ReturnType<typeof unheardAt> }>;

/**
 * By name. `at`: a rota is the destination whose week it is; null: each of its turns. `told`: where the trouble was
 * told, for its end: that goes there also when the trouble is less bad by then, the week is another's, or no list
 * names it any more.
 */
function hearersOf(policy: MonitorPolicy, at: Instant | null, told: readonly Route[] = NONE) {
  const { whole } = policy;
  const isTold = (name: string): boolean => told.some(({ destination }) => destination === name);
  const hearerAt = (name: string, rota: Rota | null): [string, Hearer] => {
    const hears = hearingFor(whole, name, rota);
    const unheard = unheardAt(policy, hears);
    return [name, { hears, rota, leftOut: unheard === null || isTold(name) ? null : unheard }];
  };
  const hearers = [...namesHeard(policy)].flatMap((name) => {
    const rota = whole.rotas?.get(name);
    if (rota === undefined) return [hearerAt(name, null)];
    const turns = at === null ? rota.turns : rota.turns.filter(isTold);
    const its = turns.length === 0 && at !== null ? [onCall(rota, whole.timezone, at).name] : turns;
    return its.map((turn) => hearerAt(turn, rota));
  });
  const known = new Set(hearers.map(([name]) => name));
  for (const { destination: name } of told)
    if (!known.has(name) && whole.destinations.has(name)) hearers.push(hearerAt(name, null));
  // Of one that is named twice, the way counts by which it hears, and hears first.
  const last = ({ hears, leftOut }: Hearer): number => (leftOut === null ? (hears.afterSeconds ?? 0) : DAY);
  return new Map(hasRotas(whole) ? hearers.toSorted(([, a], [, b]) => last(b) - last(a)) : hearers);
}

const hasRotas = ({ rotas }: Policy): boolean => rotas !== undefined && rotas.size > 0;

/** What a rota says goes before what its turn says itself. */
export const hearingFor = (whole: Policy, name: string, rota: Rota | null): Hearing =>
  rota === null ? hearingAt(whole, name) : { ...hearingAt(whole, name), ...rota.hears };

const routesFor = (policy: MonitorPolicy, hearers: ReadonlyMap<string, Hearer>, wants: Wants): Route[] =>
  [...hearers].flatMap(([name, { leftOut }]) => (leftOut === null ? routesTo(policy, name, wants) : []));

/** Why who hears this hears nothing of this monitor; null: it does. */
function unheardAt(policy: MonitorPolicy, { severity, environments }: Hearing): "severity" | "environment" | null {
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
export type LeftOut = "events" | "elsewhere" | "severity" | "environment" | "turn";

/** `person`: the member who has this mail address; null: none. `leftOut`: null: an alert goes there. */
type NamedAddress = Route & Readonly<{ person: string | null; leftOut: LeftOut | null }>;

export type RoutedAddress = NamedAddress & Pick<Hearer, "hears" | "rota">;

/** All that the configuration names, as it is at `at`. */
export function routedAddresses(policy: MonitorPolicy, kind: MemberEvent, at: Instant): RoutedAddress[] {
  const [now, ever] = [hearersOf(policy, at), hearersOf(policy, null)];
  return [...policy.whole.destinations.keys()].flatMap((name) => {
    const { hears = hearingAt(policy.whole, name), rota = null } = now.get(name) ?? ever.get(name) ?? {};
    const elsewhere = rota === null ? "elsewhere" : "turn";
    return addressesAt(policy, name, ({ events }) => events.includes(kind)).map((address) => {
      const leftOut = now.has(name) ? (now.get(name)!.leftOut ?? address.leftOut) : elsewhere;
      return { ...address, leftOut, hears, rota };
    });
  });
}

function addressesAt({ whole, slug }: Whose, destination: string, wants: Wants): NamedAddress[] {
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
