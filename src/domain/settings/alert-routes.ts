// Decides to which destinations and recipients the alerts and notices about a monitor go (R38). Pure.

import type { AlertKind } from "../message/alert.ts";
import type { Severity } from "../message/presentation.ts";
import { type Hearing, isAtLeast } from "../telling/hearing.ts";
import { onCall, type Rota } from "../telling/rota.ts";
import { DAY, type Instant } from "../time.ts";
import {
  applicationPolicy,
  type Member,
  type MemberEvent,
  type MonitorPolicy,
  memberAt,
  nearestTierValue,
  type Policy,
  type Route,
  severityOf,
} from "./policy.ts";

/** `via` is the rota by which the alert goes to the destination; `null` when a list names the destination itself. */
export type AlertRoute = Route & Readonly<{ via: string | null }>;

/**
 * Returns the routes of an alert of this kind. `told` holds the routes by which people were told of the incident's
 * trouble. The end of the incident goes there too, even if the configuration has changed since. An acknowledgement goes
 * only to the pagers in `told`.
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
  const receivers = receiversOf(policy, at, told);
  return routesFor(policy, receivers, ({ events }) => events.includes(kind)).map((route) => withRota(route, receivers));
}

const withRota = (route: Route, receivers: ReadonlyMap<string, Receiver>): AlertRoute => ({
  ...route,
  via: receivers.get(route.destination)?.rota?.name ?? null,
});

const HEARS_ALL: Hearing = {};

const hearingAt = ({ destinations }: Policy, name: string): Hearing => destinations.get(name)?.hears ?? HEARS_ALL;

const NONE: readonly never[] = [];

/**
 * Where an alert of this kind goes: to the nearest list of destinations, which is the monitor's own, its labels', its
 * application's or the team's (R38). With `at` `null`, a rota stands for all destinations that it names.
 */
export const routesOf = (policy: MonitorPolicy, kind: MemberEvent, at: Instant | null): Route[] =>
  routesFor(policy, receiversOf(policy, at), ({ events }) => events.includes(kind));

/**
 * Where a notice about a monitor goes: to the destinations of its alerts. Those with the setting `after` are left out:
 * they hear of an alert only if no person acknowledges it, and a notice cannot be acknowledged. By mail it goes to
 * every member, whatever the member prefers (R38).
 */
export function noticeRoutesOf(policy: MonitorPolicy, at: Instant): Route[] {
  const receivers = [...receiversOf(policy, at)].filter(([, { hears }]) => hears.afterSeconds === undefined);
  return routesFor(policy, new Map(receivers), () => true);
}

/**
 * Where a warning about a monitor goes, such as that a run takes unusually long: to the same places as its notices.
 * Each route also names its rota, so that quiet hours apply as they do to alerts.
 */
export function warningRoutesOf(policy: MonitorPolicy, at: Instant): AlertRoute[] {
  const receivers = receiversOf(policy, at);
  return noticeRoutesOf(policy, at).map((route) => withRota(route, receivers));
}

/**
 * Where messages about no single application go, such as the team's regular report: to the same places as the notices
 * of an application that is not configured.
 */
export const teamRoutes = (policy: Policy, at: Instant): Route[] => noticeRoutesOf(applicationPolicy(policy, ""), at);

/**
 * Every address that a destination or rota reaches, whatever the members prefer; `null` when no destination and no rota
 * has this name. `slug` is the application that the message is about. With `""` it is about none, and only people who
 * may see all applications get it in their browsers.
 */
export const routesAt = (policy: Policy, destination: string, slug = ""): Route[] | null =>
  policy.rotas?.has(destination)
    ? [...new Set(policy.rotas.get(destination)!.turns)].flatMap((turn) => routesAt(policy, turn, slug) ?? [])
    : policy.destinations.has(destination)
      ? routesTo({ whole: policy, slug }, destination, () => true)
      : null;

