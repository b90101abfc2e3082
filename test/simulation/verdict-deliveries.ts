// The verdict on what receivers got: every alert of each incident, in order, with the whole story, at every receiver
// that should get it; and nothing twice unless the first time could not be marked (R36).

import type { AlertData } from "../../src/domain/message/alert.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { Contradiction } from "./failure.ts";
import { RECEIVERS, type ReceiverName, type Reception } from "./receivers.ts";
import type { ExpectedAlert } from "./rules-words.ts";
import { type Instant, iso } from "./units.ts";
import type { MonitorVerdict, Raised } from "./verdict-monitor.ts";

/** Where alerts of a monitor go: one receiver, for mail one of its recipients. */
export interface Route {
  readonly receiver: ReceiverName;
  readonly recipient: string | null;
}

export interface DeliveryVerdict {
  /** Rollcall has told of this; it is on its way to all of the monitor's routes. */
  raised(monitor: MonitorVerdict, routes: readonly Route[], raised: Raised): void;
  /** An alert has arrived. */
  received(reception: Reception): void;
  /** Rollcall has given up this alert at the instant `at` of its clock; `hasArrived`: it has arrived all the same. */
  givenUp(delivery: ClaimedDelivery, at: Instant, hasArrived: boolean): void;
  /**
   * As `MonitorRules.keep`, of a backup that knows deliveries up to this number. Put back, lost incidents are owed an
   * end.
   */
  keep(lastDelivery: number): () => void;
  /** Nothing may be on its way any more. */
  finish(): void;
  /** Alerts that were told, and how many of them to how many receivers. */
  counts(): { readonly alerts: number; readonly arrived: number; readonly gaveUp: number; readonly restored: number };
}

/** All that was told of a monitor, in its order; what everybody has got is dropped from its beginning. */
interface Story {
  readonly monitor: MonitorVerdict;
  readonly routes: readonly Route[];
  readonly alerts: NotifiedAlert[];
  /** How many of the alerts each route has got, those that were dropped among them. */
  readonly arrived: Map<string, number>;
  dropped: number;
  /** Of the incident that is open. */
  open: NotifiedAlert | null;
}

/** An incident that a backup does not know: the routes that have heard of it, and whether of its end. */
interface Unknown {
  readonly monitor: MonitorVerdict;
  readonly heard: Map<string, "trouble" | "end" | "given up">;
}

interface NotifiedAlert {
  readonly incidentId: string;
  readonly alert: ExpectedAlert;
}

