// Acknowledging reaches the pagers that got the incident, and nobody else: in its order, and through crashes.

import { expect, test } from "bun:test";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { actorOf } from "../../src/domain/people/person.ts";
import { alertRoutesOf } from "../../src/domain/settings/alert-routes.ts";
import { monitorPolicy } from "../../src/domain/settings/policy.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { byHand, NOTHING_NEW } from "../support/alerts.ts";
import { INCIDENTS, MESSAGES, mailTo } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { granted } from "../support/service.ts";

const DESTINATIONS = new Map([
  ["hook", MESSAGES],
  ["mail", mailTo("ada@example.org")],
  ["night", INCIDENTS],
  ["pager", INCIDENTS],
]);

const policyTo = (...destinations: string[]) =>
  policyWith({ destinations: DESTINATIONS, team: { name: null, destinations, members: [] } });

/** A monitor `job` whose incident 1 has just opened and was told to these. */
async function withIncident(...destinations: string[]): Promise<Service> {
  const service = openService(policyTo(...destinations));
  await service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail", message: "disk full" }));
  return service;
}

/** What waits at each destination, in its order. */
const waiting = ({ store }: Service): Record<string, string[]> => {
  const rows = store.database
    .query<{ destination: string; type: string }, []>(
      "select destination, type from deliveries join alerts on alerts.id = alert_id where finished_at is null order by deliveries.id",
    )
    .all();
  const lanes = Map.groupBy(rows, ({ destination }) => destination);
  return Object.fromEntries([...lanes].map(([name, each]) => [name, each.map(({ type }) => type)]));
};

const OPENING = "monitor.initial_failure";
const ACKNOWLEDGED = "monitor.acknowledged";

test("R23: an acknowledgement goes to the pagers among those who were told of the incident, and to nobody else", async () => {
  using service = await withIncident("hook", "mail", "pager");
  service.at(NOON + MINUTE);
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect(waiting(service)).toEqual({ hook: [OPENING], mail: [OPENING], pager: [OPENING, ACKNOWLEDGED] });
  expect(service.alarms().at(-1)).toMatchObject({ reason: "acknowledged", at: "2026-03-02T12:01:00.000Z" });
  expect(service.nudges).toBe(2);
  expect(service.logged.at(-1)).toMatchObject({
    level: "info",
    event: "alert",
    fields: { reason: "acknowledged", deliveries: 1 },
  });
});

test("R23: where no pager was told nothing is written, and twice is once", async () => {
  using service = await withIncident("hook", "mail");
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect([service.count("alerts"), service.count("deliveries"), service.nudges]).toEqual([1, 2, 1]);

  using paged = await withIncident("night", "pager");
  granted(paged.engine.operate("incident ack", { id: 1 }));
  granted(paged.engine.operate("incident ack", { id: 1 }));
  expect(waiting(paged)).toEqual({ night: [OPENING, ACKNOWLEDGED], pager: [OPENING, ACKNOWLEDGED] });
});

test("R23: who was told counts, not where alerts would go now", async () => {
  using service = await withIncident("pager");
  service.restart(policyTo("night", "hook"));
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect(waiting(service)).toEqual({ pager: [OPENING, ACKNOWLEDGED] });
});

test("a destination that is no pager any more, or is gone, is not told", () => {
  const told = ["hook", "pager", "gone"].map((destination) => ({ destination, recipient: null, via: null }));
  const routes = alertRoutesOf(monitorPolicy(policyTo("hook"), "prod", "job"), "Acknowledged", NOON, told);
  expect(routes).toEqual([{ destination: "pager", recipient: null, via: null }]);
});

test("R23: a pager hears of the reminder, the acknowledgement, a new cause and the end in this order", async () => {
  using service = await withIncident("pager");
  service.look(NOON + HOUR);
  granted(service.engine.operate("incident ack", { id: 1 }));
  await service.send(ping({ kind: "start", maxRuntimeSeconds: 60 }));
  service.look(NOON + HOUR + MINUTE);
  await service.send(ping());
  const continued = "monitor.continued_failure";
  expect(waiting(service)).toEqual({
    pager: [OPENING, continued, ACKNOWLEDGED, continued, "monitor.recovered"],
  });
});

test("the pager's message, the incident and what is sent later name the person; a command names nobody", async () => {
  using service = await withIncident("pager");
  const person = { id: 1, name: "Ada", role: "operator", applications: null } as const;
  granted(service.engine.as(actorOf(person, "192.0.2.1")).operate("incident ack", { id: 1 }));
  service.restart();
  expect(granted(service.engine.operate("incident list", {})).incidents).toMatchObject([{ acknowledgedBy: "Ada" }]);
  const told = service.store.database.query<{ data: string }, []>("select data from alerts order by id desc").get()!;
  expect(alertDataFrom(told.data)!).toMatchObject({ kind: "Acknowledged", acknowledgedBy: "Ada" });
  // Somebody else's word changes nothing: the first one looks after it.
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect(service.monitor().incident).toMatchObject({ acknowledgedBy: "Ada" });

  using other = await withIncident("pager");
  granted(other.engine.operate("incident ack", { id: 1 }));
  expect(other.monitor().incident).toMatchObject({ acknowledgedAt: other.now, acknowledgedBy: null });
});

