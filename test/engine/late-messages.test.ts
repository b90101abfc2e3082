// What people read when messages were held up (R36): of one job and destination in the order in which it happened, and
// each with what has happened since. The engine and the outbox are real; nothing is sent.

import { expect, test } from "bun:test";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";

const HALF_HOURLY = { schedule: "*/30 * * * *" } as const;

/** Claims as the notifier does, one at a time; each is delivered. */
function deliverAll(service: Service, at: Instant): ClaimedDelivery[] {
  const hand = byHand(createOutbox(service.store.database, () => {}));
  const delivered: ClaimedDelivery[] = [];
  for (;;) {
    const [claimed] = hand.claim(at);
    if (claimed === undefined) return delivered;
    delivered.push(claimed);
    hand.sent(claimed.id, at, "HTTP 204");
  }
}

/** Everything that may be tried fails until `at`, one destination's receiver being down. */
function failAll(service: Service, now: Instant, at: Instant): void {
  const hand = byHand(createOutbox(service.store.database, () => {}));
  for (const { id } of hand.claim(now)) hand.retry(id, at, "connection refused");
}

/** A job that failed at 12:05 and recovered at 12:21, was missed at 12:31, and a receiver that was down meanwhile. */
async function missedAgain(): Promise<Service> {
  const service = openService();
  service.at(NOON + 5 * MINUTE);
  await service.send(ping({ ...HALF_HOURLY, kind: "fail", message: "disk full" }));
  failAll(service, service.now, NOON + 35 * MINUTE);
  service.at(NOON + 21 * MINUTE);
  await service.send(ping());
  service.look(NOON + 31 * MINUTE + 6_000);
  return service;
}

const dataOf = ({ message }: ClaimedDelivery): AlertData => message.data as AlertData;

test("R36: the last word about a job to arrive is the newest, though its incidents are different ones", async () => {
  using service = await missedAgain();
  // The recovery and the new alarm are younger, and would be tried at once if they did not wait.
  expect(byHand(createOutbox(service.store.database, () => {})).claim(NOON + 34 * MINUTE)).toEqual([]);
  const delivered = deliverAll(service, NOON + 35 * MINUTE);
  expect(delivered.map((each) => [dataOf(each).kind, dataOf(each).incidentId])).toEqual([
    ["InitialFailure", "1"],
    ["Recovered", "1"],
    ["InitialFailure", "2"],
  ]);
});

test("R36: a late message says what has happened since, read when it is sent", async () => {
  using service = await missedAgain();
  const [failed, recovered, missed] = deliverAll(service, NOON + 35 * MINUTE);
  const newest = { incidentId: "2", openedAt: "2026-03-02T12:31:05.000Z", closedAt: null };
  expect([failed!, recovered!, missed!].map((each) => dataOf(each).since)).toEqual([
    {
      closedAt: "2026-03-02T12:21:00.000Z",
      closedBy: "success",
      acknowledgedAt: null,
      acknowledgedBy: null,
      incidents: 1,
      newest,
    },
    { closedAt: null, closedBy: null, acknowledgedAt: null, acknowledgedBy: null, incidents: 1, newest },
    null,
  ]);
  const worded = [failed!, recovered!, missed!].map(({ message }) => wordingOf(message, NOON + 45 * MINUTE));
  expect(worded.map(({ subject }) => subject.replace(/^.*?Job/, ""))).toEqual([
    ", sent 40 minutes late, in trouble again since",
    ", after 16 minutes, sent 24 minutes late, in trouble again since",
    ", due 12:30",
  ]);
  expect(worded.map(({ story }) => story.find((line) => line.startsWith("Since then")))).toEqual([
    "Since then it recovered at 12:21; incident 2 opened at 12:31:05 and is open.",
    "Since then incident 2 opened at 12:31:05 and is open.",
    undefined,
  ]);
});

test("R36: a late alarm announces no reminder of an incident that is over, nor how to silence it", async () => {
  using service = await missedAgain();
  const [failed, , missed] = deliverAll(service, NOON + 35 * MINUTE);
  const late = wordingOf(failed!.message, NOON + 35 * MINUTE);
  expect(late.advice.join(" ")).not.toMatch(/reminder|closes the incident/);
  expect(late.commands).toEqual([]);
  const newest = wordingOf(missed!.message, NOON + 35 * MINUTE);
  expect(newest.advice.join(" ")).toMatch(/a reminder comes at/);
  expect(newest.commands).not.toEqual([]);
  // Once its time is over it is on its way behind this message.
  expect(wordingOf(missed!.message, NOON + 3 * HOUR).advice.join(" ")).not.toMatch(/reminder|next report/);
});

test("R36: a late alarm that was acknowledged meanwhile says so, and that no reminders come", async () => {
  using service = openService();
  await service.send(ping({ ...HALF_HOURLY, kind: "fail" }));
  service.at(NOON + 20 * MINUTE);
  service.engine.operate("incident ack", { id: 1 });
  const [failed] = deliverAll(service, NOON + 30 * MINUTE);
  const { story, advice, commands } = wordingOf(failed!.message, NOON + 30 * MINUTE);
  expect(story).toContain("Since then it was acknowledged at 12:20.");
  expect(advice.join(" ")).toContain("so no reminders come");
  expect(commands.map(({ value }) => value)).not.toContain("rollcall incident ack 1");
});

test("R36: of a job that was deleted meanwhile, a late alarm says that", async () => {
  using service = openService();
  await service.send(ping({ ...HALF_HOURLY, kind: "fail" }));
  service.at(NOON + 20 * MINUTE);
  service.engine.operate("monitor delete", { application: "prod", key: "job" });
  const [failed] = deliverAll(service, NOON + 30 * MINUTE);
  const { subject, story } = wordingOf(failed!.message, NOON + 30 * MINUTE);
  expect(story).toContain("Since then it was deleted at 12:20.");
  expect(subject).toEndWith(", closed since");
});

test("R36: of several incidents since, the last one is named", async () => {
  using service = openService();
  await service.send(ping({ ...HALF_HOURLY, kind: "fail" }));
  for (const minute of [1, 2, 3]) {
    service.at(NOON + minute * MINUTE);
    await service.send(ping());
    await service.send(ping({ kind: "fail" }));
  }
  service.at(NOON + 4 * MINUTE);
  await service.send(ping());
  const [failed] = deliverAll(service, NOON + 30 * MINUTE);
  expect(wordingOf(failed!.message, NOON + 30 * MINUTE).story).toContain(
    "Since then it recovered at 12:01; 3 more incidents opened, the last of them, 4, at 12:03 and closed at 12:04.",
  );
});