export function deliveryVerdict(): DeliveryVerdict {
  /** By the monitor's key. */
  const stories = new Map<string, Story>();
  let alerts = 0;
  let arrived = 0;
  let gaveUp = 0;
  let restored = 0;
  let newestIncident = 0;
  let lastKept = 0;
  /** Since the backup that may be restored: incidents, by their number, and alerts of it that have arrived. */
  let opened = new Map<string, Unknown>();
  let arrivedSince: { readonly key: string; readonly name: string }[] = [];
  /** Those that a restore has made us forget, whose end is still to be told there. */
  const owed = new Map<string, Unknown>();

  function raised(monitor: MonitorVerdict, routes: readonly Route[], { alert, incidentId }: Raised): void {
    const story: Story = stories.get(monitor.key) ?? {
      monitor,
      routes,
      alerts: [],
      arrived: new Map(),
      dropped: 0,
      open: null,
    };
    stories.set(monitor.key, story);
    const isFirst = alert.reason === "opened";
    const { open } = story;
    const belongs = open === null ? isFirst : open.incidentId === incidentId && open.alert.incident === alert.incident;
    if (!belongs || isFirst !== (open === null))
      throw monitor.contradiction("an alert belongs to another incident", { alert, incidentId });
    if (isFirst) isNewest(monitor, incidentId);
    const told = { incidentId, alert };
    story.alerts.push(told);
    story.open = alert.kind === "Recovered" ? null : (open ?? told);
    alerts += 1;
  }

  /** R26: no number is given twice, whatever was restored. */
  function isNewest(monitor: MonitorVerdict, incidentId: string): void {
    // What no rules are asked about is told at once; that of others may have an older number.
    if (monitor.rules() === null) {
      opened.set(incidentId, { monitor, heard: new Map() });
      return;
    }
    if (Number(incidentId) <= newestIncident)
      throw monitor.contradiction("an incident has a number that was given before", { incidentId, newestIncident });
    newestIncident = Number(incidentId);
    opened.set(incidentId, { monitor, heard: new Map() });
  }

  const placeOf = ({ arrived, dropped }: Story, name: string): number => (arrived.get(name) ?? 0) - dropped;

  /** R36: of a monitor the last to arrive is the newest, whichever of its incidents it is of. */
  function received({ receiver, recipient, delivery }: Reception): void {
    const data = delivery.message.data as AlertData;
    if (data.reason === "restored") return receivedEnd(receiver, recipient, data);
    const story = stories.get(data.monitorKey);
    if (story === undefined) throw new Error(`an alert of an unknown monitor ${data.monitorKey} arrived`);
    const { monitor } = story;
    const name = nameOf({ receiver, recipient });
    const place = placeOf(story, name);
    const told = story.alerts[place];
    const details = { receiver, recipient, data };
    if (!story.routes.some((route) => nameOf(route) === name)) {
      throw monitor.contradiction("an alert came to somebody who was not to hear of it", details);
    }
    if (told === undefined) throw monitor.contradiction("an alert that nobody raised arrived", details);
    const wrong = [
      ...(told.incidentId === data.incidentId ? [] : [`it is of incident ${data.incidentId}`]),
      // Of one whose reports come late no rules say all that its alerts say.
      ...(monitor.rules() === null ? [] : differences(told.alert, data, delivery.message.at)),
      ...untrueSince(told, story.alerts.slice(place + 1), data),
    ];
    if (wrong.length > 0)
      throw monitor.contradiction(`an alert arrived out of order or untrue: ${wrong}`, { told, ...details });
    story.arrived.set(name, place + story.dropped + 1);
    arrived += 1;
    opened.get(data.incidentId)?.heard.set(name, data.kind === "Recovered" ? "end" : "trouble");
    if (delivery.id <= lastKept) arrivedSince.push({ key: data.monitorKey, name });
    drop(story);
  }

  /** R26: where its trouble was told, and once. */
  function receivedEnd(receiver: ReceiverName, recipient: string | null, data: AlertData): void {
    const name = nameOf({ receiver, recipient });
    const details = { receiver, recipient, data };
    const incident = owed.get(data.incidentId);
    if (incident === undefined) throw new Contradiction("an end of no lost incident", data.monitorKey, details, []);
    const { monitor, heard } = incident;
    if (monitor.key !== data.monitorKey || data.kind !== "Recovered")
      throw monitor.contradiction("the end of a lost incident is another's", details);
    // What was under way when the service stopped may have been told or not.
    if (heard.get(name) === "end") throw monitor.contradiction("the end of a lost incident came again", details);
    heard.set(name, "end");
    restored += 1;
  }

  function keep(lastDelivery: number): () => void {
    const kept = [...stories].map(([key, story]) => [key, copyOf(story)] as const);
    lastKept = lastDelivery;
    opened = new Map();
    arrivedSince = [];
    return () => {
      stories.clear();
      for (const [key, story] of kept) stories.set(key, copyOf(story));
      for (const { key, name } of arrivedSince) {
        const { arrived } = stories.get(key)!;
        arrived.set(name, (arrived.get(name) ?? 0) + 1);
      }
      for (const story of stories.values()) if (story.alerts.length > 0) drop(story);
      for (const [incidentId, incident] of opened) owed.set(incidentId, incident);
      opened = new Map();
    };
  }

  function drop(story: Story): void {
    const count = Math.min(...story.routes.map((route) => placeOf(story, nameOf(route))));
    story.alerts.splice(0, count);
    story.dropped += count;
  }

  /** R36: after a day, for a webhook after three; the next of its incident follows. */
  function givenUp(delivery: ClaimedDelivery, at: Instant, hasArrived: boolean): void {
    const { destination, recipient, createdAt } = delivery;
    const receiver = RECEIVERS.find(({ name }) => name === destination)!;
    const details = { destination, recipient, createdAt: iso(createdAt), at: iso(at) };
    if (at - createdAt < receiver.patience)
      throw new Contradiction("a message was given up too early", null, details, []);
    gaveUp += 1;
    if (delivery.message.type === "service.notice" || hasArrived) return;
    received({ receiver: receiver.name, recipient, reference: delivery.reference, delivery });
    const data = delivery.message.data as AlertData;
    if (data.reason === "restored") restored -= 1;
    else arrived -= 1;
    // A restore may tell the end there once more.
    const incident = opened.get(data.incidentId) ?? owed.get(data.incidentId);
    incident?.heard.set(nameOf({ receiver: receiver.name, recipient }), "given up");
  }

  function finish(): void {
    for (const story of stories.values()) {
      for (const route of story.routes) {
        const lost = story.alerts[placeOf(story, nameOf(route))];
        if (lost !== undefined) throw story.monitor.contradiction("an alert was lost", { lost, route });
      }
    }
    for (const [incidentId, { monitor, heard }] of owed) {
      const waiting = [...heard].find(([, last]) => last === "trouble");
      if (waiting !== undefined)
        throw monitor.contradiction("the end of a lost incident was not told", { incidentId, to: waiting[0] });
    }
  }

  return { raised, received, givenUp, keep, finish, counts: () => ({ alerts, arrived, gaveUp, restored }) };
}

