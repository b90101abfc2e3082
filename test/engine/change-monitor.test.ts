// What an operator changes of a monitor that is there, or was: settings, key, deletion.

import { describe, expect, test } from "bun:test";
import type { AlertMessage } from "../../src/domain/message/alert.ts";
import { digestOf } from "../../src/domain/message/digest.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { bodyThrough } from "../support/alerts.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";

async function hourly(...policy: Parameters<typeof openService>): Promise<Service> {
  const service = openService(...policy);
  await service.send(ping({ schedule: HOURLY }));
  return service;
}

const listed = (service: Service) => granted(service.engine.operate("monitor list", {})).monitors;

const PAGER = CHANNELS.pagerduty({ integrationKey: "key", region: "us", url: null });

const dedupKeyOf = (message: AlertMessage): string => JSON.parse(bodyThrough(PAGER, message)).dedup_key;

const messagesOf = ({ store }: Service): AlertMessage[] =>
  store.database
    .query<{ type: AlertMessage["type"]; at: number; data: string }, []>(
      "select type, at, data from alerts order by id",
    )
    .all()
    .map(({ type, at, data }) => ({ type, at, data: alertDataFrom(data)! }));

describe("monitor set", () => {
  test("changes what it names, leaves the rest alone, and keeps the history", async () => {
    using service = await hourly();
    const set = granted(service.engine.operate("monitor set", { key: "job", graceSeconds: 600, name: "The job" }));
    expect(set).toMatchObject({ changed: true, overridden: [], source: null });
    expect(set.monitor).toMatchObject({ name: "The job", graceSeconds: 600, schedule: HOURLY, lastPingAt: NOON });
    expect(granted(service.engine.operate("monitor show", { key: "job" })).pings).toHaveLength(1);
    service.look(NOON + HOUR + 9 * MINUTE);
    expect(service.alarms()).toEqual([]);
    service.look(NOON + HOUR + 11 * MINUTE);
    expect(service.alarms()).toMatchObject([{ cause: "missed" }]);
  });

  test("is taken back within ten minutes, unless what it changed has changed since", async () => {
    using service = await hourly();
    const set = (asked: object) => service.engine.operate("monitor set", { key: "job", ...asked });
    const shown = () => granted(service.engine.operate("monitor show", { key: "job" })).settings;
    const told = (part: RegExp) => expect.objectContaining({ message: expect.stringMatching(part) });
    expect(set({ undo: true })).toEqual(told(/^undo: no one has changed/));
    granted(set({ everySeconds: 3600, graceSeconds: 600, name: "The job" }));
    service.at(NOON + 10 * MINUTE);
    const undone = granted(set({ undo: true }));
    expect(undone).toMatchObject({ changed: true, monitor: { schedule: HOURLY, name: "Job" } });
    expect(undone.changes.map(({ setting, from, to }) => [setting, from, to])).toEqual([
      ["schedule", null, HOURLY],
      ["every", "3600", null],
      ["name", "The job", null],
      ["grace", "600", null],
    ]);
    expect(shown().graceSeconds).toMatchObject({ value: 60, from: "default", declared: null });
    // Undone once more it is as it was set.
    granted(set({ undo: true }));
    expect(shown().everySeconds.value).toBe(3600);
    await service.send(ping({ graceSeconds: 120 }));
    expect(set({ undo: true })).toEqual(told(/^undo: grace has been changed again since$/));
    expect(set({ undo: true, graceSeconds: 600 })).toEqual(told(/sets nothing else$/));
    granted(set({ graceSeconds: 900 }));
    service.at(service.now + 10 * MINUTE + 1);
    expect(set({ undo: true })).toEqual(told(/^undo: no one has changed/));
    expect(shown().graceSeconds.value).toBe(900);
  });

  test("R12: another schedule keeps an open slot that both have, and forgets the others", async () => {
    using service = await hourly();
    granted(service.engine.operate("monitor set", { key: "job", graceSeconds: 3600 }));
    service.at(NOON + HOUR + 30 * MINUTE);
    granted(service.engine.operate("monitor set", { key: "job", schedule: "0 1-23/2 * * *" }));
    expect(service.monitor().expectedAt).toBe(NOON + HOUR);
    granted(service.engine.operate("monitor set", { key: "job", schedule: "15 * * * *" }));
    expect(service.monitor().expectedAt).toBe(NOON + 2 * HOUR + 15 * MINUTE);
  });

  test("R12: a job that declares another value later replaces it", async () => {
    using service = await hourly();
    granted(service.engine.operate("monitor set", { key: "job", schedule: "30 * * * *", graceSeconds: 600 }));
    await service.send(ping({ schedule: HOURLY }));
    expect(listed(service)[0]).toMatchObject({ schedule: HOURLY, graceSeconds: 600 });
  });

  test("R31: says which of it the configuration overrides, and keeps it beneath", async () => {
    using service = await hourly(policyWith({ monitors: { job: { graceSeconds: 1800 } } }));
    const set = granted(service.engine.operate("monitor set", { key: "job", graceSeconds: 600, name: "The job" }));
    expect(set).toMatchObject({ overridden: ["grace"], monitor: { graceSeconds: 1800, name: "The job" } });
    service.restart(policyWith());
    expect(listed(service)[0]).toMatchObject({ graceSeconds: 600 });
  });

  test("takes back what was declared", async () => {
    using service = await hourly();
    granted(service.engine.operate("monitor set", { key: "job", maxRuntimeSeconds: 600, graceSeconds: 600 }));
    granted(service.engine.operate("monitor set", { key: "job", unset: "max-runtime, grace" }));
    expect(listed(service)[0]).toMatchObject({ maxRuntimeSeconds: null, graceSeconds: 60 });
    expect(granted(service.engine.operate("monitor set", { key: "job", unset: "grace" })).changed).toBe(false);
  });

  test.each([
    [{}, "nothing is to be set"],
    [{ unset: "colour" }, "must be some of schedule, every, name, timezone, grace, max-runtime"],
    [{ schedule: "0 2 * *" }, "schedule"],
    [{ graceSeconds: 60, unset: "grace" }, "set and unset"],
  ])("refuses %j, and changes nothing", async (asked, message) => {
    using service = await hourly();
    const refused = service.engine.operate("monitor set", { key: "job", ...asked });
    expect(refused).toMatchObject({ message: expect.stringContaining(message) });
    expect(listed(service)[0]).toMatchObject({ schedule: HOURLY, graceSeconds: 60 });
  });
});

