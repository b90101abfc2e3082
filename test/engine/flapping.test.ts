// A job that fails again and again (R38): what chats, phones and mail are told of it, over real tables. Nothing is
// sent; the notifier is asked each minute what it would claim.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { AlertMessage } from "../../src/domain/message/alert.ts";
import { isAlert } from "../../src/domain/message/message.ts";
import type { DestinationRules } from "../../src/domain/settings/policy.ts";
import { seriesOf, WELL_FOR } from "../../src/domain/telling/flapping.ts";
import { parseQuiet } from "../../src/domain/telling/hearing.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import type { Ending, Outbox } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { copyDatabase } from "../../src/store/file/copy.ts";
import { restoreDatabase } from "../../src/store/file/restore.ts";
import { restoredMark } from "../../src/store/file/restored.ts";
import { deliveryEnd } from "../../src/views/rows/delivery-rows.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOOK: DestinationRules = { takes: "events" };
const PAGER: DestinationRules = { takes: "incidents" };
const BOTH = { chat: MESSAGES, hook: HOOK };
const NEVER = "0 0 29 2 *";

const policyTelling = (destinations: Readonly<Record<string, DestinationRules>>) =>
  policyWith({
    destinations: new Map(Object.entries(destinations)),
    team: { name: null, destinations: Object.keys(destinations), members: [] },
  });

async function openFlapping(destinations: Readonly<Record<string, DestinationRules>> = BOTH): Promise<Service> {
  const service = openService(policyTelling(destinations));
  await service.send(ping({ schedule: NEVER }));
  return service;
}

type Sent = Readonly<{ to: string; message: AlertMessage; at: Instant; thread: string }>;

const OUTBOXES = new WeakMap<Service["store"], Outbox>();

/** Sends all that is due at `now`; `refuses`: destinations at which it is given up. */
function send({ store }: Service, now: Instant, refuses: readonly string[] = []): Sent[] {
  const sent: Sent[] = [];
  const outbox = OUTBOXES.get(store) ?? createOutbox(store.database, () => {});
  OUTBOXES.set(store, outbox);
  const wanted = {
    now,
    busy: new Set<string>(),
    limit: 16,
    each: 16,
    digests: new Map<string, number>(),
    ...NOTHING_NEW,
  };
  for (let endings: Ending[] = []; ; ) {
    const { claimed } = outbox.exchange(endings, wanted);
    if (claimed.length === 0) return sent;
    endings = claimed.map(({ id, destination }) => {
      const ending = refuses.includes(destination) ? ("given_up" as const) : ("sent" as const);
      return { id, ending, at: now, answer: "200", sentAs: `m${id}` };
    });
    for (const { destination, message, thread } of claimed)
      if (isAlert(message)) sent.push({ to: destination, message, at: now, thread });
  }
}

type Step = Readonly<{ after: number; what: "fail" | "success"; cause?: "failed" | "outcome" }>;

/** Each minute is looked at, as the notifier does. */
async function play(service: Service, steps: readonly Step[], from: Instant, key = "job"): Promise<Sent[]> {
  const sent: Sent[] = [];
  let now = from;
  for (const { after, what } of steps) {
    for (const until = now + after * MINUTE; now < until; now += MINUTE) sent.push(...send(service, now));
    service.at(now);
    await service.send(ping({ monitorKey: key, kind: what === "fail" ? "fail" : "heartbeat" }));
    sent.push(...send(service, now));
  }
  return sent;
}

const fails = (after: number): Step => ({ after, what: "fail" });
const works = (after: number): Step => ({ after, what: "success" });
const toldTo = (sent: readonly Sent[], name: string): string[] =>
  sent.flatMap(({ to, message }) => (to === name ? message.type.replace("monitor.", "") : []));

const [OPENED, ENDED] = ["initial_failure", "recovered"];
const REMINDED = "continued_failure";

const subjectOf = (message: AlertMessage): string => wordingOf(message, message.at).subject;