test("R23: once it is taken back, reminders go on at their times, and none is made up", async () => {
  using service = await withIncident("mail");
  service.at(NOON + 30 * MINUTE);
  granted(service.engine.operate("incident ack", { id: 1 }));
  service.look(NOON + 2 * HOUR);
  expect(granted(service.engine.operate("incident unack", { id: 1 }))).toMatchObject({
    changed: true,
    incident: { acknowledgedAt: null, acknowledgedBy: null, remindAt: NOON + 6 * HOUR },
    pagers: [],
  });
  expect(granted(service.engine.operate("incident unack", { id: 1 }))).toMatchObject({ changed: false });
  service.restart();
  service.look(NOON + 6 * HOUR);
  expect(service.alarms().map(({ reason }) => reason)).toEqual(["opened", "reminder"]);
  await service.send(ping());
  expect(service.engine.operate("incident unack", { id: 1 })).toMatchObject({
    refusal: "INVALID_REQUEST",
    message: "id: incident 1 is closed since 2026-03-02T18:00:00.000Z, there is nothing to take back",
  });
});

test("R23: a pager that was told of an acknowledgement is named, and one that was not yet told never is", async () => {
  using service = await withIncident("night", "pager");
  const outbox = createOutbox(service.store.database, () => {});
  const hand = byHand(outbox);
  for (const { id } of hand.claim(service.now)) hand.sent(id, service.now, "HTTP 202 Accepted");
  granted(service.engine.operate("incident ack", { id: 1 }));
  const [night, pager] = hand.claim(service.now);
  hand.sent(night!.id, service.now, "HTTP 202 Accepted");
  outbox.exchange(
    [{ id: pager!.id, ending: "retry", answer: "connection refused", nextAttemptAt: service.now + MINUTE }],
    { now: service.now, busy: new Set(), limit: 0, each: 16, digests: new Map(), ...NOTHING_NEW },
  );
  const { nudges } = service;
  expect(granted(service.engine.operate("incident unack", { id: 1 })).pagers).toEqual(["night"]);
  expect([waiting(service), service.nudges]).toEqual([{}, nudges + 1]);
  service.at(NOON + MINUTE);
  await service.send(ping());
  expect(waiting(service)).toEqual({ night: ["monitor.recovered"], pager: ["monitor.recovered"] });
});

test("the story of an incident keeps both, and by whom", async () => {
  using service = await withIncident("mail");
  const person = { id: 1, name: "Ada", role: "operator", applications: null } as const;
  const ada = service.engine.as(actorOf(person, "192.0.2.1"));
  service.at(NOON + MINUTE);
  granted(ada.operate("incident ack", { id: 1 }));
  service.at(NOON + 2 * MINUTE);
  granted(ada.operate("incident unack", { id: 1 }));
  service.at(NOON + 3 * MINUTE);
  expect(granted(ada.operate("incident unack", { id: 1 }))).toMatchObject({ changed: false });
  const { acts } = granted(service.engine.operate("incident show", { id: 1 }));
  expect(acts).toEqual([
    { at: NOON + MINUTE, says: "Acknowledged by Ada" },
    { at: NOON + 2 * MINUTE, says: "Acknowledgement taken back by Ada" },
  ]);
});

test("an acknowledgement that could not be stored leaves nothing of itself", async () => {
  using service = await withIncident("pager");
  service.store.database.run(
    `create trigger full before insert on deliveries begin select raise(abort, 'disk full'); end`,
  );
  expect(() => service.engine.operate("incident ack", { id: 1 })).toThrow("disk full");
  service.store.database.run("drop trigger full");
  service.restart();
  expect(waiting(service)).toEqual({ pager: [OPENING] });
  expect(service.monitor().incident).toMatchObject({ acknowledgedAt: null });
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect(waiting(service)).toEqual({ pager: [OPENING, ACKNOWLEDGED] });
});

test("R36: trigger, acknowledge and resolve reach PagerDuty in this order and under one key, through crashes between", async () => {
  await using sink = startHttpSink(() => Response.json({ status: "success" }, { status: 202 }));
  const integrationKey = "e93facc04764012d7bfb002500d5d1a6";
  const channel = CHANNELS.pagerduty({ integrationKey, region: "us", url: sink.url });
  using service = await withIncident("pager");

  /** Sends what may be sent; `crash`: the process is gone after the receiver took it, and before that is stored. */
  async function deliver(crash = false): Promise<void> {
    const outbox = createOutbox(service.store.database, () => {});
    outbox.releaseClaims();
    const hand = byHand(outbox);
    const claimed = hand.claim(service.now);
    expect(claimed).toHaveLength(1);
    for (const delivery of claimed) {
      expect(await channel.send(delivery, { sentAt: service.now, plain: false })).toMatchObject({
        verdict: "delivered",
      });
      if (!crash) hand.sent(delivery.id, service.now, "HTTP 202 Accepted");
    }
    if (crash) service.restart();
  }

  granted(service.engine.operate("incident ack", { id: 1 }));
  service.restart();
  await deliver(true);
  await deliver();
  await service.send(ping());
  await deliver(true);
  await deliver();
  await deliver();
  const events = sink.requests.map(({ body }) => JSON.parse(body));
  expect(events.map((event) => event.event_action)).toEqual([
    "trigger",
    "trigger",
    "acknowledge",
    "acknowledge",
    "resolve",
  ]);
  expect(new Set(events.map((event) => event.dedup_key)).size).toBe(1);
  expect(waiting(service)).toEqual({});
});