describe("monitor rename", () => {
  test("keeps all but the key; a report under the old one makes another monitor", async () => {
    using service = await hourly();
    await service.send(ping({ kind: "fail" }));
    expect(granted(service.engine.operate("monitor rename", { key: "job", newKey: "task" }))).toMatchObject({
      ...{ was: "job", source: null, returnsAtStart: false },
      monitor: { key: "task", status: "critical", createdAt: NOON },
    });
    await service.send(ping({ monitorKey: "task" }));
    expect(service.alarms().at(-1)).toMatchObject({ monitor: "task", kind: "Recovered" });
    await service.send(ping({ schedule: HOURLY }));
    expect(listed(service).map(({ key, status }) => [key, status])).toEqual([
      ["job", "healthy"],
      ["task", "healthy"],
    ]);
    service.restart();
    expect(listed(service)).toHaveLength(2);
  });

  test("R31: puts the configuration of the new key in force", async () => {
    using service = await hourly(policyWith({ monitors: { task: { graceSeconds: 1800 } } }));
    granted(service.engine.operate("monitor rename", { key: "job", newKey: "task" }));
    expect(listed(service)[0]).toMatchObject({ key: "task", graceSeconds: 1800 });
  });

  test("R37: what follows in an incident names the job as it was told first, too, and keeps its place at PagerDuty", async () => {
    using service = await hourly();
    await service.send(ping({ kind: "fail" }));
    granted(service.engine.operate("monitor rename", { key: "job", newKey: "task" }));
    granted(service.engine.operate("monitor set", { key: "task", name: "The task" }));
    await service.send(ping({ monitorKey: "task" }));
    await service.send(ping({ monitorKey: "task", kind: "fail" }));
    const [opened, recovered, next] = messagesOf(service);
    expect(opened!.data.formerly).toBeNull();
    expect(recovered!.data).toMatchObject({ name: "The task", formerly: { monitorKey: "job", name: "Job" } });
    expect(next!.data.formerly).toBeNull();
    const wording = wordingOf(recovered!, recovered!.at);
    expect(wording.subject).toBe("Recovered: The task (formerly Job), after less than a second");
    expect(wording.story[0]).toBe("The task (formerly Job) works again.");
    expect(wording.facts).toContainEqual({ label: "Monitor", value: "task (formerly job)" });
    expect(wordingOf(digestOf("recovered", [recovered!]), recovered!.at).items[0]!.name).toBe(
      "Recovered: The task (task, formerly Job)",
    );
    expect(dedupKeyOf(recovered!)).toBe(dedupKeyOf(opened!));
  });

  test("R37: a name that was taken back is no other name", async () => {
    using service = await hourly();
    await service.send(ping({ kind: "fail" }));
    granted(service.engine.operate("monitor rename", { key: "job", newKey: "task" }));
    granted(service.engine.operate("monitor rename", { key: "task", newKey: "job" }));
    await service.send(ping());
    expect(messagesOf(service).map(({ data }) => data.formerly)).toEqual([null, null]);
  });

  test("refuses a key that another monitor has, and one that none can have", async () => {
    using service = await hourly();
    await service.send(ping({ monitorKey: "task", schedule: HOURLY }));
    expect(service.engine.operate("monitor rename", { key: "job", newKey: "task" })).toMatchObject({
      message: expect.stringContaining("exists already"),
    });
    expect(service.engine.operate("monitor rename", { key: "job", newKey: "" })).toMatchObject({
      message: expect.stringMatching(/^newKey: /),
    });
  });
});