test("R38: of thirty failures a chat hears five messages, the last of which counts them, and a webhook each", async () => {
  using service = await openFlapping();
  const steps = Array.from({ length: 30 }, (_, place) => [fails(place === 0 ? 10 : 3), works(2)]).flat();
  const sent = await play(service, [...steps, works(16)], NOON);
  // Two of them are the first failure and its end, and one is a reminder after an hour.
  expect(toldTo(sent, "chat")).toEqual([OPENED!, ENDED!, OPENED!, REMINDED, ENDED!]);
  expect(toldTo(sent, "hook")).toHaveLength(60);
  const last = sent.filter(({ to }) => to === "chat").at(-1)!;
  expect(last.message.data.flapping).toMatchObject({ times: 30, failed: true });
  expect(subjectOf(last.message)).toBe("Recovered: Job, began to fail 30 times between 12:10 and 14:35");
});

/** Fails for 15 of every 19 minutes: what is told, with the minute since noon. */
async function failsMostly(minutes: number, meanwhile: (service: Service, minute: number) => void = () => {}) {
  using service = await openFlapping({ chat: MESSAGES, pager: PAGER });
  const sent: Sent[] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    const now = NOON + minute * MINUTE;
    service.look(now);
    service.endTurns();
    const phase = minute % 19;
    if (phase === 1 || phase === 16) await service.send(ping({ kind: phase === 1 ? "fail" : "heartbeat" }));
    meanwhile(service, minute);
    sent.push(...send(service, now));
  }
  return sent;
}

const remindersIn = (sent: readonly Sent[], name: string) =>
  sent.flatMap(({ to, at, message }) =>
    to === name && message.type === `monitor.${REMINDED}` ? [[(at - NOON) / MINUTE, subjectOf(message)]] : [],
  );

test("R23, R38: reminders run through a series, and say that it is on and off", async () => {
  const sent = await failsMostly(8 * 60);
  // An hour after 12:01 and six hours; at 18:01 the job was well, and it failed again at 18:02.
  expect(remindersIn(sent, "chat")).toEqual([
    [61, "Failing on and off: Job, since 12:01, 4 times"],
    [362, "Failing on and off: Job, since 12:01, 20 times"],
  ]);
  const { message, at } = sent.find(({ to, message }) => to === "chat" && message.type === `monitor.${REMINDED}`)!;
  const words = wordingOf(message, at);
  expect(words.story.join(" ")).toContain("Job has failed on and off since 2026-03-02 12:01 UTC, 4 times.");
  expect(message.data.remindersSent).toBe(1);
});

test("R38: who is told of the failure with which a reminder comes is told of it once: a pager", async () => {
  const sent = await failsMostly(8 * 60);
  const atOnce = sent.filter(({ to, at }) => to === "pager" && at === NOON + 362 * MINUTE);
  expect(atOnce.map(({ message }) => message.type)).toEqual(["monitor.initial_failure"]);
});

test("R38: a series that a person has taken on or paused begins again with the next failure", async () => {
  const acknowledged = await failsMostly(120, (service, minute) => {
    if (minute === 25) granted(service.engine.operate("incident ack", { id: 2 }));
  });
  expect(remindersIn(acknowledged, "chat")).toEqual([[99, "Failing on and off: Job, since 12:39, 4 times"]]);
  const paused = await failsMostly(120, (service, minute) => {
    if (minute === 36) granted(service.engine.operate("monitor pause", { key: "job", durationSeconds: 60 }));
  });
  expect(remindersIn(paused, "chat")).toEqual([[99, "Failing on and off: Job, since 12:39, 4 times"]]);
});

