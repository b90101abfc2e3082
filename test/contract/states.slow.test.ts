// The contract's section "States": every status by the facts it follows from, and every arrow of the table, by reports
// over HTTP at times of the test's own. What no operation brings about is applied as the engine would.

import { describe, expect, test } from "bun:test";
import { policyWith } from "../support/engine.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const HOURLY = "schedule=0+*+*+*+*";
const JOB = { application: "prod", key: "job" };
const CONFIGURED = policyWith({ monitors: { job: { schedule: "0 * * * *" } } });

/** The status, and what was told since the last look. */
const seen = (service: WatchedService): string[] => [service.status(), ...service.news()];

/** A job that has reported at 10:00:00. */
async function watchHealthy(): Promise<WatchedService> {
  const service = watchService();
  await service.report("10:00:00", `?${HOURLY}`);
  return service;
}

/** The same, failed at 10:10:00, and that was told. */
async function watchCritical(): Promise<WatchedService> {
  const service = await watchHealthy();
  await service.report("10:10:00", "/fail");
  expect(seen(service)).toEqual(["critical", "10:10:00 InitialFailure failed"]);
  return service;
}

test("R18: of the statuses that hold the first is shown: paused, critical, warning, pending, healthy", async () => {
  await using service = watchService("09:59:00", CONFIGURED);
  expect(service.status()).toBe("pending");
  service.at("10:00:30");
  expect(service.status()).toBe("warning");
  await service.report("10:00:40", "/start");
  expect(service.status()).toBe("pending");
  await service.report("10:00:50", "/complete");
  expect(service.status()).toBe("healthy");
  await service.report("11:00:30", "/fail");
  expect(service.status()).toBe("critical");
  service.engine.operate("monitor pause", JOB);
  expect(service.status()).toBe("paused");
  service.engine.operate("monitor resume", JOB);
  expect(service.status()).toBe("critical");
});

describe("pending", () => {
  test("by the configuration that declares it with a schedule", async () => {
    await using service = watchService("09:59:00", CONFIGURED);
    expect(seen(service)).toEqual(["pending"]);
  });

  test("by the first report with a schedule, then by that report's own line", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?${HOURLY}`);
    expect(seen(service)).toEqual(["pending"]);
  });

  test("a success: healthy", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?${HOURLY}`);
    await service.report("10:01:00", "/complete");
    expect(seen(service)).toEqual(["healthy"]);
  });

  test("the expected slot passes unfilled: warning", async () => {
    await using service = watchService("09:59:00", CONFIGURED);
    service.at("10:00:01");
    expect(seen(service)).toEqual(["warning"]);
  });
});

describe("healthy", () => {
  test("the expected slot passes unfilled: warning", async () => {
    await using service = await watchHealthy();
    service.at("11:00:00");
    expect(seen(service)).toEqual(["healthy"]);
    service.at("11:00:01");
    expect(seen(service)).toEqual(["warning"]);
  });

  test("a run passes its deadline: critical", async () => {
    await using service = await watchHealthy();
    await service.report("10:10:00", "/start?maxRuntime=60");
    service.at("10:11:00");
    expect(seen(service)).toEqual(["critical", "10:11:00 InitialFailure unfinished"]);
  });

  test("a fail: critical", async () => {
    await using service = await watchCritical();
    expect(service.instance.monitor().incident).toMatchObject({ opening: "InitialFailure", causes: ["failed"] });
  });

  test("R41: a fail below the configured number: warning", async () => {
    await using service = watchService("09:59:00", policyWith({ monitors: { job: { alertAfterFailures: 2 } } }));
    await service.report("10:00:00", `?${HOURLY}`);
    await service.report("10:10:00", "/fail");
    expect(seen(service)).toEqual(["warning"]);
  });

  test("R26: a slot that a gap touched is judged and nothing came: warning until the next report, and a notice asks", async () => {
    await using service = await watchHealthy();
    service.at("10:59:50");
    service.instance.standStill(60_000);
    for (let second = 0; second < 120; second++) service.instance.look(service.instance.now + 1_000);
    expect(service.status()).toBe("warning");
    expect(service.instance.alarms()).toEqual([]);
    expect(service.instance.notices()).toHaveLength(1);
    await service.report("11:10:00");
    expect(service.status()).toBe("healthy");
  });
});

