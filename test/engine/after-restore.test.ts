// After a restore (R26): what the replaced database knew of incidents and messages holds, and is told once. Over real
// tables; the notifier is asked what it would claim, and each message arrives.

import { expect, test } from "bun:test";
import { isAlert } from "../../src/domain/message/message.ts";
import type { DestinationRules } from "../../src/domain/settings/policy.ts";
import { type Hearing, parseQuiet } from "../../src/domain/telling/hearing.ts";
import { HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import type { Ending } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NOTHING_NEW } from "../support/alerts.ts";
import { INCIDENTS, MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const NEVER = "0 0 29 2 *";
const LATER: Hearing = { afterSeconds: 1_200 };

async function openTelling(destinations: Readonly<Record<string, DestinationRules>>): Promise<Service> {
  const team = { name: null, destinations: Object.keys(destinations), members: [] };
  const service = openService(policyWith({ destinations: new Map(Object.entries(destinations)), team }));
  await service.send(ping({ schedule: NEVER }), ping({ monitorKey: "other", schedule: NEVER }));
  return service;
}

/** All alerts that go out at `now`: destination, kind, cause of its end, and number of the incident. */
function send(service: Service, now: Instant): string[] {
  service.look(now);
  service.endTurns();
  const outbox = createOutbox(service.store.database, () => {});
  const told: string[] = [];
  const wanted = { now, busy: new Set<string>(), limit: 16, each: 16, digests: new Map(), ...NOTHING_NEW };
  for (let endings: Ending[] = []; ; ) {
    const { claimed } = outbox.exchange(endings, wanted);
    if (claimed.length === 0) return told;
    endings = claimed.map(({ id }) => ({ id, ending: "sent", at: now, answer: "200" }));
    for (const { destination, message } of claimed)
      if (isAlert(message))
        told.push(
          `${destination} ${message.type.replace("monitor.", "")} ${message.data.reason} ${message.data.incidentId}`,
        );
  }
}

const at = (minutes: number): Instant => NOON + minutes * MINUTE;

async function report(service: Service, minutes: number, kind: "fail" | "heartbeat", key = "job"): Promise<string[]> {
  service.at(at(minutes));
  await service.send(ping({ kind, monitorKey: key }));
  return send(service, at(minutes));
}

test("R26: an incident that had ended before the restore is over after it, and the next failure is told at once", async () => {
  using service = await openTelling({ chat: MESSAGES, pager: INCIDENTS });
  await report(service, 1, "fail");
  const backup = service.backUp();
  expect(await report(service, 30, "heartbeat")).toEqual(["chat recovered success 1", "pager recovered success 1"]);
  service.at(at(50));
  service.restore(backup);
  expect(send(service, at(50))).toEqual([]);
  expect(send(service, at(61))).toEqual([]);
  expect(service.monitor().incident).toBeNull();
  expect(await report(service, 80, "fail")).toEqual([
    "chat initial_failure opened 2",
    "pager initial_failure opened 2",
  ]);
});

test("R26: an end that had not arrived everywhere before the restore is told where it had not", async () => {
  using service = await openTelling({ chat: MESSAGES, pager: INCIDENTS });
  await report(service, 1, "fail");
  const backup = service.backUp();
  service.at(at(30));
  await service.send(ping());
  service.store.database.run("UPDATE deliveries SET outcome = 'sent', finished_at = 1 WHERE id = 3");
  service.at(at(50));
  service.restore(backup);
  expect(send(service, at(50))).toEqual(["pager recovered success 1"]);
  const rows = granted(service.engine.operate("incident show", { id: 1 })).notified.flatMap(
    ({ deliveries }) => deliveries,
  );
  expect(rows.map(({ answer }) => answer)).toContain("it was sent before the backup was restored");
});

test("R26: what a person had taken on before the restore is not told to who hears it only otherwise", async () => {
  using service = await openTelling({ boss: { ...MESSAGES, hears: LATER }, pager: INCIDENTS });
  await report(service, 1, "fail");
  const backup = service.backUp();
  service.at(at(10));
  granted(service.engine.operate("incident ack", { id: 1 }));
  expect(send(service, at(10))).toEqual(["pager acknowledged acknowledged 1"]);
  service.at(at(12));
  service.restore(backup);
  expect([12, 21, 40, 61, 400].flatMap((minutes) => send(service, at(minutes)))).toEqual([]);
  expect(service.monitor().incident?.acknowledgedAt).toBe(at(10));
});

test("R26: an acknowledgement that was taken back before the restore does not come back with the backup", async () => {
  using service = await openTelling({ boss: { ...MESSAGES, hears: LATER } });
  await report(service, 1, "fail");
  service.at(at(5));
  granted(service.engine.operate("incident ack", { id: 1 }));
  const backup = service.backUp();
  service.at(at(10));
  granted(service.engine.operate("incident unack", { id: 1 }));
  service.at(at(12));
  service.restore(backup);
  expect(service.monitor().incident?.acknowledgedAt).toBe(null);
  expect([12, 20].flatMap((minutes) => send(service, at(minutes)))).toEqual([]);
  expect([21, 32].flatMap((minutes) => send(service, at(minutes)))).toEqual(["boss initial_failure opened 1"]);
});

test("R23, R26: an acknowledgement that is taken back after the restore holds nothing back", async () => {
  using service = await openTelling({ boss: { ...MESSAGES, hears: LATER } });
  await report(service, 1, "fail");
  const backup = service.backUp();
  service.at(at(5));
  granted(service.engine.operate("incident ack", { id: 1 }));
  service.at(at(12));
  service.restore(backup);
  expect(send(service, at(13))).toEqual([]);
  service.at(at(14));
  granted(service.engine.operate("incident unack", { id: 1 }));
  expect([14, 20].flatMap((minutes) => send(service, at(minutes)))).toEqual([]);
  expect([21, 32].flatMap((minutes) => send(service, at(minutes)))).toEqual(["boss initial_failure opened 1"]);
});

test("R26, R36: what had arrived before the restore is not sent again, and what is behind it goes on", async () => {
  using service = await openTelling({ chat: MESSAGES });
  service.at(at(1));
  await service.send(ping({ kind: "fail" }));
  const backup = service.backUp();
  expect(send(service, at(1))).toEqual(["chat initial_failure opened 1"]);
  service.at(at(20));
  service.restore(backup);
  expect(send(service, at(20))).toEqual([]);
  expect(await report(service, 30, "heartbeat")).toEqual(["chat recovered success 1"]);
});

test("R26: failures that no one had been told of before the restore are told after it, each before its end", async () => {
  using service = await openTelling({ chat: MESSAGES });
  const backup = service.backUp();
  service.at(at(1));
  await service.send(ping({ kind: "fail" }), ping({ kind: "fail", monitorKey: "other" }));
  service.at(at(20));
  // A restore that is followed by another has told nothing yet.
  service.restore(backup);
  service.restore(backup);
  expect(send(service, at(20))).toEqual([
    "chat initial_failure opened 1",
    "chat recovered restored 1",
    "chat initial_failure opened 2",
    "chat recovered restored 2",
  ]);
  expect(send(service, at(20) + HOUR)).toEqual([]);
});

test("R26, R38: who hears only later is not told after a restore of what it would not have been told", async () => {
  using service = await openTelling({ chat: MESSAGES, boss: { ...MESSAGES, hears: LATER } });
  const backup = service.backUp();
  expect(await report(service, 1, "fail")).toEqual(["chat initial_failure opened 1"]);
  service.at(at(2));
  service.restore(backup);
  expect(send(service, at(2))).toEqual(["chat recovered restored 1"]);
  expect(send(service, at(90))).toEqual([]);
});

test("R26, R38: what a restore tells waits for the end of quiet hours, and calls no pager", async () => {
  const hears: Hearing = { quiet: [parseQuiet("12:00-14:00")!] };
  using service = await openTelling({ chat: { ...MESSAGES, hears }, pager: { ...INCIDENTS, hears } });
  const backup = service.backUp();
  expect(await report(service, 1, "fail")).toEqual([]);
  service.at(at(2));
  service.restore(backup);
  expect(send(service, at(2))).toEqual([]);
  expect(send(service, at(119))).toEqual([]);
  expect(send(service, at(120))).toEqual(["chat initial_failure opened 1", "chat recovered restored 1"]);
});

test("R26: a restore that follows another forgets nothing of what the first one replaced", async () => {
  using service = await openTelling({ chat: MESSAGES });
  await report(service, 1, "fail");
  const backup = service.backUp();
  await report(service, 30, "heartbeat");
  service.at(at(50));
  service.restoreTwice(backup);
  expect(service.monitor().incident).toBeNull();
  expect(send(service, at(61))).toEqual([]);
});

test("R26: a replaced database of an earlier version, without a column that is asked for, still says what is lost", async () => {
  using service = await openTelling({ chat: MESSAGES });
  const backup = service.backUp();
  await report(service, 1, "fail");
  service.store.database.run("DROP INDEX deliveries_sent_as");
  service.store.database.run("ALTER TABLE deliveries DROP COLUMN sent_as");
  service.at(at(20));
  service.restore(backup);
  expect(send(service, at(20))).toEqual(["chat recovered restored 1"]);
});

test("R26: a replaced database of another machine says nothing of this one's incidents", async () => {
  using service = await openTelling({ chat: MESSAGES });
  await report(service, 1, "fail");
  const backup = service.backUp();
  using other = await openTelling({ chat: MESSAGES });
  await report(other, 2, "fail");
  await report(other, 3, "heartbeat");
  other.at(at(20));
  other.restore(backup);
  expect(other.monitor().incident?.openedAt).toBe(at(1));
});