test("R36, R38: a recovery that waited for its job to be well is not late by that, and a digest counts too", async () => {
  using service = await openFlapping({ chat: MESSAGES });
  await service.send(ping({ monitorKey: "other", schedule: NEVER }));
  for (const [place, kind] of (["fail", "heartbeat", "fail", "heartbeat"] as const).entries()) {
    service.at(NOON + place * MINUTE);
    await service.send(ping({ kind }), ping({ monitorKey: "other", kind }));
    send(service, service.now);
  }
  const due = service.now + WELL_FOR;
  const { claimed } = createOutbox(service.store.database, () => {}).exchange([], {
    ...{ now: due, busy: new Set<string>(), limit: 16, each: 16, digests: new Map([["chat", 30]]) },
    ...NOTHING_NEW,
  });
  const { message, heldUntil } = claimed[0]!;
  const words = wordingOf(message, due + MINUTE, heldUntil);
  expect(words.story.join(" ")).not.toMatch(/late|what was true/);
  expect(wordingOf(message, due + WELL_FOR + 1, heldUntil).story.join(" ")).toContain("is up to 15 minutes late.");
  expect(words.items[0]!.details.at(-1)).toBe("it began to fail 2 times between 12:00 and 12:02");
  if (message.type !== "monitor.digest") throw new Error("it is no digest");
  const [alert] = message.data.alerts;
  expect(wordingOf(alert, due + MINUTE, heldUntil).subject).toBe(
    "Recovered: Job, began to fail 2 times between 12:00 and 12:02",
  );
  expect(wordingOf(alert, due + WELL_FOR + 1, heldUntil).subject).toEndWith(", sent 15 minutes late");
});

test("R38: the end of a failure that is known by an earlier message is in the thread of that message", async () => {
  using service = await openFlapping({ chat: MESSAGES });
  const sent = await play(service, [fails(0), works(1), fails(1), works(1), fails(1), works(1)], NOON);
  sent.push(...send(service, service.now + WELL_FOR));
  const threads = sent.map(({ thread }) => thread);
  // Failed, recovered; failed again, the third failure by that message, and its end.
  expect(threads).toHaveLength(4);
  expect(threads[3]).toBe(threads[2]!);
  const { notified } = granted(service.engine.operate("incident show", { id: 3 }));
  const [known] = notified[0]!.deliveries;
  expect(known).toMatchObject({ state: "not_sent", knownAt: NOON + 2 * MINUTE });
  expect(deliveryEnd(known!, service.now, "clock")).toEqual([
    "known by the message of ",
    { at: NOON + 2 * MINUTE, as: "clock" },
    "",
  ]);
});

test("R38: who was not told that it failed is told the next time", async () => {
  using service = await openFlapping();
  await play(service, [fails(1), works(1), fails(1)], NOON);
  using other = await openFlapping();
  for (const [place, kind] of (["fail", "heartbeat", "fail", "heartbeat"] as const).entries()) {
    other.at(NOON + place * MINUTE);
    await other.send(ping({ kind }));
    send(other, NOON + place * MINUTE, ["chat"]);
  }
  other.at(NOON + 5 * MINUTE);
  await other.send(ping({ kind: "fail" }));
  expect(toldTo(send(other, NOON + 5 * MINUTE), "chat")).toEqual([OPENED!]);
});

test("R38: another cause, or a worse severity, is told at once, and the recovery that waited is not", async () => {
  for (const worse of [true, false]) {
    using service = await openFlapping();
    await play(service, [fails(1), works(1), fails(1), works(1)], NOON);
    service.at(NOON + 6 * MINUTE);
    if (worse) granted(service.engine.operate("monitor set", { key: "job", severity: "critical" }));
    else await service.send(ping({ schedule: "8 12 * * *", graceSeconds: 0 }));
    const due = NOON + 10 * MINUTE;
    service.look(due);
    if (worse) await service.send(ping({ kind: "fail" }));
    expect(toldTo(send(service, due), "chat")).toEqual([OPENED!]);
    expect(toldTo(send(service, due + HOUR), "chat")).toEqual([]);
  }
});