describe("warning", () => {
  test("a success: healthy", async () => {
    await using service = await watchHealthy();
    await service.report("11:00:30");
    expect(seen(service)).toEqual(["healthy"]);
  });

  test("a start that fills the slot: by the facts", async () => {
    await using service = await watchHealthy();
    await service.report("11:00:30", "/start");
    expect(seen(service)).toEqual(["healthy"]);
  });

  test("a slot closes while a run is inside its deadline: warning, not missed", async () => {
    await using service = await watchHealthy();
    await service.report("10:10:00", "/start?maxRuntime=7200");
    service.at("11:01:05");
    expect(seen(service)).toEqual(["warning"]);
  });

  test("a slot closes unfilled, something was received before: critical, InitialFailure", async () => {
    await using service = await watchHealthy();
    service.at("11:01:05");
    expect(seen(service)).toEqual(["critical", "11:01:05 InitialFailure missed"]);
  });

  test("a slot closes unfilled, nothing was ever received: critical, NeverExecuted", async () => {
    await using service = watchService("09:59:00", CONFIGURED);
    service.at("10:01:05");
    expect(seen(service)).toEqual(["critical", "10:01:05 NeverExecuted missed"]);
  });
});

describe("critical", () => {
  test("trouble with a cause it already has: counted, not told", async () => {
    await using service = await watchCritical();
    await service.report("10:20:00", "/fail");
    expect(seen(service)).toEqual(["critical"]);
    expect(service.instance.monitor().incident).toMatchObject({ troubles: 2 });
  });

  test("trouble with a new cause: ContinuedFailure at once", async () => {
    await using service = await watchCritical();
    await service.report("10:20:00", "/start?maxRuntime=60");
    service.at("10:21:00");
    expect(seen(service)).toEqual(["critical", "10:21:00 ContinuedFailure unfinished"]);
  });

  test("an hour after the opening: ContinuedFailure, unless acknowledged", async () => {
    const reminded = async (acknowledge: boolean): Promise<string[]> => {
      await using service = await watchCritical();
      await service.report("10:59:30", "/start?maxRuntime=86400");
      if (acknowledge) service.engine.operate("incident ack", { id: 1 });
      service.at("11:10:00");
      return seen(service);
    };
    expect(await reminded(false)).toEqual(["critical", "11:10:00 ContinuedFailure failed (reminder)"]);
    expect(await reminded(true)).toEqual(["critical"]);
  });

  test("a start, or a person acknowledges it: critical", async () => {
    await using service = await watchCritical();
    await service.report("10:20:00", "/start");
    service.engine.operate("incident ack", { id: 1 });
    expect(seen(service)).toEqual(["critical"]);
  });

  test("a success: healthy, Recovered", async () => {
    await using service = await watchCritical();
    await service.report("10:20:00");
    expect(seen(service)).toEqual(["healthy", "10:20:00 Recovered failed"]);
  });

  test("resolved by a person: by the facts, Recovered", async () => {
    await using service = await watchCritical();
    service.engine.operate("incident resolve", { id: 1 });
    expect(seen(service)).toEqual([expect.stringMatching(/healthy|warning/), "10:10:00 Recovered failed (resolved)"]);
  });

  test("deleted: gone, Recovered", async () => {
    await using service = await watchCritical();
    service.engine.operate("monitor delete", JOB);
    expect(service.news()).toEqual(["10:10:00 Recovered failed (deleted)"]);
    expect(service.engine.operate("monitor show", JOB)).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
  });

  test("withdrawn by its registry: paused, Recovered", async () => {
    await using service = await watchCritical();
    service.instance.apply("job", { kind: "withdraw" });
    expect(seen(service)).toEqual(["paused", "10:10:00 Recovered failed (withdrawn)"]);
  });
});

