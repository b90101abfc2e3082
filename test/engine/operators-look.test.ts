// What operators are shown of applications and monitors, on the real engine.

import { describe, expect, test } from "bun:test";
import type { Policy } from "../../src/domain/settings/policy.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { changeRows } from "../support/database.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const RARELY = { schedule: "0 0 29 2 *" };

const summaries = (service: Service, application: string | null = null, status: null | "critical" = null) =>
  granted(service.engine.operate("monitor list", { application, status })).monitors;

const show = (service: Service, key = "job") =>
  granted(service.engine.operate("monitor show", { application: "prod", key }));

describe("the list of monitors", () => {
  test("is by application and key, of all or one, of any status or one", async () => {
    using service = openService();
    granted(service.engine.operate("app create", { slug: "alpha" }));
    const alpha = { applicationId: 2, application: "alpha", keyId: 2, scope: "all" } as const;
    await service.send(
      ping({ monitorKey: "b", ...RARELY }),
      ping({ monitorKey: "a", ...RARELY }),
      ping({ monitorKey: "b", kind: "fail" }),
      ping({ monitorKey: "z", caller: alpha, ...RARELY }),
    );
    const names = (...filter: [(string | null)?, (null | "critical")?]) =>
      summaries(service, ...filter).map(({ application, key }) => `${application}/${key}`);
    expect(names()).toEqual(["alpha/z", "prod/a", "prod/b"]);
    expect(names("prod")).toEqual(["prod/a", "prod/b"]);
    expect(names(null, "critical")).toEqual(["prod/b"]);
    expect(names("alpha", "critical")).toEqual([]);
    expect(service.engine.operate("monitor list", { application: "nowhere" })).toMatchObject({ refusal: "NOT_FOUND" });
    expect(summaries(service)[2]).toMatchObject({ status: "critical", incidentId: 1, lastPingAt: NOON });
    expect(granted(service.engine.operate("app list", {})).applications).toEqual([
      { slug: "alpha", name: null, monitors: 1, createdAt: NOON, suspendedAt: null },
      { slug: "prod", name: null, monitors: 2, createdAt: NOON, suspendedAt: null },
    ]);
  });

  test("names those that cannot be read, and shows the others", async () => {
    using service = openService();
    granted(service.engine.operate("app create", { slug: "alpha" }));
    await service.send(...["good", "bad", "halved"].map((monitorKey) => ping({ monitorKey, ...RARELY })));
    changeRows(service.store, "update monitor_states set open_incident_id = 4711 where monitor_id = 2");
    changeRows(service.store, "delete from monitor_states where monitor_id = 3");
    const list = granted(service.engine.operate("monitor list", { status: "critical" }));
    expect(list.unreadable).toEqual([
      { application: "prod", key: "bad" },
      { application: "prod", key: "halved" },
    ]);
    expect(summaries(service).map(({ key }) => key)).toEqual(["good"]);
    expect(granted(service.engine.operate("monitor list", { application: "alpha" })).unreadable).toEqual([]);
  });

  test("throws when the database itself cannot be read", async () => {
    using service = openService();
    await service.send(ping(RARELY), ping({ kind: "fail" }));
    service.store.database.run("alter table incidents rename to lost");
    expect(() => service.engine.operate("monitor list", {})).toThrow();
  });

  test("R18: a slot that has passed unfilled shows as a warning without anything being written", async () => {
    using service = openService();
    await service.send(ping({ schedule: "0 * * * *" }));
    service.at(NOON + HOUR + 1);
    expect(summaries(service)).toMatchObject([{ status: "warning", expectedAt: NOON + HOUR }]);
  });
});