test("R38: who hears later is told that one trouble ended when another, soon over, began meanwhile", async () => {
  for (const afterSeconds of [1_200, 300]) {
    const boss = { ...MESSAGES, hears: { afterSeconds } };
    using service = await openFlapping({ boss });
    const before = await play(service, [fails(1), works(1), fails(1), works(21)], NOON);
    expect(toldTo(before, "boss")).toEqual([OPENED!]);
    // A person took care of it, so what follows is new trouble.
    service.store.database.run("update incidents set acknowledged_at = closed_at");
    const ended = service.now;
    service.at(ended + MINUTE);
    await service.send(ping({ schedule: "27 12 * * *", graceSeconds: 0 }));
    service.look(ended + 4 * MINUTE);
    expect(service.monitor().incident?.causes).toEqual(["missed"]);
    await service.send(ping());
    const after = await play(service, [works(20)], service.now);
    expect(after.map(({ to, message }) => `${to} ${message.type} ${message.data.incidentId}`)).toEqual([
      // Where the other trouble was due no later, its end is the end of all.
      `boss monitor.recovered ${afterSeconds === 1_200 ? 2 : 3}`,
    ]);
  }
});

test("R38: pages, `incident show` and `notify explain` say what was joined, and no one is said to be out of reach", async () => {
  using service = await openFlapping({ chat: MESSAGES });
  await play(service, [fails(1), works(1), fails(1), works(1)], NOON);
  const said = () =>
    granted(service.engine.operate("notify explain", { key: "job" })).addresses.map(({ says }) =>
      says.map(({ text }) => text).join(""),
    );
  expect(said()).toEqual([
    "has a message that it failed and none yet that it recovered, so hears no more of the same until 12:19",
  ]);
  await play(service, [fails(2)], NOON + 4 * MINUTE);
  expect(said()).toEqual(["hears of it at once"]);
  service.at(NOON + 10 * MINUTE);
  const shown = (id: number) => granted(service.engine.operate("incident show", { id }));
  expect(shown(2).notified.at(-1)?.deliveries).toMatchObject([
    { state: "not_sent", answer: "it failed again within 15 minutes" },
  ]);
  expect(shown(3)).toMatchObject({ unnotified: [], notified: [{ deliveries: [{ state: "not_sent" }] }] });
  const why = granted(service.engine.operate("why", { key: "job" }));
  const lines = why.steps.flatMap(({ says }) => says.map((line) => line.map(({ text }) => text).join("")));
  expect(lines).toContain("chat: known by the message of 12:03");
  // Reminders go on.
  service.look(NOON + 66 * MINUTE);
  expect(toldTo(send(service, NOON + 66 * MINUTE), "chat")).toEqual(["continued_failure"]);
});

test("R38: a recovery that waits outlasts a kill, a reload and quiet hours, and what was being sent is not joined", async () => {
  const quiet = { ...MESSAGES, hears: { quiet: [parseQuiet("12:10-13:00")!] } };
  const policy = policyTelling({ chat: MESSAGES, night: quiet });
  using service = await openFlapping({ chat: MESSAGES, night: quiet });
  await play(service, [fails(1), works(1), fails(1), works(1)], NOON);
  service.restart(policy);
  const outbox = createOutbox(service.store.database, () => {});
  for (const print of ["1", "2"])
    outbox.reconfigured(
      new Map([
        ["chat", print],
        ["night", print],
      ]),
      NOON + 5 * MINUTE,
      () => true,
    );
  const ended = NOON + 4 * MINUTE;
  expect(send(service, ended + WELL_FOR - 1)).toEqual([]);
  // Claimed, and the process is gone: it fails again meanwhile.
  const wanted = {
    now: ended + WELL_FOR,
    busy: new Set<string>(),
    limit: 16,
    each: 16,
    digests: new Map(),
    ...NOTHING_NEW,
  };
  expect(outbox.exchange([], wanted).claimed.map(({ destination }) => destination)).toEqual(["chat"]);
  service.at(ended + WELL_FOR);
  await service.send(ping({ kind: "fail" }));
  createOutbox(service.store.database, () => {}).releaseClaims();
  expect(toldTo(send(service, ended + WELL_FOR), "chat")).toEqual([ENDED!, OPENED!]);
  expect(toldTo(send(service, NOON + HOUR), "night")).toEqual([ENDED!, OPENED!]);
});

