// What a destination hears, and when (R38): alerts that wait for the morning, and destinations that hear of what no one
// has acknowledged. Over real tables; nothing is sent.

import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { DestinationRules } from "../../src/domain/settings/policy.ts";
import { type Hearing, parseQuiet } from "../../src/domain/telling/hearing.ts";
import { HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import type { Ending, Outbox } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { deliveryEnd } from "../../src/views/rows/delivery-rows.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const NIGHT = { quiet: [parseQuiet("22:00-07:00")!] };
const MORNING = NOON + 19 * HOUR;
const EVENING = NOON + 11 * HOUR;

const DESTINATIONS = {
  chat: MESSAGES,
  phone: { ...MESSAGES, hears: NIGHT },
  pager: { ...MESSAGES, hears: { ...NIGHT, urgent: "error" } },
  boss: { ...MESSAGES, hears: { afterSeconds: 1_200 } },
  calm: { ...MESSAGES, hears: { severity: "critical" } },
  live: { ...MESSAGES, hears: { environments: ["production"] } },
} as const satisfies Record<string, DestinationRules>;

type Name = keyof typeof DESTINATIONS;

/** All monitors tell these. */
const policyOf = (...destinations: Name[]) =>
  policyWith({
    destinations: new Map(Object.entries(DESTINATIONS)),
    team: { name: null, destinations, members: [] },
  });

const serviceTelling = (...destinations: Name[]): Service => openService(policyOf(...destinations));

const fail = (service: Service, key = "job") =>
  service.send(
    ping({ monitorKey: key, schedule: "0 0 29 2 *" }),
    ping({ monitorKey: key, kind: "fail", message: "disk full" }),
  );

const outboxes = new WeakMap<Database, Outbox>();

/** One for each process, as in the service: it prepares many statements. */
function outboxOf({ database }: Service["store"]): Outbox {
  const outbox = outboxes.get(database) ?? createOutbox(database, () => {});
  outboxes.set(database, outbox);
  return outbox;
}

/** What may be attempted at `now`, by destination: what each message is about. */
function claimed({ store }: Service, now: Instant, endings: readonly Ending[] = [], limit = 16) {
  const digests = new Map(Object.keys(DESTINATIONS).map((name) => [name, 20]));
  const wanted = { now, busy: new Set<string>(), limit, each: 16, digests, ...NOTHING_NEW };
  const { claimed, nextAttemptAt } = outboxOf(store).exchange(endings, wanted);
  return { claimed, nextAttemptAt, told: claimed.map(({ destination, message }) => `${destination} ${message.type}`) };
}

const sent = (ids: readonly number[], at: Instant): Ending[] =>
  ids.map((id) => ({ id, ending: "sent", at, answer: "200" }));

const sendAll = (service: Service, now: Instant) => {
  const { claimed: all, told } = claimed(service, now);
  const ids = all.flatMap(({ members }) => members.map(({ id }) => id));
  claimed(service, now, sent(ids, now), 0);
  return told;
};

test("R38: an alert of the night is told in the morning, its age counts from then, and the notifier is to look then", async () => {
  using service = serviceTelling("chat", "phone");
  service.at(EVENING);
  await fail(service);
  const night = claimed(service, EVENING);
  expect(night.told).toEqual(["chat monitor.initial_failure"]);
  expect(toIso(night.nextAttemptAt!)).toBe(toIso(MORNING));
  expect(claimed(service, MORNING - 1).told).toEqual([]);
  const morning = claimed(service, MORNING);
  expect(morning.told).toEqual(["phone monitor.initial_failure"]);
  expect(morning.claimed[0]?.createdAt).toBe(MORNING);
});

test("R38: what waited for the morning is one message, from two on, and what follows keeps its place", async () => {
  using service = serviceTelling("phone");
  service.at(EVENING);
  for (const key of ["first", "second"]) await fail(service, key);
  service.at(EVENING + HOUR);
  await service.send(ping({ monitorKey: "first" }));
  expect(claimed(service, EVENING + HOUR).told).toEqual([]);
  const [digest, ...others] = claimed(service, MORNING).claimed;
  expect([digest?.message.type, digest?.members.length, others.length]).toEqual(["monitor.digest", 2, 0]);
  const next = claimed(
    service,
    MORNING,
    sent(
      digest!.members.map(({ id }) => id),
      MORNING,
    ),
  );
  expect(next.told).toEqual(["phone monitor.recovered"]);
});

test("R38: what is urgent goes at once, and by day all does", async () => {
  using service = serviceTelling("pager", "phone");
  service.at(EVENING);
  await fail(service);
  expect(claimed(service, EVENING).told).toEqual(["pager monitor.initial_failure"]);
  using byDay = serviceTelling("pager", "phone");
  await fail(byDay);
  expect(claimed(byDay, NOON).told).toHaveLength(2);
});

test("R38: a recovery behind a message that failed for hours waits for the morning too", async () => {
  using service = serviceTelling("phone");
  service.at(EVENING - 2 * HOUR);
  await fail(service);
  const [opening] = claimed(service, EVENING - 2 * HOUR).claimed;
  const retry: Ending = { id: opening!.id, ending: "retry", nextAttemptAt: EVENING, answer: "503" };
  expect(claimed(service, EVENING - 2 * HOUR, [retry]).told).toEqual([]);
  service.at(EVENING);
  await service.send(ping());
  expect(sendAll(service, EVENING)).toEqual(["phone monitor.initial_failure"]);
  expect(claimed(service, EVENING + HOUR).told).toEqual([]);
  expect(claimed(service, MORNING).told).toEqual(["phone monitor.recovered"]);
});

test("R38: who hears later hears of what no one has acknowledged, and of its end", async () => {
  using service = serviceTelling("boss", "chat");
  await fail(service);
  expect(sendAll(service, NOON)).toEqual(["chat monitor.initial_failure"]);
  const later = NOON + 20 * MINUTE;
  expect(claimed(service, later - 1).told).toEqual([]);
  expect(sendAll(service, later)).toEqual(["boss monitor.initial_failure"]);
  service.at(later);
  await service.send(ping());
  expect(sendAll(service, later)).toEqual(["boss monitor.recovered", "chat monitor.recovered"]);
});

test.each([["an acknowledgement"], ["a recovery"], ["the monitor's end"]])(
  "R38: %s in time, and who would have heard later hears nothing of it, and of the next one again",
  async (what) => {
    using service = serviceTelling("boss", "chat");
    await fail(service);
    sendAll(service, NOON);
    service.at(NOON + 5 * MINUTE);
    if (what === "an acknowledgement") granted(service.engine.operate("incident ack", { id: 1 }));
    else if (what === "a recovery") await service.send(ping());
    else granted(service.engine.operate("monitor delete", { key: "job" }));
    const told = sendAll(service, NOON + HOUR);
    expect(told.filter((one) => one.startsWith("boss"))).toEqual([]);
    if (what === "an acknowledgement") await service.send(ping());
    service.at(NOON + 2 * HOUR);
    await fail(service);
    sendAll(service, NOON + 2 * HOUR);
    expect(sendAll(service, NOON + 3 * HOUR)).toContain("boss monitor.initial_failure");
  },
);

test("R38: a reminder goes to those who hear later once they were told", async () => {
  using service = serviceTelling("boss");
  await fail(service);
  service.look(NOON + 10 * MINUTE);
  expect(sendAll(service, NOON + 20 * MINUTE)).toEqual(["boss monitor.initial_failure"]);
  service.look(NOON + HOUR);
  expect(sendAll(service, NOON + HOUR)).toEqual(["boss monitor.continued_failure"]);
});

test("R38: who hears later hears of a new cause too, behind what it adds to, unless a person has taken it on", async () => {
  for (const what of ["open", "acknowledged", "paused"]) {
    using service = serviceTelling("boss");
    await service.send(ping({ schedule: "5 12 * * *" }));
    service.look(NOON + 7 * MINUTE);
    service.at(NOON + 10 * MINUTE);
    await service.send(ping({ kind: "fail" }));
    if (what === "acknowledged") granted(service.engine.operate("incident ack", { id: 1 }));
    if (what === "paused") granted(service.engine.operate("monitor pause", { key: "job" }));
    const told = [26, 27, 28].flatMap((minutes) => sendAll(service, NOON + minutes * MINUTE));
    expect(told).toEqual(what === "open" ? ["boss monitor.initial_failure", "boss monitor.continued_failure"] : []);
  }
});

test("R38: severity and environment say what a destination hears", async () => {
  using service = serviceTelling("calm", "live", "chat");
  await fail(service);
  expect(sendAll(service, NOON)).toEqual(["chat monitor.initial_failure"]);
  granted(service.engine.operate("monitor set", { key: "job", severity: "critical" }));
  // What it hears of by now is told (R38: owed).
  expect(sendAll(service, NOON)).toEqual(["calm monitor.initial_failure"]);
});

test("a person may bring forward what waits for the end of quiet hours", async () => {
  using service = serviceTelling("phone");
  service.at(EVENING);
  await fail(service);
  expect(granted(service.engine.operate("notify resend", { id: 1 }))).toMatchObject({ done: "forward" });
  expect(claimed(service, EVENING).told).toEqual(["phone monitor.initial_failure"]);
});

test("lists say until when it waits, and no one is said to be out of reach", async () => {
  using service = serviceTelling("phone");
  service.at(EVENING);
  await fail(service);
  const { deliveries } = granted(service.engine.operate("notify list", {}));
  expect(deliveries).toMatchObject([{ state: "waiting", attempts: 0, nextAttemptAt: MORNING, why: "quiet" }]);
  service.at(EVENING + 5 * MINUTE);
  const { unnotified, notified } = granted(service.engine.operate("incident show", { id: 1 }));
  expect(notified[0]?.deliveries).toMatchObject([{ heldUntil: MORNING, nextAttemptAt: MORNING, why: "quiet" }]);
  expect(unnotified.map(({ text }) => text).join("")).toBe("No one has been notified yet: phone hears of it in 8 h");
});

test("R38: `notify explain` says who hears of it, when, and why others do not", async () => {
  using service = serviceTelling("boss", "calm", "live", "pager", "phone");
  await fail(service);
  const explained = (at: string | null, severity: "critical" | null = null) =>
    Object.fromEntries(
      granted(service.engine.operate("notify explain", { key: "job", at, severity })).addresses.map(
        ({ destination, says }) => [destination, says.map(({ text }) => text).join("")],
      ),
    );
  expect(explained("2026-03-02T23:30Z")).toEqual({
    boss: "hears of it if no one has acknowledged it by 23:50",
    calm: "is not told: it hears of critical alone, and this is error",
    chat: "is not told; its alerts go to phone, pager, boss",
    live: "is not told: it hears of production, and this is of none",
    pager: "hears of it at once, also in its quiet hours",
    phone: "hears of it when its quiet hours end: Tuesday 07:00",
  });
  expect(explained(null, "critical")).toMatchObject({ calm: "hears of it at once", phone: "hears of it at once" });
});

const WITH_NIGHT = { ...MESSAGES, hears: { afterSeconds: 1_200, ...NIGHT } } as const;

test("R38: a recovery that waits for the morning stays, whatever becomes of the next incident in the night", async () => {
  const team = { name: null, destinations: ["boss"], members: [] };
  using service = openService(policyWith({ destinations: new Map([["boss", WITH_NIGHT]]), team }));
  service.at(EVENING - 3 * HOUR);
  await fail(service);
  expect(sendAll(service, EVENING - 2 * HOUR)).toEqual(["boss monitor.initial_failure"]);
  service.at(EVENING + HOUR);
  await service.send(ping());
  service.at(EVENING + 2 * HOUR);
  await service.send(ping({ kind: "fail" }));
  service.at(EVENING + 3 * HOUR);
  granted(service.engine.operate("incident ack", { id: 2 }));
  expect(sendAll(service, MORNING)).toEqual(["boss monitor.recovered"]);
  expect(sendAll(service, MORNING)).toEqual([]);
  service.at(MORNING);
  await service.send(ping());
  await service.send(ping({ kind: "fail" }));
  expect(sendAll(service, MORNING + 20 * MINUTE)).toEqual(["boss monitor.initial_failure"]);
});

test("R38: who was told of an incident is told of its end, also when it is less bad by then", async () => {
  using service = serviceTelling("calm", "chat");
  await fail(service);
  await service.send(ping());
  sendAll(service, NOON);
  granted(service.engine.operate("monitor set", { key: "job", severity: "critical" }));
  service.at(NOON + 2 * HOUR);
  await service.send(ping({ kind: "fail" }));
  expect(sendAll(service, NOON + 2 * HOUR)).toContain("calm monitor.initial_failure");
  granted(service.engine.operate("monitor set", { key: "job", severity: "warning" }));
  await service.send(ping());
  expect(sendAll(service, NOON + 2 * HOUR)).toContain("calm monitor.recovered");
});

test("R38: an incident that opened and ended at once is none that no one has acknowledged", async () => {
  using service = serviceTelling("boss", "chat");
  await service.send(ping({ monitorKey: "job", schedule: "0 0 29 2 *" }));
  service.at(NOON + HOUR);
  await service.send(ping({ kind: "fail" }), ping());
  expect(sendAll(service, NOON + HOUR)).toEqual(["chat monitor.initial_failure"]);
  expect(sendAll(service, NOON + 2 * HOUR)).toEqual(["chat monitor.recovered"]);
});

test("R38: a message brought forward in quiet hours of days is as old as that, and so tried for a day", async () => {
  using service = serviceTelling("phone");
  service.at(EVENING);
  await fail(service);
  const later = EVENING + 8 * HOUR;
  service.at(later);
  granted(service.engine.operate("notify resend", { id: 1 }));
  const [first] = claimed(service, later).claimed;
  expect(first?.createdAt).toBe(later);
  const retry: Ending = { id: 1, ending: "retry", nextAttemptAt: later + HOUR, answer: "503" };
  claimed(service, later, [retry], 0);
  service.at(later + MINUTE);
  granted(service.engine.operate("notify resend", { id: 1 }));
  expect(claimed(service, later + MINUTE).claimed[0]).toMatchObject({ createdAt: later, reference: first!.reference });
});

/** A start or reload with these destinations; `written`: what a change of one shows as. */
function reload(
  service: Service,
  destinations: Readonly<Record<string, DestinationRules>>,
  now: Instant,
  written = "1",
) {
  const policy = policyWith({ destinations: new Map(Object.entries(destinations)) });
  const fingerprints = new Map(Object.keys(destinations).map((name) => [name, written]));
  service.at(now);
  service.reload(policy);
  createOutbox(service.store.database, () => {}).reconfigured(fingerprints, now, () => true);
}

test("R38: what is held follows its destination's quiet hours, and is let go when it is no destination any more", async () => {
  using service = serviceTelling("phone", "boss");
  service.at(EVENING);
  await fail(service);
  reload(service, DESTINATIONS, EVENING);
  expect(claimed(service, MORNING - HOUR).told).toEqual(["boss monitor.initial_failure"]);
  const shorter = { ...MESSAGES, hears: { quiet: [parseQuiet("22:00-05:00")!] } };
  reload(service, { ...DESTINATIONS, phone: shorter }, EVENING, "2");
  expect(claimed(service, MORNING - 2 * HOUR).told).toEqual(["phone monitor.initial_failure"]);
  using other = serviceTelling("phone", "boss");
  other.at(EVENING);
  await fail(other);
  const { phone: _phone, ...left } = DESTINATIONS;
  for (const destinations of [DESTINATIONS, left]) reload(other, destinations, EVENING);
  expect(claimed(other, EVENING).told).toEqual(["phone monitor.initial_failure"]);
});

test.each<[string, Name, Hearing, Instant]>([
  ["after is taken out: at once", "boss", {}, EVENING],
  ["after becomes quiet hours: from their end", "boss", NIGHT, MORNING],
  ["after is longer: from the incident on", "boss", { afterSeconds: 3_600 }, EVENING + HOUR],
  ["quiet hours become after: so long after it was written", "phone", { afterSeconds: 1_200 }, EVENING + 20 * MINUTE],
  ["what is urgent is now: at once", "phone", { ...NIGHT, urgent: "error" }, EVENING],
  ["what is urgent is worse: as before", "phone", { ...NIGHT, urgent: "critical" }, MORNING],
])("R38: a reload judges what is held again: %s", async (_what, name, hears, from) => {
  using service = serviceTelling(name);
  service.at(EVENING);
  await fail(service);
  reload(service, DESTINATIONS, EVENING);
  reload(service, { ...DESTINATIONS, [name]: { ...MESSAGES, hears } }, EVENING, "2");
  if (from > EVENING) expect(claimed(service, from - 1).told).toEqual([]);
  expect(claimed(service, from).told).toEqual([`${name} monitor.initial_failure`]);
});

test("R36, R38: what must not wait lets go what its lane holds, in order", async () => {
  using service = serviceTelling("pager");
  service.at(EVENING);
  const warns = { monitorKey: "job", severity: "warning" } as const;
  await service.send(ping({ ...warns, schedule: "0 0 29 2 *" }), ping({ monitorKey: "job", kind: "fail" }));
  await service.send(ping());
  expect(sendAll(service, EVENING)).toEqual([]);
  granted(service.engine.operate("monitor set", { key: "job", severity: "critical" }));
  service.at(EVENING + HOUR);
  await service.send(ping({ kind: "fail" }));
  for (const type of ["initial_failure", "recovered", "initial_failure"])
    expect(sendAll(service, EVENING + HOUR)).toEqual([`pager monitor.${type}`]);
});

const textOf = (parts: readonly { readonly text: string }[]): string => parts.map(({ text }) => text).join("");

test("R38: who hears later hears nothing of what a person paused, and after the pause counts from its end", async () => {
  using service = serviceTelling("boss", "chat");
  await fail(service);
  sendAll(service, NOON);
  service.at(NOON + 10 * MINUTE);
  granted(service.engine.operate("monitor pause", { key: "job" }));
  expect(sendAll(service, NOON + 2 * HOUR)).toEqual([]);
  service.at(NOON + 3 * HOUR);
  granted(service.engine.operate("monitor resume", { key: "job" }));
  expect(sendAll(service, NOON + 3 * HOUR + 20 * MINUTE - 1)).toEqual([]);
  expect(sendAll(service, NOON + 3 * HOUR + 20 * MINUTE)).toEqual(["boss monitor.initial_failure"]);
  // It was told: another pause takes nothing back, and tells nothing twice.
  service.at(NOON + 4 * HOUR);
  granted(service.engine.operate("monitor pause", { key: "job" }));
  granted(service.engine.operate("monitor resume", { key: "job" }));
  expect(sendAll(service, NOON + 9 * HOUR)).toEqual([]);
  await service.send(ping());
  expect(sendAll(service, NOON + 9 * HOUR)).toEqual(["boss monitor.recovered", "chat monitor.recovered"]);
});

test("R38: whoever lets a pause by hand end wakes the notifier, which would else look an hour later", async () => {
  const ends: Record<string, [begin: (service: Service) => void, end: (service: Service) => void]> = {
    "a person": [
      ({ engine }) => granted(engine.operate("monitor pause", { key: "job" })),
      ({ engine }) => granted(engine.operate("monitor resume", { key: "job" })),
    ],
    "its time": [
      ({ engine }) => granted(engine.operate("monitor pause", { key: "job", durationSeconds: 600 })),
      (service) => service.look(service.now),
    ],
    "maintenance that is over": [
      ({ engine }) => {
        const wanted = { monitors: [], application: "prod", from: null, until: null, schedule: null, timezone: null };
        granted(engine.operate("maintenance plan", { ...wanted, durationSeconds: 600, reason: "a new disk" }));
      },
      (service) => service.look(service.now),
    ],
    "its application": [
      ({ engine }) => granted(engine.operate("app suspend", { slug: "prod" })),
      ({ engine }) => granted(engine.operate("app resume", { slug: "prod" })),
    ],
  };
  for (const [who, [begin, end]] of Object.entries(ends)) {
    using service = serviceTelling("boss");
    await fail(service);
    service.at(NOON + 5 * MINUTE);
    begin(service);
    service.endTurns();
    service.at(NOON + 15 * MINUTE);
    const before = service.nudges;
    end(service);
    service.endTurns();
    expect([who, service.nudges > before]).toEqual([who, true]);
    expect([who, ...sendAll(service, service.now + 20 * MINUTE)]).toEqual([who, "boss monitor.initial_failure"]);
  }
});

const LUNCH = { quiet: [parseQuiet("12:00-13:00")!] };

const bossWith = (hears: Hearing) =>
  policyWith({
    destinations: new Map([["boss", { ...MESSAGES, hears }]]),
    team: { name: null, destinations: ["boss"], members: [] },
  });

test.each<[string, Hearing, Hearing, told: Instant]>([
  ["`after` is taken out", { afterSeconds: 1_200 }, {}, NOON + 30 * MINUTE],
  ["`after` is shorter", { afterSeconds: 1_200 }, { afterSeconds: 600 }, NOON + 40 * MINUTE],
  ["`after` comes to quiet hours", LUNCH, { ...LUNCH, afterSeconds: 1_200 }, NOON + HOUR],
  ["`after` comes to who knows", {}, { afterSeconds: 1_200 }, NOON],
])(
  "R38: a reload in a pause by hand in which %s loses no opening and doubles none",
  async (_what, old, changed, at) => {
    using service = openService(bossWith(old));
    await fail(service);
    const told: string[] = [];
    for (let now = NOON; now <= NOON + 3 * HOUR; now += MINUTE) {
      service.at(now);
      if (now === NOON + 5 * MINUTE) granted(service.engine.operate("monitor pause", { key: "job" }));
      if (now === NOON + 10 * MINUTE) {
        service.reload(bossWith(changed));
        createOutbox(service.store.database, () => {}).reconfigured(new Map([["boss", "2"]]), now, () => true);
      }
      if (now === NOON + 30 * MINUTE) granted(service.engine.operate("monitor resume", { key: "job" }));
      told.push(...sendAll(service, now).map((one) => `${one} ${toIso(now)}`));
    }
    expect(told).toEqual([`boss monitor.initial_failure ${toIso(at)}`]);
  },
);

test.each([["an acknowledgement"], ["a recovery"]])(
  "R38: %s under a pause, and its end tells no one later",
  async (what) => {
    using service = serviceTelling("boss", "chat");
    await fail(service);
    sendAll(service, NOON);
    granted(service.engine.operate("monitor pause", { key: "job" }));
    if (what === "an acknowledgement") granted(service.engine.operate("incident ack", { id: 1 }));
    else await service.send(ping());
    service.at(NOON + HOUR);
    granted(service.engine.operate("monitor resume", { key: "job" }));
    expect(sendAll(service, NOON + 3 * HOUR).filter((one) => one.startsWith("boss"))).toEqual([]);
  },
);

test("R38: where no one was told because it was acknowledged in time, that is said", async () => {
  using service = serviceTelling("boss");
  await fail(service);
  service.at(NOON + 5 * MINUTE);
  const person = { id: 1, name: "Ada", role: "admin", applications: null } as const;
  const ada = service.engine.as({ kind: "person", person, address: "192.0.2.1" });
  granted(ada.operate("incident ack", { id: 1 }));
  service.at(NOON + HOUR);
  const { unnotified, notified } = granted(service.engine.operate("incident show", { id: 1 }));
  const why = "acknowledged by Ada";
  expect(textOf(unnotified)).toBe(`No one has been notified: boss was not told: ${why} 55 min ago`);
  const acknowledgedAt = NOON + 5 * MINUTE;
  const told = {
    destination: "boss",
    state: "not_sent",
    answer: why,
    why: "acknowledged",
    acknowledgedAt,
    attempts: 0,
  };
  expect(notified[0]?.deliveries).toMatchObject([told]);
  expect(granted(service.engine.operate("notify show", { id: 1 }))).toMatchObject({
    state: "not_sent",
    acknowledgedAt,
  });
  expect(deliveryEnd(notified[0]!.deliveries[0]!, service.now, "clock")).toEqual([
    "not sent: acknowledged by Ada at ",
    { at: acknowledgedAt, as: "clock" },
    "",
  ]);
});

test("R39: very many that waited for the morning are one message", async () => {
  using service = serviceTelling("phone");
  service.at(EVENING);
  const keys = Array.from({ length: 1_500 }, (_, number) => `job-${number}`);
  await service.send(...keys.map((monitorKey) => ping({ monitorKey, kind: "fail", schedule: "0 0 29 2 *" })));
  const [digest, ...others] = claimed(service, MORNING).claimed;
  expect(others).toEqual([]);
  expect(digest?.more).not.toBeNull();
});

describe("R26, R38: a clock that was ahead for five minutes, and right again,", () => {
  /** What the destination hears: minutes after noon. `during` happens while the clock is ahead, from 12:01 to 12:06. */
  async function heardAfter(aheadBy: number, hears: Hearing, during: (service: Service) => Promise<unknown>) {
    using service = openService(bossWith(hears));
    await service.send(ping({ schedule: "0 0 29 2 *" }));
    const right = () => service.now - (isAhead ? aheadBy : 0);
    const told: (string | number)[] = [];
    let isAhead = false;
    for (let minute = 1; minute <= 40; minute += 1) {
      isAhead = minute >= 1 && minute < 6;
      if (minute === 1) service.stepClock(aheadBy);
      if (minute === 6) service.stepClock(-aheadBy);
      service.look(NOON + minute * MINUTE + (isAhead ? aheadBy : 0));
      if (minute === 2) await during(service);
      for (const one of sendAll(service, service.now))
        if (!one.endsWith("notice")) told.push(one.replace("boss monitor.", ""), (right() - NOON) / MINUTE);
    }
    return told;
  }

  const failOnce = (service: Service) => service.send(ping({ kind: "fail" }));

  test("puts off who hears later by no more than the ten minutes after which it is believed", async () => {
    expect(await heardAfter(26 * HOUR, { afterSeconds: 1_200 }, failOnce)).toEqual(["initial_failure", 22]);
  });

  test("holds nothing for quiet hours that never were", async () => {
    const evening = { quiet: [parseQuiet("15:00-23:00")!] };
    expect(await heardAfter(3 * HOUR, evening, failOnce)).toEqual(["initial_failure", 16]);
  });

  test("holds the end of a job that fails again and again for its fifteen minutes", async () => {
    const kinds = ["fail", "heartbeat", "fail", "heartbeat"] as const;
    const flap = async (service: Service) => {
      for (const kind of kinds) {
        await service.send(ping({ kind }));
        sendAll(service, service.now);
      }
    };
    expect(await heardAfter(5 * HOUR, {}, flap)).toEqual(["recovered", 17]);
  });

  /** The job fails while the clock is a day ahead, and its first message ends so; then the clock is believed again. */
  async function failedAhead(service: Service, endingOf: (id: number) => Ending) {
    await service.send(ping({ schedule: "0 0 29 2 *" }));
    service.stepClock(26 * HOUR);
    await fail(service);
    const [first] = claimed(service, service.now).claimed;
    claimed(service, service.now, [endingOf(first!.id)], 0);
    service.stepClock(-26 * HOUR);
    for (let minute = 1; minute <= 12; minute += 1) service.look(NOON + minute * MINUTE);
    return first!;
  }

  test("puts off no message that its destination refused then, nor gives it another name", async () => {
    using service = openService(bossWith({}));
    const first = await failedAhead(service, (id) => {
      return { id, ending: "retry", nextAttemptAt: service.now + MINUTE, answer: "503" };
    });
    const again = claimed(service, service.now);
    expect(again.told).toEqual(["boss monitor.initial_failure"]);
    // A receiver that took it the first time knows it by its reference.
    expect(again.claimed[0]!.reference).toBe(first.reference);
  });

  test("ends what it began at a service that knows the incident by its name", async () => {
    using service = openService(bossWith({}));
    const sent = (id: number): Ending => ({ id, ending: "sent", at: service.now, answer: "200" });
    const opening = await failedAhead(service, sent);
    await service.send(ping());
    // The notice about the clock goes first.
    const [notice] = claimed(service, service.now).claimed;
    const [end] = claimed(service, service.now, [sent(notice!.id)]).claimed;
    expect(end?.message.type).toBe("monitor.recovered");
    expect(end?.thread).toBe(opening.thread);
  });
});

/** What the destination is told, minute by minute, while the job does `steps`: a report at this minute. */
async function toldThrough(
  policy: ReturnType<typeof bossWith>,
  steps: Readonly<Record<number, (service: Service) => unknown>>,
  until: number,
): Promise<string[]> {
  using service = openService(policy);
  await service.send(ping({ schedule: "0 0 29 2 *" }));
  const told: string[] = [];
  for (let minute = 0; minute <= until; minute += 1) {
    service.look(NOON + minute * MINUTE);
    await steps[minute]?.(service);
    service.endTurns();
    told.push(...sendAll(service, service.now).map((one) => `${minute} ${one.replace("boss monitor.", "")}`));
  }
  return told;
}

const fails = (service: Service) => service.send(ping({ kind: "fail" }));
const works = (service: Service) => service.send(ping());

test.each(["messages", "incidents"] as const)(
  "R38: a job that fails for 15 of every 19 minutes reaches who hears after 20, at %s",
  async (takes) => {
    const policy = policyWith({
      destinations: new Map([["boss", { takes, hears: { afterSeconds: 1_200 } }]]),
      team: { name: null, destinations: ["boss"], members: [] },
    });
    const steps = { 0: fails, 15: works, 19: fails, 34: works, 38: fails };
    const told = await toldThrough(policy, steps, 45);
    expect(told[0]).toBe("20 initial_failure");
  },
);

test("R38: what a person has acknowledged or closed begins no series for who hears later", async () => {
  const LATER = bossWith({ afterSeconds: 1_200 });
  const acknowledges = ({ engine }: Service) => granted(engine.operate("incident ack", { id: 1 }));
  const resolves = ({ engine }: Service) => granted(engine.operate("incident resolve", { id: 1 }));
  expect(await toldThrough(LATER, { 0: fails, 5: acknowledges, 15: works, 19: fails }, 39)).toEqual([
    "39 initial_failure",
  ]);
  expect(await toldThrough(LATER, { 0: fails, 5: resolves, 19: fails }, 39)).toEqual(["39 initial_failure"]);
});

test("R24, R38: a fail that a pause by hand held back is heard later from the end of the pause on", async () => {
  const pauses = ({ engine }: Service) => granted(engine.operate("monitor pause", { key: "job" }));
  const resumes = ({ engine }: Service) => granted(engine.operate("monitor resume", { key: "job" }));
  const steps = { 1: fails, 2: pauses, 5: works, 21: fails, 30: resumes };
  expect(await toldThrough(bossWith({ afterSeconds: 1_200 }), steps, 60)).toEqual(["50 initial_failure"]);
});

test("R36, R38: what is behind a held message is due with it, and not late by its wait", async () => {
  using service = openService(bossWith({ afterSeconds: 3_600 }));
  await service.send(ping({ schedule: "5 12 * * *" }));
  service.look(NOON + 7 * MINUTE);
  service.at(NOON + 10 * MINUTE);
  await service.send(ping({ kind: "fail" }));
  const due = NOON + 66 * MINUTE + 5_000;
  const heads: (Instant | undefined)[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const { claimed: all } = claimed(service, due + MINUTE);
    heads.push(...all.map(({ createdAt }) => createdAt));
    const ids = all.flatMap(({ members }) => members.map(({ id }) => id));
    claimed(service, due + MINUTE, sent(ids, due + MINUTE), 0);
  }
  expect(heads).toHaveLength(2);
  expect(heads[1]).toBe(heads[0]!);
});

test("R36, R38: a reload lets nothing seem younger that has come due behind a message that fails", async () => {
  using service = openService(bossWith({ afterSeconds: 600 }));
  await service.send(ping({ schedule: "5 12 * * *" }));
  service.look(NOON + 7 * MINUTE);
  service.at(NOON + 10 * MINUTE);
  await service.send(ping({ kind: "fail" }));
  const first = NOON + 20 * MINUTE;
  const [opening] = claimed(service, first).claimed;
  const repaired = first + 3 * HOUR;
  claimed(service, first, [{ id: opening!.id, ending: "retry", nextAttemptAt: repaired, answer: "404" }], 0);
  createOutbox(service.store.database, () => {}).reconfigured(new Map([["boss", "2"]]), repaired, () => true);
  expect(sendAll(service, repaired)).toEqual(["boss monitor.initial_failure"]);
  expect(claimed(service, repaired).claimed[0]!.createdAt).toBeLessThanOrEqual(first);
});

test("R38: what has come due behind a message that fails is told although its incident ends", async () => {
  using service = openService(bossWith({ afterSeconds: 600 }));
  await service.send(ping({ schedule: "5 12 * * *" }));
  service.look(NOON + 7 * MINUTE);
  service.at(NOON + 10 * MINUTE);
  await service.send(ping({ kind: "fail" }));
  const first = NOON + 20 * MINUTE;
  const [opening] = claimed(service, first).claimed;
  claimed(service, first, [{ id: opening!.id, ending: "retry", nextAttemptAt: first + HOUR, answer: "503" }], 0);
  service.at(first + 40 * MINUTE);
  await works(service);
  const told = [0, 1, 2].flatMap(() => sendAll(service, first + HOUR));
  expect(told).toEqual(["initial_failure", "continued_failure", "recovered"].map((type) => `boss monitor.${type}`));
});

test("R24, R38: who hears later of a miss waits for the end of a maintenance that began before rollcall looked", async () => {
  const window = { schedule: "6 12 * * *", durationSeconds: 1_800, timezone: "UTC", jitterSeconds: 0 };
  const own = { monitors: { job: { maintenance: [window] } } };
  const policy = policyWith({
    destinations: new Map([["boss", { ...MESSAGES, hears: { afterSeconds: 1_200 } }]]),
    team: { name: null, destinations: ["boss"], members: [] },
    ...own,
  });
  using service = openService(policy, NOON - HOUR);
  await service.send(ping({ schedule: "0 12 * * *" }));
  const told: string[] = [];
  for (let minute = 10; minute <= 60; minute += 1) {
    service.look(NOON + minute * MINUTE);
    service.endTurns();
    told.push(...sendAll(service, service.now).map((one) => `${minute} ${one}`));
  }
  expect(told).toEqual(["56 boss monitor.initial_failure"]);
});

describe("R23, R38: an acknowledgement that is taken back", () => {
  const acknowledges = (service: Service, at: Instant) => {
    service.at(at);
    granted(service.engine.operate("incident ack", { id: 1 }));
  };
  const takesBack = (service: Service, at: Instant) => {
    service.at(at);
    return granted(service.engine.operate("incident unack", { id: 1 }));
  };
  const OPENING = "boss monitor.initial_failure";

  test("before its time, who hears only of what nobody takes on hears of it in time, and not sooner", async () => {
    using service = serviceTelling("boss");
    await fail(service);
    acknowledges(service, NOON + 5 * MINUTE);
    expect(sendAll(service, NOON + 10 * MINUTE)).toEqual([]);
    takesBack(service, NOON + 10 * MINUTE);
    const { told, nextAttemptAt } = claimed(service, NOON + 20 * MINUTE - 1);
    expect([told, toIso(nextAttemptAt!)]).toEqual([[], toIso(NOON + 20 * MINUTE)]);
    expect(sendAll(service, NOON + 20 * MINUTE)).toEqual([OPENING]);
    await service.send(ping());
    expect(sendAll(service, service.now)).toEqual(["boss monitor.recovered"]);
  });

  test("after its time they hear of it at once, and once", async () => {
    using service = serviceTelling("boss");
    await fail(service);
    acknowledges(service, NOON + 5 * MINUTE);
    takesBack(service, NOON + 40 * MINUTE);
    expect(sendAll(service, NOON + 40 * MINUTE)).toEqual([OPENING]);
    acknowledges(service, NOON + 41 * MINUTE);
    takesBack(service, NOON + 42 * MINUTE);
    expect(sendAll(service, NOON + 50 * MINUTE)).toEqual([]);
  });

  test("one message tells of the incident, whatever causes came meanwhile", async () => {
    using service = serviceTelling("boss");
    await fail(service);
    acknowledges(service, NOON + 5 * MINUTE);
    await service.send(ping({ kind: "start", maxRuntimeSeconds: 60 }));
    service.look(NOON + 7 * MINUTE);
    takesBack(service, NOON + 8 * MINUTE);
    expect(sendAll(service, NOON + 20 * MINUTE)).toEqual([OPENING]);
    expect(sendAll(service, NOON + 59 * MINUTE)).toEqual([]);
  });

  test("under a pause by hand they hear of it when that has ended", async () => {
    using service = serviceTelling("boss");
    await fail(service);
    acknowledges(service, NOON + 5 * MINUTE);
    granted(service.engine.operate("monitor pause", { key: "job" }));
    takesBack(service, NOON + 6 * MINUTE);
    expect(sendAll(service, NOON + HOUR)).toEqual([]);
    service.at(NOON + HOUR);
    granted(service.engine.operate("monitor resume", { key: "job" }));
    expect(sendAll(service, NOON + HOUR)).toContain(OPENING);
  });

  test("who joined while it was acknowledged hears of it as well, and once", async () => {
    using service = serviceTelling("boss");
    await fail(service);
    acknowledges(service, NOON + 5 * MINUTE);
    service.restart(policyOf("boss", "chat"));
    await service.send(ping({ kind: "start", maxRuntimeSeconds: 60 }));
    service.look(NOON + 9 * MINUTE);
    sendAll(service, NOON + 9 * MINUTE);
    takesBack(service, NOON + 10 * MINUTE);
    expect(sendAll(service, NOON + 10 * MINUTE)).toEqual([]);
    expect(sendAll(service, NOON + 21 * MINUTE)).toEqual([OPENING]);
    service.restart(policyOf("boss", "chat"));
    expect(sendAll(service, NOON + 59 * MINUTE)).toEqual([]);
  });

  test("in quiet hours a machine that calls hears of it in the morning", async () => {
    using service = serviceTelling("phone");
    service.at(EVENING);
    await fail(service);
    acknowledges(service, EVENING + MINUTE);
    takesBack(service, EVENING + 2 * MINUTE);
    expect(sendAll(service, MORNING - 1)).toEqual([]);
    expect(sendAll(service, MORNING)).toEqual(["phone monitor.initial_failure"]);
  });
});
