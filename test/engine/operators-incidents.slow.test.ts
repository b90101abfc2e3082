// What operators see of incidents and do to them, on the real engine.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

/** A monitor `job` whose incident 1 has just opened. */
async function withIncident(): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail", message: "disk full" }));
  return service;
}

const kindsNotified = (service: Service): string[] => service.alarms().map(({ kind, reason }) => `${kind} ${reason}`);

const listed = (service: Service, openOnly = false): number[] =>
  granted(service.engine.operate("incident list", { application: null, open: openOnly })).incidents.map(({ id }) => id);

test("a list goes on behind a number, of all incidents, one application's or the open ones", async () => {
  using service = openService();
  const fail = (key: string) => service.send(ping({ monitorKey: key, kind: "fail", schedule: "0 0 29 2 *" }));
  for (const key of ["a", "b", "c", "d", "e"]) await fail(key);
  await service.send(ping({ monitorKey: "d" }));
  for (const [filter, all] of [
    [{}, [5, 4, 3, 2, 1]],
    [{ application: "prod" }, [5, 4, 3, 2, 1]],
    [{ open: true }, [5, 3, 2, 1]],
    [{ application: "prod", open: true }, [5, 3, 2, 1]],
  ] as const) {
    const read: number[] = [];
    for (let more = true; more && read.length <= all.length; ) {
      const behind = read.length === 0 ? {} : { before: read.at(-1)! };
      const page = granted(service.engine.operate("incident list", { ...filter, ...behind, limit: 2 }));
      read.push(...page.incidents.map(({ id }) => id));
      more = page.more;
    }
    expect(read).toEqual([...all]);
  }
  expect(granted(service.engine.operate("incident list", { before: 1 }))).toEqual({ incidents: [], more: false });
});

describe("R23: acknowledging", () => {
  test("ends the reminders; a new cause and the recovery are still told", async () => {
    using service = await withIncident();
    service.look(NOON + HOUR);
    expect(kindsNotified(service)).toEqual(["InitialFailure opened", "ContinuedFailure reminder"]);
    expect(granted(service.engine.operate("incident ack", { id: 1 }))).toMatchObject({
      changed: true,
      status: "critical",
      incident: { id: 1, key: "job", acknowledgedAt: NOON + HOUR, remindAt: null, message: "disk full" },
    });
    service.look(NOON + 3 * DAY);
    expect(kindsNotified(service)).toHaveLength(2);
    await service.send(ping({ kind: "start", maxRuntimeSeconds: 60 }));
    service.look(NOON + 3 * DAY + MINUTE);
    await service.send(ping());
    expect(kindsNotified(service).slice(2)).toEqual(["ContinuedFailure new_cause", "Recovered success"]);
  });

  test("twice changes nothing, and the first time stands", async () => {
    using service = await withIncident();
    granted(service.engine.operate("incident ack", { id: 1 }));
    service.at(NOON + MINUTE);
    expect(granted(service.engine.operate("incident ack", { id: 1 }))).toMatchObject({
      changed: false,
      incident: { acknowledgedAt: NOON },
    });
  });

  test("of all, or of an application, is a hundred at once, and none twice", async () => {
    using service = openService();
    const failing = Array.from({ length: 120 }, (_, place) =>
      ping({ monitorKey: `job-${place}`, kind: "fail", schedule: "0 0 29 2 *" }),
    );
    await service.send(...failing);
    granted(service.engine.operate("incident ack", { id: 7 }));
    const all = () => granted(service.engine.operate("incident ack-all", { application: "prod" }));
    expect([all(), all(), all()]).toEqual([
      { acknowledged: 100, left: 19 },
      { acknowledged: 19, left: 0 },
      { acknowledged: 0, left: 0 },
    ]);
    expect(service.engine.operate("incident ack-all", { application: "none" })).toMatchObject({ refusal: "NOT_FOUND" });
  });

  test("of some numbers leaves the others, also where more than a thousand newer ones are acknowledged", async () => {
    using service = openService();
    const failing = Array.from({ length: 1_100 }, (_, place) =>
      ping({ monitorKey: `job-${place}`, kind: "fail", schedule: "0 0 29 2 *" }),
    );
    await service.send(...failing);
    const only = (only: string | null) => service.engine.operate("incident ack-all", { only });
    for (let left = 1; left > 0; ) left = granted(only("12, 20-1100")).left;
    expect(only("12,20-1100")).toEqual({ acknowledged: 0, left: 0 });
    expect(only("5-6")).toEqual({ acknowledged: 2, left: 0 });
    expect(only(null)).toEqual({ acknowledged: 16, left: 0 });
    expect(only("6-5")).toMatchObject({
      refusal: "INVALID_REQUEST",
      message: "only: it must be numbers and ranges, such as 12,15-20",
    });
  });

  test("a closed one, and one that does not exist, are refused", async () => {
    using service = await withIncident();
    await service.send(ping());
    expect(service.engine.operate("incident ack", { id: 1 })).toMatchObject({
      refusal: "INVALID_REQUEST",
      message: expect.stringContaining("closed"),
    });
    expect(service.engine.operate("incident ack", { id: 2 })).toMatchObject({ refusal: "NOT_FOUND" });
  });
});