test("R38: a recovery that a person sends now is told, and then the next failure", async () => {
  using service = await openFlapping({ chat: MESSAGES });
  await play(service, [fails(1), works(1), fails(1), works(1)], NOON);
  service.at(NOON + 5 * MINUTE);
  expect(granted(service.engine.operate("notify resend", { id: 4 }))).toMatchObject({ done: "forward" });
  await service.send(ping({ kind: "fail" }));
  expect(toldTo(send(service, NOON + 5 * MINUTE), "chat")).toEqual([ENDED!, OPENED!]);
});

test("R23, R38: an answer to the message that was sent is one about the incident that goes on", async () => {
  const chat = { ...MESSAGES, answers: "Ada" };
  using service = openService(policyTelling({ chat }));
  granted(service.engine.operate("user create", { name: "Ada", role: "operator" }));
  await service.send(ping({ schedule: NEVER }));
  const sent = await play(service, [fails(1), works(1), fails(1)], NOON);
  const { message } = sent.at(-1)!;
  const token = service.engine.replies.tokenFor({ message, destination: "chat", recipient: null })!;
  const from = { destination: "chat", token, address: "192.0.2.1" };
  await play(service, [works(1), fails(1)], NOON + 3 * MINUTE);
  expect(service.engine.replies.look(from)).toMatchObject({ incidentId: 3 });
  granted(service.engine.replies.take(from, "ack"));
  expect(granted(service.engine.operate("incident show", { id: 3 })).incident.acknowledgedBy).toBe("Ada");
});

test("R23, R38: an incident that a message names is acknowledged and closed as the one that goes on under it", async () => {
  using service = await openFlapping({ chat: MESSAGES });
  await play(service, [fails(1), works(1), fails(1), works(1)], NOON);
  const byHand = (name: "incident ack" | "incident resolve", id: number) => service.engine.operate(name, { id });
  expect(byHand("incident ack", 2)).toMatchObject({ refusal: "INVALID_REQUEST" });
  await play(service, [fails(1)], NOON + 5 * MINUTE);
  expect(byHand("incident ack", 1)).toMatchObject({ refusal: "INVALID_REQUEST" });
  expect(granted(byHand("incident ack", 2))).toMatchObject({ changed: true, incident: { id: 3 } });
  expect(granted(byHand("incident ack", 2))).toMatchObject({ changed: false, incident: { id: 3 } });
  // Its reminder names 3, under which 4 goes on.
  await play(service, [works(1), fails(1)], NOON + 7 * MINUTE);
  expect(granted(byHand("incident ack", 3))).toMatchObject({ changed: true, incident: { id: 4 } });
  expect(granted(byHand("incident resolve", 2))).toMatchObject({ incident: { id: 4, closedBy: "resolved" } });
  expect(granted(byHand("incident resolve", 2))).toMatchObject({ changed: false, incident: { id: 2 } });
});

test("R23, R38: a message that was edited to say that it recovered says that it failed again, and then that this is over", async () => {
  using service = await openFlapping({ chat: MESSAGES });
  const outbox = createOutbox(service.store.database, () => {});
  const shown = () =>
    service.touchedIncidents
      .splice(0)
      .flatMap((id) => outbox.sentOf(id).map(({ sentAs, message }) => [sentAs, subjectOf(message as AlertMessage)]));
  await play(service, [fails(1), works(1), fails(1)], NOON);
  service.touchedIncidents.splice(0);
  await play(service, [works(1)], NOON + 3 * MINUTE);
  expect(shown()).toEqual([["m3", "Failed: Job, recovered since"]]);
  await play(service, [fails(1)], NOON + 4 * MINUTE);
  expect(shown()).toEqual([["m3", "Failed: Job, in trouble again since"]]);
  granted(service.engine.operate("incident ack", { id: 3 }));
  await play(service, [works(1)], NOON + 5 * MINUTE);
  expect(shown().at(-1)).toEqual(["m3", "Failed: Job, recovered since"]);
  expect(outbox.sentOf(3).map(({ sentAs }) => sentAs)).toEqual(["m3"]);
});