const copyOf = (story: Story): Story => ({ ...story, alerts: [...story.alerts], arrived: new Map(story.arrived) });

const nameOf = ({ receiver, recipient }: Route): string => `${receiver} ${recipient}`;

/** What a message says of the time after its alert must have been told too, in those that follow it. */
function untrueSince({ incidentId }: NotifiedAlert, later: readonly NotifiedAlert[], { since }: AlertData): string[] {
  if (since === null) return [];
  const { closedAt, newest } = since;
  const isNotified = (id: string, at: string | null, ends: boolean): boolean =>
    at === null ||
    later.some(
      (told) => told.incidentId === id && iso(told.alert.at) === at && ends === (told.alert.kind === "Recovered"),
    );
  const isTrue =
    isNotified(incidentId, closedAt, true) &&
    (newest === null ||
      (later.some((told) => told.incidentId === newest.incidentId && iso(told.alert.openedAt) === newest.openedAt) &&
        isNotified(newest.incidentId, newest.closedAt, true)));
  return isTrue ? [] : [`it says of the time since ${JSON.stringify(since)}`];
}

/**
 * What of an alert does not say what it should; a recovery must tell its whole story. `saidAt`: the time of the
 * message, which is no later than its sending, nor is what it says has happened (R26).
 */
function differences(alert: ExpectedAlert, data: AlertData, saidAt: Instant): string[] {
  const happened = (instant: Instant): string => iso(Math.min(instant, saidAt));
  const happenedOrNull = (instant: Instant | null): string | null => (instant === null ? null : happened(instant));
  const recovered = alert.kind === "Recovered";
  const isMiss = alert.cause === "missed" && (alert.reason === "opened" || alert.reason === "new_cause");
  const expected: Partial<Record<keyof AlertData, unknown>> = {
    kind: alert.kind,
    cause: alert.cause,
    causes: alert.causes.join(),
    reason: alert.reason,
    openedAt: happened(alert.openedAt),
    recoveredAt: happenedOrNull(alert.recoveredAt),
    durationSeconds:
      alert.reason === "opened"
        ? null
        : Math.floor((Math.min(alert.at, saidAt) - Math.min(alert.openedAt, saidAt)) / 1_000),
    missedSlots: alert.missedSlots,
    unheardSlots: recovered ? alert.unheardSlots : data.unheardSlots,
    troubles: alert.troubles,
    failureMessage: alert.failureMessage,
    expectedAt: happenedOrNull(alert.expectedAt),
    lastPingAt: happenedOrNull(alert.lastPingAt),
    // A miss is about no run, whatever an earlier trouble was about.
    runId: isMiss ? null : alert.runId,
    status: recovered ? data.status : "critical",
  };
  const said: Record<string, unknown> = { ...data, causes: data.causes.join() };
  return Object.entries(expected).flatMap(([field, value]) =>
    said[field] === value ? [] : [`${field} is ${said[field]}, not ${value}`],
  );
}