describe("R23: resolving", () => {
  test("closes it, tells the recovery, and a later failure opens another", async () => {
    using service = await withIncident();
    service.at(NOON + MINUTE);
    expect(granted(service.engine.operate("incident resolve", { id: 1 }))).toMatchObject({
      changed: true,
      status: "healthy",
      incident: { closedAt: NOON + MINUTE, closedBy: "resolved" },
    });
    expect(kindsNotified(service)).toEqual(["InitialFailure opened", "Recovered resolved"]);
    expect(service.nudges).toBe(2);
    await service.send(ping({ kind: "fail" }));
    expect(listed(service, true)).toEqual([2]);
  });

  test("of one that is closed already changes nothing", async () => {
    using service = await withIncident();
    await service.send(ping());
    expect(granted(service.engine.operate("incident resolve", { id: 1 }))).toMatchObject({
      changed: false,
      incident: { closedBy: "success" },
    });
    expect(kindsNotified(service)).toHaveLength(2);
  });

  test("one that does not exist is refused", async () => {
    using service = await withIncident();
    expect(service.engine.operate("incident resolve", { id: 2 })).toMatchObject({ refusal: "NOT_FOUND" });
  });
});

describe("the list of incidents", () => {
  test("has the newest first, of all or only the open ones, of all applications or of one", async () => {
    using service = await withIncident();
    await service.send(ping(), ping({ kind: "fail", message: "again" }));
    granted(service.engine.operate("app create", { slug: "staging" }));
    const staging = { applicationId: 2, application: "staging", keyId: 2, scope: "all" } as const;
    await service.send(
      ping({ caller: staging, monitorKey: "other", name: "Another", schedule: "0 0 29 2 *" }),
      ping({ caller: staging, monitorKey: "other", kind: "fail" }),
    );
    expect(listed(service)).toEqual([3, 2, 1]);
    expect(listed(service, true)).toEqual([3, 2]);
    const of = (application: string, openOnly = false) =>
      granted(service.engine.operate("incident list", { application, open: openOnly })).incidents.map(({ id }) => id);
    expect([of("prod"), of("staging")]).toEqual([[2, 1], [3]]);
    expect([of("prod", true), of("staging", true)]).toEqual([[2], [3]]);
    expect(service.engine.operate("incident list", { application: "nowhere", open: false })).toMatchObject({
      refusal: "NOT_FOUND",
    });
    const [newest, open, closed] = granted(
      service.engine.operate("incident list", { application: null, open: false }),
    ).incidents;
    expect(newest).toMatchObject({ application: "staging", key: "other", name: "Another" });
    expect(open).toMatchObject({ name: "Job", causes: ["failed"], message: "again", closedAt: null });
    expect(closed).toMatchObject({ openedAt: NOON, closedAt: NOON, closedBy: "success" });
  });

  test("is bounded, and says when it leaves out older ones", async () => {
    using service = await withIncident();
    const again = Array.from({ length: 499 }, () => [ping(), ping({ kind: "fail" })]).flat();
    await service.send(...again);
    const list = () => granted(service.engine.operate("incident list", { application: null, open: false }));
    expect([list().incidents.length, list().more]).toEqual([500, false]);
    await service.send(ping(), ping({ kind: "fail" }));
    expect([list().incidents.length, list().more]).toEqual([500, true]);
    expect(list().incidents[0]!.id).toBe(501);
  });

  test("R25: leaves out those of a deleted monitor, and they cannot be acted on", async () => {
    using service = await withIncident();
    granted(service.engine.operate("monitor delete", { application: null, key: "job" }));
    expect(listed(service)).toEqual([]);
    expect(service.engine.operate("incident resolve", { id: 1 })).toMatchObject({ refusal: "NOT_FOUND" });
    expect(service.engine.operate("incident ack", { id: 1 })).toMatchObject({ refusal: "NOT_FOUND" });
  });
});

test("an incident under a pause is acknowledged and resolved like any other", async () => {
  using service = await withIncident();
  granted(service.engine.operate("monitor pause", { application: null, key: "job" }));
  expect(granted(service.engine.operate("incident ack", { id: 1 })).status).toBe("paused");
  service.at(NOON + SECOND);
  expect(granted(service.engine.operate("incident resolve", { id: 1 }))).toMatchObject({
    status: "paused",
    changed: true,
  });
  expect(kindsNotified(service).at(-1)).toBe("Recovered resolved");
});