test("R26, R38: a restore closes a series that it forgets once, where it was told and its end was not", async () => {
  using service = await openFlapping();
  using backup = backedUp(service);
  const { owed } = backup;
  await play(service, [fails(1), works(1), fails(1), works(1)], NOON);
  expect(owed()).toEqual(["2 chat"]);
  await play(service, [fails(1)], service.now);
  expect(owed()).toEqual(["3 chat", "3 hook"]);
  service.look(service.now + HOUR);
  send(service, service.now);
  expect(owed()).toEqual(["3 chat", "3 hook"]);
  await play(service, [works(1), works(16)], service.now);
  expect(owed()).toEqual([]);
  await play(service, [fails(1), works(1), fails(1), works(1)], service.now);
  // The chat has not heard of this other trouble, and still believes that the one before goes on.
  service.at(service.now + MINUTE);
  await service.send(ping({ schedule: "28 13 * * *", graceSeconds: 0 }));
  service.look(service.now + 2 * MINUTE);
  expect(owed()).toEqual(["5 chat"]);
});

test("R26: an alert that is damaged keeps no restore from telling the ends of others", async () => {
  using service = await openFlapping({ chat: MESSAGES });
  using backup = backedUp(service);
  await service.send(ping({ kind: "fail" }), ping({ monitorKey: "other", schedule: NEVER, kind: "fail" }));
  send(service, service.now);
  expect(backup.owed()).toEqual(["1 chat", "2 chat"]);
  service.store.database.run("UPDATE alerts SET data = '{' WHERE incident_id = 1");
  expect(backup.owed()).toEqual(["2 chat"]);
});

/** A backup of the service as it is now. `owed`: what would be closed, and where, had it been restored at that time. */
function backedUp({ store: { database } }: Service) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-series-"));
  const [backup, replaced] = ["backup.db", "rollcall.db"].map((name) => join(folder, name));
  copyDatabase(database.filename, backup!);
  return {
    owed: (): string[] => {
      rmSync(replaced!, { force: true });
      copyDatabase(database.filename, replaced!);
      restoreDatabase(folder, backup!, "replaced");
      using restored = new Database(replaced!);
      const lost = restoredMark(restored).read()?.lost ?? [];
      return lost.flatMap(({ data, routes }) => routes.map(({ destination }) => `${data.incidentId} ${destination}`));
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

const STEPS = fc.array(fc.record({ after: fc.integer({ min: 1, max: 40 }), fails: fc.boolean() }), {
  minLength: 4,
  maxLength: 20,
});

test("R38: whatever a job does, the last that was told is true within 15 minutes, no trouble is lost, and an hour has few", async () => {
  using service = openService(policyTelling({ ...BOTH, pager: PAGER }));
  let from = NOON;
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      from += DAY;
      const key = `job-${from}`;
      service.at(from);
      await service.send(ping({ monitorKey: key, schedule: NEVER }));
      const told: Sent[] = [];
      let [now, isOpen, changedAt] = [from, false, from];
      const check = (): void => {
        told.push(...send(service, now));
        const last = told.findLast(({ to }) => to === "chat")?.message.data.kind ?? "Recovered";
        if (isOpen) expect(last).not.toBe("Recovered");
        else if (now >= changedAt + WELL_FOR) expect(last).toBe("Recovered");
      };
      for (const { after, fails } of [...steps, { after: 20, fails: false }, { after: 20, fails: false }]) {
        for (const until = now + after * MINUTE; now < until; now += MINUTE) {
          service.at(now);
          check();
        }
        service.at(now);
        await service.send(ping({ monitorKey: key, kind: fails ? "fail" : "heartbeat" }));
        if (fails !== isOpen) [isOpen, changedAt] = [fails, now];
        check();
      }
      const changes = (name: string) =>
        told.filter(({ to, message }) => to === name && message.data.kind !== "ContinuedFailure");
      for (const { at } of changes("chat"))
        expect(changes("chat").filter((one) => one.at >= at && one.at < at + HOUR).length).toBeLessThanOrEqual(10);
      // Machines hear each.
      const kinds = (name: string) => changes(name).map(({ message }) => message.data.kind);
      expect(kinds("hook")).toEqual(kinds("pager"));
      expect(kinds("hook").every((kind, place) => kind === (place % 2 === 0 ? "InitialFailure" : "Recovered"))).toBe(
        true,
      );
    }),
    { numRuns: 6 },
  );
}, 120_000);

