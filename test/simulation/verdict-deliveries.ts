// The verdict on what receivers got: of each incident every alert, in order, with the whole story in it, to everybody who is
// to hear of it; and nothing twice unless the first time could not be marked (R36).

import type { AlertData } from "../../src/domain/alert.ts";
import type { ClaimedDelivery } from "../../src/engine/contract.ts";
import { Contradiction } from "./failure.ts";
import { RECEIVERS, type ReceiverName, type Reception } from "./receivers.ts";
import type { ExpectedAlert } from "./rules-words.ts";
import { DAY, type Instant, iso } from "./units.ts";
import type { MonitorVerdict, Raised } from "./verdict-monitor.ts";

/** Where alerts of a monitor go: one receiver, for mail one of its recipients. */
export interface Route {
  readonly receiver: ReceiverName;
  readonly recipient: string | null;
}

export interface DeliveryVerdict {
  /** Rollcall has told of this; it is on its way to all of the monitor's routes. */
  raised(monitor: MonitorVerdict, routes: readonly Route[], raised: Raised, now: Instant): void;
  /** An alert has arrived. */
  received(reception: Reception, now: Instant): void;
  /** Rollcall has given up this alert at the instant `at` of its clock. */
  givenUp(delivery: ClaimedDelivery, at: Instant, now: Instant): void;
  /** Nothing may be on its way any more. */
  finish(): void;
  /** Alerts that were told, and so many of them to so many receivers. */
  counts(): { readonly alerts: number; readonly arrived: number; readonly gaveUp: number };
}

interface IncidentVerdict {
  readonly monitor: MonitorVerdict;
  readonly routes: readonly Route[];
  readonly alerts: ExpectedAlert[];
  /** How many of the alerts each route has got. */
  readonly arrived: Map<string, number>;
  changedAt: Instant;
}

/** What is complete is kept so long, in case a copy still comes. */
const KEPT = 30 * DAY;

export function deliveryVerdict(): DeliveryVerdict {
  const incidents = new Map<string, IncidentVerdict>();
  let alerts = 0;
  let arrived = 0;
  let gaveUp = 0;
  let sweptAt = 0;

  function raised(
    monitor: MonitorVerdict,
    routes: readonly Route[],
    { alert, incidentId }: Raised,
    now: Instant,
  ): void {
    const known = incidents.get(incidentId);
    const incident = known ?? { monitor, routes, alerts: [], arrived: new Map<string, number>(), changedAt: now };
    const first = incident.alerts[0] ?? alert;
    const isNew = known === undefined;
    if (isNew !== (alert.reason === "opened") || incident.monitor !== monitor || first.incident !== alert.incident) {
      throw monitor.contradiction("an alert belongs to another incident", { alert, incidentId });
    }
    incidents.set(incidentId, incident);
    incident.alerts.push(alert);
    incident.changedAt = now;
    alerts += 1;
    if (now - sweptAt > DAY) sweep(now);
  }

  function sweep(now: Instant): void {
    sweptAt = now;
    for (const [id, incident] of incidents)
      if (now - incident.changedAt > KEPT && isComplete(incident)) incidents.delete(id);
  }

  const isComplete = ({ alerts, routes, arrived }: IncidentVerdict): boolean =>
    alerts.at(-1)!.kind === "Recovered" && routes.every((route) => arrived.get(nameOf(route)) === alerts.length);

  function received({ receiver, recipient, delivery }: Reception, now: Instant): void {
    const data = delivery.message.data as AlertData;
    const incident = incidents.get(data.incidentId);
    if (incident === undefined) throw new Error(`an alert of an unknown incident ${data.incidentId} arrived`);
    const { monitor } = incident;
    const name = nameOf({ receiver, recipient });
    const place = incident.arrived.get(name) ?? 0;
    const alert = incident.alerts[place];
    const details = { receiver, recipient, data };
    if (monitor.key !== data.monitorKey || !incident.routes.some((route) => nameOf(route) === name)) {
      throw monitor.contradiction("an alert came to somebody who was not to hear of it", details);
    }
    if (alert === undefined) throw monitor.contradiction("an alert that nobody raised arrived", details);
    const wrong = differences(alert, data);
    if (wrong.length > 0)
      throw monitor.contradiction(`an alert arrived out of order or untrue: ${wrong}`, { alert, ...details });
    incident.arrived.set(name, place + 1);
    incident.changedAt = now;
    arrived += 1;
  }

  /** R36: after a day, for a webhook after three; the next of its incident follows. */
  function givenUp(delivery: ClaimedDelivery, at: Instant, now: Instant): void {
    const { destination, recipient, createdAt } = delivery;
    const receiver = RECEIVERS.find(({ name }) => name === destination)!;
    const patience = receiver.type === "webhook" ? 3 * DAY : DAY;
    const details = { destination, recipient, createdAt: iso(createdAt), at: iso(at) };
    if (at - createdAt < patience) throw new Contradiction("a message was given up too early", null, details, []);
    gaveUp += 1;
    if (delivery.message.type === "service.notice") return;
    received({ receiver: receiver.name, recipient, reference: delivery.reference, delivery }, now);
    arrived -= 1;
  }

  function finish(): void {
    for (const { monitor, alerts, routes, arrived } of incidents.values()) {
      for (const route of routes) {
        const lost = alerts[arrived.get(nameOf(route)) ?? 0];
        if (lost !== undefined) throw monitor.contradiction("an alert was lost", { lost, route });
      }
    }
  }

  return { raised, received, givenUp, finish, counts: () => ({ alerts, arrived, gaveUp }) };
}

const nameOf = ({ receiver, recipient }: Route): string => `${receiver} ${recipient}`;

/** What of an alert does not say what it should; a recovery must tell its whole story. */
function differences(alert: ExpectedAlert, data: AlertData): string[] {
  const recovered = alert.kind === "Recovered";
  const isMiss = alert.cause === "missed" && (alert.reason === "opened" || alert.reason === "new_cause");
  const expected: Partial<Record<keyof AlertData, unknown>> = {
    kind: alert.kind,
    cause: alert.cause,
    causes: alert.causes.join(),
    reason: alert.reason,
    openedAt: iso(alert.openedAt),
    recoveredAt: isoOrNull(alert.recoveredAt),
    durationSeconds: alert.reason === "opened" ? null : Math.floor((alert.at - alert.openedAt) / 1_000),
    missedSlots: recovered ? alert.missedSlots : data.missedSlots,
    troubles: alert.troubles,
    failureMessage: alert.failureMessage,
    expectedAt: isoOrNull(alert.expectedAt),
    lastPingAt: isoOrNull(alert.lastPingAt),
    // A miss is about no run, whatever an earlier trouble was about.
    runId: isMiss ? null : alert.runId,
    status: recovered ? data.status : "critical",
  };
  const said: Record<string, unknown> = { ...data, causes: data.causes.join() };
  return Object.entries(expected).flatMap(([field, value]) =>
    said[field] === value ? [] : [`${field} is ${said[field]}, not ${value}`],
  );
}

const isoOrNull = (instant: Instant | null): string | null => (instant === null ? null : iso(instant));
