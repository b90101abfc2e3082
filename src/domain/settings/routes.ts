// Where alerts and notices about a monitor go (R38). Pure.

import type { AlertKind } from "../message/alert.ts";
import {
  applicationPolicy,
  type Member,
  type MemberEvent,
  type MonitorPolicy,
  nearestOf,
  type Policy,
  type Route,
} from "./policy.ts";

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

/** Where an alert of this kind goes: to the destinations of the nearest tier that names some (R38). */
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

/** Names of destinations (R38). */
const namesIn = (policy: MonitorPolicy): readonly string[] => nearestOf(policy, "destinations")!;

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