/**
 * The destinations that a monitor's alerts reach. `isLeftOut` is true when another severity or environment of the
 * monitor would reach further destinations.
 */
export type Reached = Readonly<{ names: ReadonlySet<string>; isLeftOut: boolean }>;

/**
 * Which destinations the monitor's alerts reach at `at`. With `at` `null`, a rota stands for all destinations that it
 * names.
 */
export const reachOf = (policy: MonitorPolicy, at: Instant | null): Reached =>
  at === null ? reachedAt(policy, at) : keptReach(policy, at);

/**
 * Which destinations the monitor's alerts reach, and by which routes. Every report and every alert asks for this, so
 * the result is kept. Monitors with the same list of destinations, application, severity and environment share it.
 */
function keptReach(policy: MonitorPolicy, at: Instant): KeptReach {
  const { whole, slug } = policy;
  const severity = severityOf(policy);
  const environment = nearestTierValue(policy, "environment");
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
  isLeftOut: [...receiversOf(policy, null).values()].some(({ leftOut }) => leftOut !== null),
});

/** When the first of the rotas next changes its destination, seen from `at`; Infinity without rotas. */
const turnsUntil = ({ rotas, timezone }: Policy, at: Instant): Instant =>
  Math.min(...[...(rotas?.values() ?? NONE)].map((rota) => onCall(rota, timezone, at).until));

type KeptReach = Reached &
  Readonly<{ whole: Policy; severity: Severity; environment: string | undefined }> & {
    readonly from: Instant;
    readonly until: Instant;
    /**
     * The routes by kind of alert, as far as they were asked for. Those of a recovery are not kept, because a recovery
     * also goes where its trouble was told.
     */
    readonly routes: Map<AlertKind, readonly AlertRoute[]>;
  };

/** The results of `keptReach`, by the list of destinations and then by the application's slug. */
const REACHES = new WeakMap<readonly string[], Map<string, KeptReach[]>>();
/** The most results kept for one list and application, such as one for each severity. The oldest is dropped first. */
const KEPT = 16;

function keptAt(named: readonly string[], slug: string): KeptReach[] {
  const bySlug = REACHES.get(named) ?? new Map<string, KeptReach[]>();
  if (bySlug.size === 0) REACHES.set(named, bySlug);
  const kept = bySlug.get(slug) ?? [];
  if (kept.length === 0) bySlug.set(slug, kept);
  return kept;
}

const namesIn = (policy: MonitorPolicy): readonly string[] => nearestTierValue(policy, "destinations")!;

/**
 * The names in the list of destinations that counts for this monitor, and the destination for browsers when people have
 * switched it on. An empty list stays empty.
 */
function namesHeard(policy: MonitorPolicy): ReadonlySet<string> {
  const named = namesIn(policy);
  const { destinations, notified = [] } = policy.whole;
  if (named.length === 0 || notified.length === 0) return new Set(named);
  return new Set([...named, ...[...destinations].flatMap(([name, { takes }]) => (takes === "people" ? [name] : []))]);
}

/**
 * A destination that a monitor's alerts may reach. `rota` is the rota through which they go there; `null` without a
 * rota. `leftOut` says why this monitor's alerts do not go there; `null` when they do.
 */
type Receiver = Readonly<{ hears: Hearing; rota: Rota | null; leftOut: ReturnType<typeof unheardAt> }>;

/**
 * Returns the destinations in the list that counts for the monitor (`namesHeard`), by name. `told` lists the
 * destinations that were told of the trouble. The end of the trouble goes there too, even if the severity has dropped
 * or the list has changed. A rota stands for those of its destinations that were told. If none was, it stands for the
 * destination on call at `at`. With `at` `null`, a rota stands for all its destinations.
 */