describe("R22: showing one", () => {
  test("has its last 20 reports, newest first, each with its run", async () => {
    using service = openService();
    await service.send(
      ping(RARELY),
      ...Array.from({ length: 25 }, (_, count) => ping({ kind: "start", runId: `run ${count}`, attempt: 1 })),
      ping({ kind: "complete", runId: "run 24" }),
      ping({ kind: "log", message: "hello" }),
      ping({ kind: "fail", message: "disk full" }),
    );
    const { pings } = show(service);
    expect(pings).toHaveLength(20);
    const plain = {
      at: NOON,
      heardAt: null,
      runNumber: null,
      runId: null,
      attempt: null,
      durationSeconds: null,
      durationMilliseconds: null,
      outcomes: null,
    };
    expect(pings.slice(0, 4)).toEqual([
      { ...plain, kind: "fail", outcome: "failed", message: "disk full" },
      { ...plain, kind: "log", outcome: null, message: "hello" },
      {
        ...plain,
        kind: "complete",
        outcome: "succeeded",
        runNumber: 25,
        runId: "run 24",
        durationSeconds: 0,
        durationMilliseconds: 0,
        message: null,
      },
      { ...plain, kind: "start", outcome: null, runNumber: 25, runId: "run 24", attempt: 1, message: null },
    ]);
    expect(pings.at(-1)).toMatchObject({ kind: "start", runId: "run 8" });
  });

  test("has the runs of those reports and all that are open, newest first", async () => {
    using service = openService();
    await service.send(
      ping({ ...RARELY, maxRuntimeSeconds: 86_400 }),
      ping({ kind: "start", runId: "hangs" }),
      ...Array.from({ length: 30 }, (_, count) => ping({ kind: "complete", runId: `run ${count}` })),
    );
    const { runs } = show(service);
    expect(runs).toHaveLength(21);
    expect(runs[0]).toMatchObject({ number: 31, runId: "run 29", state: "ended", endedBy: "complete" });
    expect(runs.at(-1)).toMatchObject({ number: 1, runId: "hangs", state: "open", startedAt: NOON });
  });

  test("R22: has everything of a run: the deadline of one that is open, the guess by which another was ended", async () => {
    using service = openService();
    await service.send(ping({ ...RARELY, maxRuntimeSeconds: 3_600 }), ping({ kind: "start", attempt: 3 }));
    service.at(NOON + MINUTE);
    await service.send(ping({ kind: "fail" }), ping({ kind: "start", runId: "b" }));
    service.look(NOON + 2 * HOUR);
    await service.send(ping({ kind: "start", runId: "c" }));
    const common = {
      attempt: null,
      endedAt: null,
      endedBy: null,
      durationSeconds: null,
      durationMilliseconds: null,
      legacy: false,
      verdict: null,
    };
    const started = NOON + MINUTE;
    const { runs, pings } = show(service);
    expect(runs).toEqual([
      { ...common, number: 3, runId: "c", state: "open", startedAt: service.now, deadline: service.now + HOUR },
      { ...common, number: 2, runId: "b", state: "unfinished", startedAt: started, deadline: started + HOUR },
      {
        number: 1,
        runId: null,
        attempt: 3,
        state: "ended",
        startedAt: NOON,
        deadline: NOON + HOUR,
        endedAt: started,
        endedBy: "fail",
        durationSeconds: 60,
        durationMilliseconds: 60_000,
        legacy: true,
        verdict: null,
      },
    ]);
    expect(pings.map(({ kind, runNumber }) => [kind, runNumber])).toEqual([
      ["start", 3],
      ["start", 2],
      ["fail", 1],
      ["start", 1],
      ["heartbeat", null],
    ]);
  });

  test("R27: has the outcomes a report carried, of those that are expected", async () => {
    const rows = { equals: null, min: 1, max: null, onFailure: "warn" } as const;
    using service = openService(policyWith({ monitors: { job: { outcomes: new Map([["rows", rows]]) } } }));
    const outcomes = new Map([
      ["rows", 12],
      ["other", 1],
    ]);
    await service.send(ping(RARELY), ping({ kind: "complete", outcomes }));
    expect(show(service).pings.map((shown) => shown.outcomes)).toEqual([{ rows: 12 }, null]);
  });

  test("R13: has the zone hint from the third report on that is off by the same time, paused or not", async () => {
    using service = openService(policyWith({ timezone: "Europe/Berlin" }), NOON - 3 * DAY);
    const hints: (string | null)[] = [];
    for (const day of [3, 2, 1]) {
      service.at(NOON - day * DAY);
      await service.send(ping({ schedule: "0 12 * * *" }));
      hints.push(show(service).zoneHint);
    }
    expect(hints).toEqual([null, null, expect.stringContaining("which is on time in UTC")]);
    service.apply("job", { kind: "pause", pause: "manual", until: null });
    expect(show(service).zoneHint).toBe(hints[2]!);
  });

  test("has the open incident, and none once it is closed", async () => {
    using service = openService();
    await service.send(ping(RARELY), ping({ kind: "fail", message: "disk full" }));
    expect(show(service).incident).toMatchObject({ id: 1, key: "job", name: "Job", message: "disk full" });
    await service.send(ping());
    expect(show(service)).toMatchObject({ incident: null, incidentId: null });
  });

  test("R13, R31: says of each value where it comes from, and what the configuration hides", async () => {
    const policy: Policy = policyWith({
      timezone: "Europe/Paris",
      monitors: { job: { name: "The job", graceSeconds: 600, alertAfterMisses: 2 } },
    });
    using service = openService(policy);
    await service.send(
      ping({ ...RARELY, graceSeconds: 60, monitorKey: "job" }),
      ping({ ...RARELY, monitorKey: "plain" }),
    );
    expect(show(service).settings).toEqual({
      name: { value: "The job", from: "configuration", declared: null },
      schedule: { value: RARELY.schedule, from: "declared", declared: RARELY.schedule },
      everySeconds: { value: null, from: "default", declared: null },
      timezone: { value: "Europe/Paris", from: "server", declared: null },
      graceSeconds: { value: 600, from: "configuration", declared: 60 },
      maxRuntimeSeconds: { value: null, from: "default", declared: null },
      alertAfterMisses: { value: 2, from: "configuration", declared: null },
      alertAfterFailures: { value: 1, from: "default", declared: null },
      severity: { value: "error", from: "default", declared: null },
      labels: { value: null, from: "default", declared: null },
      note: { value: null, from: "default", declared: null },
      mailRule: { value: null, from: "default", declared: null },
      outcomes: [],
    });
    expect(show(service, "plain").settings).toMatchObject({
      name: { value: "Plain", from: "key" },
      graceSeconds: { value: 60, from: "default", declared: null },
    });
    service.restart({ ...policyWith({ prod: { timezone: "Asia/Tokyo" } }), timezone: "Europe/Paris" });
    expect(show(service, "plain").settings.timezone).toMatchObject({ value: "Asia/Tokyo", from: "application" });
  });

  test("R36, R38: says whom its alerts would reach, or why nobody", async () => {
    const policy = policyWith({ prod: { owner: "ops", severity: "warning", links: { runbook: "https://r.example" } } });
    using service = openService(policy);
    await service.send(ping(RARELY));
    expect(show(service).routing).toEqual({
      destinations: ["hook"],
      failing: [],
      unreachable: null,
      severity: "warning",
      owner: "ops",
      environment: null,
      links: { runbook: "https://r.example" },
    });
    service.failing.set("hook", "HTTP 404");
    expect(show(service).routing.unreachable).toContain("HTTP 404");
    expect(show(service).routing.failing).toEqual([{ destination: "hook", answer: "HTTP 404", since: NOON }]);
  });
});

test("looking changes nothing, whatever is overdue", async () => {
  using service = openService();
  await service.send(ping({ schedule: "0 * * * *" }));
  const before = service.monitor();
  service.at(NOON + HOUR + 2 * MINUTE);
  summaries(service);
  show(service);
  granted(service.engine.operate("incident list", { application: null, open: false }));
  granted(service.engine.operate("app list", {}));
  expect(service.monitor()).toEqual(before);
  expect(service.notified()).toEqual([]);
});