test("R38: a series goes back as long as each began within an hour of the one before", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 40 }), (gaps) => {
      const opened = [NOON];
      for (const gap of gaps) opened.push(opened.at(-1)! - gap * MINUTE);
      const series = seriesOf(opened.map((openedAt) => ({ openedAt, causes: ["failed"] })));
      const apart = gaps.findIndex((gap) => gap > 60);
      const length = (apart < 0 ? gaps.length : apart) + 1;
      expect(series?.times ?? 1).toBe(length);
      if (series !== null) expect(Date.parse(series.since)).toBe(opened[length - 1]!);
    }),
  );
  const mixed = seriesOf([
    { openedAt: NOON, causes: ["failed"] },
    { openedAt: NOON - 1, causes: ["missed"] },
  ]);
  expect(mixed?.failed).toBe(false);
});

test("R38: who waits for quiet hours to hear that a person resolved it hears of the next failure", async () => {
  using service = await openFlapping({
    chat: MESSAGES,
    night: { ...MESSAGES, hears: { quiet: [parseQuiet("12:05-13:00")!] } },
  });
  await play(service, [fails(1), works(1), fails(1)], NOON);
  const [open] = granted(service.engine.operate("incident list", { open: true })).incidents;
  service.at(NOON + 6 * MINUTE);
  service.engine.operate("incident resolve", { id: open!.id });
  const said = granted(service.engine.operate("notify explain", { key: "job" })).addresses.map(({ says }) =>
    says.map(({ text }) => text).join(""),
  );
  expect(said).toEqual(["hears of it at once", expect.stringMatching(/^hears of it when its quiet hours end: /)]);
});

const MIDDAY = { quiet: [parseQuiet("12:00-14:00")!] };
const QUIET_ENDS = NOON + 2 * HOUR;

/** What this destination hears in its quiet hours and after them, each minute; `rota`: by a rota with those hours. */
async function throughQuietHours(takes: "incidents" | "events", by: "itself" | "a rota", steps: readonly Step[]) {
  const own: DestinationRules = by === "itself" ? { takes, hears: MIDDAY } : { takes };
  const rotas = new Map([["oncall", { name: "oncall", turns: ["machine"], since: NOON - 12 * HOUR, hears: MIDDAY }]]);
  const policy = policyWith({
    destinations: new Map([["machine", own]]),
    team: { name: null, destinations: [by === "itself" ? "machine" : "oncall"], members: [] },
    ...(by === "a rota" && { rotas }),
  });
  using service = openService(policy);
  await service.send(ping({ schedule: NEVER }));
  const sent = await play(service, steps, NOON);
  for (let now = service.now; now <= QUIET_ENDS; now += MINUTE) sent.push(...send(service, now));
  return sent.map(({ message }) => `${message.type.replace("monitor.", "")} ${message.data.incidentId}`);
}

for (const by of ["itself", "a rota"] as const) {
  test(`R38: after quiet hours of ${by} a pager is called for what stands, and no trigger lacks its end`, async () => {
    const flapping = [fails(1), works(2), fails(2), works(2), fails(1)];
    expect(await throughQuietHours("incidents", by, [...flapping, works(22)])).toEqual([]);
    expect(await throughQuietHours("incidents", by, flapping)).toEqual(["initial_failure 3"]);
  });

  test(`R38: after quiet hours of ${by} a webhook hears each failure and each end`, async () => {
    const steps = [fails(1), works(2), fails(2), works(2), fails(1), works(22)];
    const edges = [1, 2, 3].flatMap((number) => [`initial_failure ${number}`, `recovered ${number}`]);
    expect(await throughQuietHours("events", by, steps)).toEqual(edges);
  });
}

