// The contract's section "Alerts": which of the four alerts is raised when, and what it says, by reports over HTTP at
// times of the test's own. How alerts reach people is tested in test/notify and test/executable.

import { describe, expect, test } from "bun:test";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { policyWith } from "../support/engine.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const HOURLY = "schedule=0+*+*+*+*";

/** What the generic webhook's `data` has. */
const FIELDS = [
  ...["incidentId", "applicationId", "monitorKey", "name", "kind", "cause", "reason", "status", "severity"],
  ...["environment", "owner", "schedule", "timezone", "expectedAt", "openedAt", "recoveredAt", "durationSeconds"],
  ...["missedSlots", "failureMessage", "outcomes", "runId", "links", "url"],
];

/** The field of every alert that was told, oldest first. */
const notifiedIn = ({ instance }: WatchedService, field: keyof AlertData): unknown[] =>
  instance.store.database
    .query<{ data: string }, []>("select data from alerts order by id")
    .all()
    .map(({ data }) => alertDataFrom(data)![field]);

describe("InitialFailure", () => {
  test("R20: is raised when the expected report is missing at slot + grace + 5 s, and not a second before", async () => {
    await using service = watchService();
    await service.report("10:00:00", `?${HOURLY}&gracePeriod=120`);
    service.at("11:02:04");
    expect(service.news()).toEqual([]);
    service.at("11:02:05");
    expect(service.news()).toEqual(["11:02:05 InitialFailure missed"]);
  });

  test("a fail is told at once, without any grace, with the message that was supplied", async () => {
    await using service = watchService();
    await service.report("10:00:00", `?${HOURLY}&gracePeriod=86400`);
    await service.report("10:20:00", "/fail?message=disk%20full");
    expect(service.news()).toEqual(["10:20:00 InitialFailure failed"]);
    expect(notifiedIn(service, "failureMessage")).toEqual(["disk full"]);
  });

  test("R21: is raised when a run does not end", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?${HOURLY}&maxRuntime=600`);
    service.at("10:10:00");
    expect(service.news()).toEqual(["10:10:00 InitialFailure unfinished"]);
    expect(notifiedIn(service, "maxRuntimeSeconds")).toEqual([600]);
  });

  test("R23: there is at most one open incident: later trouble of the same cause is counted and not told", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/fail?${HOURLY}&message=one`);
    await service.report("10:01:00", "/fail?message=two");
    await service.report("10:02:00", "/fail?message=three");
    expect(service.news()).toEqual(["10:00:00 InitialFailure failed"]);
    expect(service.instance.monitor().incident).toMatchObject({ troubles: 3, message: "three" });
  });
});

describe("NeverExecuted", () => {
  test("is raised when a monitor was registered and never received anything", async () => {
    await using service = watchService("09:59:00", policyWith({ monitors: { job: { schedule: "0 * * * *" } } }));
    service.at("10:01:05");
    expect(service.news()).toEqual(["10:01:05 NeverExecuted missed"]);
    await service.report("10:30:00");
    expect(service.news()).toEqual(["10:30:00 Recovered missed"]);
  });

  test("R23: is not raised once anything was received, whatever it was", async () => {
    await using service = watchService("09:59:00", policyWith({ monitors: { job: { schedule: "0 * * * *" } } }));
    await service.report("10:00:00", "/start");
    await service.report("10:01:00", "/fail");
    expect(service.news()).toEqual(["10:01:00 InitialFailure failed"]);
  });
});