describe("monitor undelete", () => {
  test("R25: brings history, settings and schedule back within 7 days; nothing was missed meanwhile", async () => {
    using service = await hourly();
    granted(service.engine.operate("monitor delete", { key: "job" }));
    service.look(NOON + 6 * DAY + 30 * MINUTE);
    const back = granted(service.engine.operate("monitor undelete", { key: "job" }));
    expect(back.monitor).toMatchObject({ status: "healthy", schedule: HOURLY, lastPingAt: NOON });
    expect(service.monitor().expectedAt).toBe(NOON + 6 * DAY + HOUR);
    expect(granted(service.engine.operate("monitor show", { key: "job" })).pings).toHaveLength(1);
    expect(service.alarms()).toEqual([]);
    service.look(NOON + 6 * DAY + HOUR + 5 * MINUTE);
    expect(service.alarms()).toMatchObject([{ cause: "missed" }]);
  });

  test("leaves a pause by hand in force, and ends one that has run out", async () => {
    using service = await hourly();
    await service.send(ping({ monitorKey: "b", schedule: HOURLY }));
    granted(service.engine.operate("monitor pause", { key: "job" }));
    granted(service.engine.operate("monitor pause", { key: "b", durationSeconds: 3600 }));
    for (const key of ["job", "b"]) granted(service.engine.operate("monitor delete", { key }));
    service.look(NOON + DAY);
    for (const key of ["job", "b"]) granted(service.engine.operate("monitor undelete", { key }));
    expect(listed(service).map(({ key, status }) => [key, status])).toEqual([
      ["b", "healthy"],
      ["job", "paused"],
    ]);
    expect(service.alarms()).toEqual([]);
  });

  test("R25: is refused after 7 days, and while another has its key", async () => {
    using service = await hourly();
    granted(service.engine.operate("monitor delete", { key: "job" }));
    await service.send(ping({ schedule: HOURLY }));
    expect(service.engine.operate("monitor undelete", { key: "job" })).toMatchObject({
      message: expect.stringContaining("there is another monitor"),
    });
    granted(service.engine.operate("monitor delete", { key: "job" }));
    service.at(NOON + 7 * DAY + 1);
    expect(service.engine.operate("monitor undelete", { key: "job" })).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
  });
});