test("R38: a pager that was called before its quiet hours hears the end after them, and nothing of what came and went", async () => {
  using service = await openFlapping({ pager: { takes: "incidents", hears: MIDDAY } });
  const sent = await play(service, [fails(0)], NOON - 10 * MINUTE);
  sent.push(...(await play(service, [works(5), fails(2), works(2)], NOON)));
  expect(toldTo(sent, "pager")).toEqual([OPENED!]);
  expect(send(service, QUIET_ENDS).map(({ message }) => `${message.type} ${message.data.incidentId}`)).toEqual([
    "monitor.recovered 1",
  ]);
});

test("R23, R38: a pager is not called after its quiet hours for what a person has taken on, but for a new cause of it", async () => {
  using service = await openFlapping({ pager: { takes: "incidents", hears: MIDDAY } });
  await play(service, [fails(1)], NOON);
  service.at(NOON + 10 * MINUTE);
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect(send(service, QUIET_ENDS)).toEqual([]);
  service.at(QUIET_ENDS + HOUR);
  await service.send(ping({ kind: "start", maxRuntimeSeconds: 60 }));
  service.look(QUIET_ENDS + HOUR + 2 * MINUTE);
  expect(toldTo(send(service, service.now), "pager")).toEqual(["continued_failure"]);
  await service.send(ping());
  expect(toldTo(send(service, service.now), "pager")).toEqual([ENDED!]);
});

for (const hears of [{}, MIDDAY])
  test(`R36, R38: what waits of a deleted job goes before what is told of one made under its key${hears === MIDDAY ? ", in quiet hours too" : ""}`, async () => {
    using service = await openFlapping({ chat: { ...MESSAGES, hears } });
    const sent = await play(service, [fails(0), works(1), fails(4), works(2)], NOON);
    service.at(NOON + 9 * MINUTE);
    granted(service.engine.operate("monitor delete", { key: "job" }));
    service.at(NOON + 10 * MINUTE);
    await service.send(ping({ schedule: NEVER }), ping({ kind: "fail" }));
    for (let now = service.now; now <= QUIET_ENDS; now += MINUTE) sent.push(...send(service, now));
    expect(toldTo(sent, "chat").at(-1)).toBe(OPENED!);
    expect(toldTo(sent, "chat").filter((type) => type === OPENED)).toHaveLength(3);
  });

test("R25, R39: no digest goes before the end of a job that was deleted and made again in the night", async () => {
  using service = await openFlapping({ chat: { ...MESSAGES, hears: MIDDAY } });
  await play(service, [fails(1)], NOON);
  granted(service.engine.operate("monitor delete", { key: "job" }));
  service.at(NOON + 10 * MINUTE);
  await service.send(ping({ schedule: NEVER }), ping({ kind: "fail" }));
  const outbox = createOutbox(service.store.database, () => {});
  const wanted = {
    ...{ now: QUIET_ENDS, busy: new Set<string>(), limit: 16, each: 16, digests: new Map([["chat", 30]]) },
    ...NOTHING_NEW,
  };
  const told: string[] = [];
  for (let endings: Ending[] = []; ; ) {
    const { claimed } = outbox.exchange(endings, wanted);
    if (claimed.length === 0) break;
    told.push(...claimed.map(({ message }) => message.type));
    endings = claimed.map(({ id }) => ({ id, ending: "sent", at: QUIET_ENDS, answer: "200" }));
  }
  expect(told).toEqual(["monitor.initial_failure", "monitor.recovered", "monitor.initial_failure"]);
});

test("R38: the end of a failure that is known by a message which waited for the end of quiet hours is told", async () => {
  using service = await openFlapping({ night: { ...MESSAGES, hears: MIDDAY } });
  await play(service, [fails(1), works(16), fails(13), works(29), fails(6)], NOON);
  const morning: Sent[] = [];
  for (let now = service.now; now <= QUIET_ENDS; now += MINUTE) morning.push(...send(service, now));
  expect(toldTo(morning, "night")).toEqual([OPENED!, ENDED!, OPENED!]);
  service.at(QUIET_ENDS);
  await service.send(ping());
  expect(toldTo(send(service, QUIET_ENDS + WELL_FOR), "night")).toEqual([ENDED!]);
});