describe("paused", () => {
  test("any status, a pause is added: paused, and nothing is told", async () => {
    for (const status of ["pending", "healthy", "warning", "critical"]) {
      await using service = watchService("09:59:00", CONFIGURED);
      if (status === "warning") service.at("10:00:30");
      if (status === "healthy") await service.report("10:00:00");
      if (status === "critical") await service.report("10:00:00", "/fail");
      expect(service.status()).toBe(status);
      service.news();
      service.engine.operate("monitor pause", JOB);
      expect(seen(service)).toEqual(["paused"]);
    }
  });

  test("a slot closes, a run passes its deadline, a reminder falls due: none, then or later", async () => {
    await using service = await watchCritical();
    await service.report("10:20:00", "/start?maxRuntime=1200");
    service.engine.operate("monitor pause", JOB);
    service.at("11:30:00");
    expect(seen(service)).toEqual(["paused"]);
    service.engine.operate("monitor resume", JOB);
    service.at("11:59:00");
    expect(seen(service)).toEqual(["critical"]);
  });

  test("a success: paused, Recovered if an incident was open", async () => {
    await using service = await watchCritical();
    service.engine.operate("monitor pause", JOB);
    await service.report("10:20:00");
    expect(seen(service)).toEqual(["paused", "10:20:00 Recovered failed"]);
    await service.report("10:21:00");
    expect(seen(service)).toEqual(["paused"]);
  });

  test("by discovery or plan, a fail: InitialFailure at once", async () => {
    for (const pause of ["discovery", "plan"]) {
      await using service = await watchHealthy();
      service.instance.apply("job", pause === "plan" ? { kind: "pause", pause } : { kind: "withdraw" });
      await service.report("10:20:00", "/fail");
      expect(seen(service)).toEqual(["paused", "10:20:00 InitialFailure failed"]);
    }
  });

  test("by a person, a fail: held, and told when that pause ends if it was the last end", async () => {
    await using service = await watchHealthy();
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 1800 });
    await service.report("10:20:00", "/fail");
    expect(seen(service)).toEqual(["paused"]);
    service.at("10:30:00");
    expect(seen(service)).toEqual(["critical", "10:30:00 InitialFailure failed"]);
  });

  test("by a person, a fail that a success followed: nothing is told when the pause ends", async () => {
    await using service = await watchHealthy();
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 1800 });
    await service.report("10:20:00", "/fail");
    await service.report("10:25:00");
    service.at("10:30:00");
    expect(seen(service)).toEqual(["healthy"]);
  });

  test("a held fail, while another pause stands: told when the person's ends, and paused still", async () => {
    await using service = await watchHealthy();
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 1800 });
    await service.report("10:20:00", "/fail");
    service.instance.apply("job", { kind: "pause", pause: "plan" });
    service.instance.apply("job", { kind: "resume", pause: "plan" });
    expect(seen(service)).toEqual(["paused"]);
    service.instance.apply("job", { kind: "pause", pause: "plan" });
    service.at("10:30:00");
    expect(seen(service)).toEqual(["paused", "10:30:00 InitialFailure failed"]);
  });

  test("R24: a timed pause ends at its instant, however late anybody looks: the next slot is expected", async () => {
    await using service = await watchHealthy();
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 5400 });
    service.at("11:59:00");
    expect(seen(service)).toEqual(["healthy"]);
    expect(service.expects()).toBe("12:00:00");
  });

  test("R24: plan and discovery pauses never end by time, and a person's resume lifts neither", async () => {
    await using service = await watchHealthy();
    service.instance.apply("job", { kind: "withdraw" });
    service.instance.apply("job", { kind: "pause", pause: "plan" });
    service.at("04-01 10:00:00");
    expect(service.engine.operate("monitor resume", JOB)).toHaveProperty("refusal");
    expect(service.status()).toBe("paused");
    service.instance.apply("job", { kind: "resume", pause: "plan" });
    expect(service.status()).toBe("paused");
    service.instance.apply("job", { kind: "resume", pause: "discovery" });
    expect(service.status()).toBe("healthy");
  });
});