function receiversOf(policy: MonitorPolicy, at: Instant | null, told: readonly Route[] = NONE) {
  const { whole } = policy;
  const isTold = (name: string): boolean => told.some(({ destination }) => destination === name);
  const receiverAt = (name: string, rota: Rota | null): [string, Receiver] => {
    const hears = hearingFor(whole, name, rota);
    const unheard = unheardAt(policy, hears);
    return [name, { hears, rota, leftOut: unheard === null || isTold(name) ? null : unheard }];
  };
  const receivers = [...namesHeard(policy)].flatMap((name) => {
    const rota = whole.rotas?.get(name);
    if (rota === undefined) return [receiverAt(name, null)];
    const turns = at === null ? rota.turns : rota.turns.filter(isTold);
    const its = turns.length === 0 && at !== null ? [onCall(rota, whole.timezone, at).name] : turns;
    return its.map((turn) => receiverAt(turn, rota));
  });
  const known = new Set(receivers.map(([name]) => name));
  for (const { destination: name } of told)
    if (!known.has(name) && whole.destinations.has(name)) receivers.push(receiverAt(name, null));
  // A list of destinations may name a destination directly and also through a rota. Then the way by which the
  // destination hears sooner counts: it is sorted last, and the later entry of a map wins.
  const last = ({ hears, leftOut }: Receiver): number => (leftOut === null ? (hears.afterSeconds ?? 0) : DAY);
  return new Map(hasRotas(whole) ? receivers.toSorted(([, a], [, b]) => last(b) - last(a)) : receivers);
}

const hasRotas = ({ rotas }: Policy): boolean => rotas !== undefined && rotas.size > 0;

export const hearingFor = (whole: Policy, name: string, rota: Rota | null): Hearing =>
  rota === null ? hearingAt(whole, name) : { ...hearingAt(whole, name), ...rota.hears };

const routesFor = (policy: MonitorPolicy, receivers: ReadonlyMap<string, Receiver>, wants: Wants): Route[] =>
  [...receivers].flatMap(([name, { leftOut }]) => (leftOut === null ? routesTo(policy, name, wants) : []));

/** Why a destination with these rules hears nothing of this monitor; `null` when it does hear. */
function unheardAt(policy: MonitorPolicy, { severity, environments }: Hearing): "severity" | "environment" | null {
  if (severity !== undefined && !isAtLeast(severityOf(policy), severity)) return "severity";
  return environments?.includes(nearestTierValue(policy, "environment") ?? "") === false ? "environment" : null;
}

type Whose = Pick<MonitorPolicy, "whole" | "slug">;

function routesTo(policy: Whose, name: string, wants: Wants): Route[] {
  const reached = addressesAt(policy, name, wants).filter(({ leftOut }) => leftOut === null);
  return [...new Set(reached.map(({ recipient }) => recipient))].map((recipient) => ({ destination: name, recipient }));
}

type Wants = (member: Member) => boolean;

/**
 * Why an alert does not go to an address. `severity`, `environment`: the destination does not want alerts of this
 * monitor's severity or environment. `events`: the member does not want this kind. `elsewhere`: the list that counts
 * for the monitor does not name this destination (R38). `turn`: another destination of the rota is on call.
 */
export type LeftOut = "events" | "elsewhere" | "severity" | "environment" | "turn";

/**
 * `person` is the name of the member with this mail address; `null` when no member has it. `leftOut` is `null` when an
 * alert goes to the address.
 */
type NamedAddress = Route & Readonly<{ person: string | null; leftOut: LeftOut | null }>;

export type RoutedAddress = NamedAddress & Pick<Receiver, "hears" | "rota">;

/** All configured addresses. Each says whether an alert of this kind goes there at `at`, and by which rules. */
export function routedAddresses(policy: MonitorPolicy, kind: MemberEvent, at: Instant): RoutedAddress[] {
  const [now, ever] = [receiversOf(policy, at), receiversOf(policy, null)];
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
  return recipients.map((recipient) => {
    return { destination, recipient, person: memberAt(team, recipient)?.name ?? null, leftOut: null };
  });
}