describe("ContinuedFailure", () => {
  test("R23: is raised 1 h, 6 h and 24 h after the opening, then daily, at most 30 times; the last says so", async () => {
    await using service = watchService();
    await service.report("10:00:00", "/fail?schedule=0+0+1+1+*");
    service.at("04-30 10:00:00");
    const [opening, ...reminders] = service.news();
    expect(opening).toBe("10:00:00 InitialFailure failed");
    expect(reminders).toHaveLength(30);
    expect(reminders.slice(0, 4)).toEqual([
      "11:00:00 ContinuedFailure failed (reminder)",
      "16:00:00 ContinuedFailure failed (reminder)",
      "03-03 10:00:00 ContinuedFailure failed (reminder)",
      "03-04 10:00:00 ContinuedFailure failed (reminder)",
    ]);
    expect(reminders.at(-1)).toBe("03-30 10:00:00 ContinuedFailure failed (last_reminder)");
  });

  test("R23: is raised at once for a cause that is new to the incident, once, even when it is acknowledged", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/fail?${HOURLY}`);
    service.engine.operate("incident ack", { id: 1 });
    service.at("12:30:00");
    expect(service.news()).toEqual(["10:00:00 InitialFailure failed", "11:01:05 ContinuedFailure missed"]);
  });

  test("R23: acknowledging stops the reminders; detection and recovery stay active", async () => {
    await using service = watchService();
    await service.report("10:00:00", "/fail?schedule=0+0+1+1+*");
    service.engine.operate("incident ack", { id: 1 });
    service.at("03-09 10:00:00");
    await service.report("03-09 10:01:00");
    await service.report("03-09 10:02:00", "/fail");
    expect(service.news()).toEqual([
      "10:00:00 InitialFailure failed",
      "03-09 10:01:00 Recovered failed",
      "03-09 10:02:00 InitialFailure failed",
    ]);
  });
});

describe("Recovered", () => {
  test.each(["", "/complete"])("R23: is raised by a success: %p", async (success) => {
    await using service = watchService();
    await service.report("10:00:00", `/fail?${HOURLY}`);
    await service.report("10:05:00", "/start");
    expect(service.news()).toEqual(["10:00:00 InitialFailure failed"]);
    await service.report("10:06:00", success);
    expect(service.news()).toEqual(["10:06:00 Recovered failed"]);
    await service.report("10:07:00", success);
    expect(service.news()).toEqual([]);
  });

  test("R23: says how long it lasted and how many slots closed unfilled", async () => {
    await using service = watchService();
    await service.report("10:00:00", `?${HOURLY}`);
    service.at("11:01:05");
    await service.report("14:00:30");
    expect(notifiedIn(service, "missedSlots").at(-1)).toBe(3);
    expect(notifiedIn(service, "durationSeconds").at(-1)).toBe(3 * 3600 - 35);
    expect(notifiedIn(service, "recoveredAt").at(-1)).toBe("2026-03-02T14:00:30.000Z");
  });

  test("R23: says whether a success, a person or a deletion closed it", async () => {
    await using service = watchService();
    const job = { application: "prod", key: "job" };
    await service.report("10:00:00", `/fail?${HOURLY}`);
    service.engine.operate("incident resolve", { id: 1 });
    await service.report("10:01:00", "/fail");
    await service.report("10:02:00");
    await service.report("10:03:00", "/fail");
    service.engine.operate("monitor delete", job);
    expect(notifiedIn(service, "reason")).toEqual(["opened", "resolved", "opened", "success", "opened", "deleted"]);
  });

  test("R20: a success after the slot closed recovers and fills what its own time fills, nothing later", async () => {
    await using service = watchService();
    await service.report("10:00:00", `?${HOURLY}`);
    await service.report("11:58:00");
    expect(service.news()).toEqual(["11:01:05 InitialFailure missed", "11:58:00 Recovered missed"]);
    expect(service.expects()).toBe("12:00:00");
  });
});

test("R37: every alert has every field, null where one does not apply", async () => {
  await using service = watchService();
  await service.report("10:00:00", `?${HOURLY}`);
  service.at("11:01:05");
  await service.report("11:02:00", "/fail?message=one");
  await service.report("11:03:00");
  const rows = service.instance.store.database.query<{ data: string }, []>("select data from alerts order by id").all();
  const alerts = rows.map(({ data }) => alertDataFrom(data)!);
  expect(alerts.map(({ kind }) => kind)).toEqual(["InitialFailure", "ContinuedFailure", "Recovered"]);
  for (const alert of alerts) expect(FIELDS.filter((field) => !(field in alert))).toEqual([]);
  expect(alerts[0]).toMatchObject({
    monitorKey: "job",
    recoveredAt: null,
    failureMessage: null,
    runId: null,
    owner: null,
  });
  expect(alerts[2]).toMatchObject({ recoveredAt: "2026-03-02T11:03:00.000Z", missedSlots: 1, failureMessage: "one" });
});

describe("R41: trouble that is tolerated", () => {
  const twice = { job: { alertAfterMisses: 2, alertAfterFailures: 2 } };

  test("opens at the n-th in a row, stamped with that one; a success resets it, and nothing recovers unopened", async () => {
    await using service = watchService("09:59:00", policyWith({ monitors: twice }));
    await service.report("10:00:00", `/fail?${HOURLY}`);
    expect(service.status()).toBe("warning");
    await service.report("10:01:00");
    expect(service.status()).toBe("healthy");
    await service.report("10:02:00", "/fail");
    await service.report("10:03:00", "/fail");
    expect(service.news()).toEqual(["10:03:00 InitialFailure failed"]);
  });

  test("misses are counted by themselves", async () => {
    await using service = watchService("09:59:00", policyWith({ monitors: twice }));
    await service.report("10:00:00", `?${HOURLY}`);
    service.at("11:30:00");
    expect([service.status(), ...service.news()]).toEqual(["warning"]);
    service.at("12:30:00");
    expect([service.status(), ...service.news()]).toEqual(["critical", "12:01:05 InitialFailure missed"]);
  });
});
