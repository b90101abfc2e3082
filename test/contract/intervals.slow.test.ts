// Monitors that must report at least every so often (R44): by reports and registries over HTTP, in both versions, at
// times of the test's own.

import { describe, expect, test } from "bun:test";
import { ping, policyWith } from "../support/engine.ts";
import { type Answer, basic } from "../support/http-client.ts";
import { granted } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const JOB = { application: "prod", key: "job" };

type Item = Readonly<Record<string, unknown>>;

describe.each(VERSIONS)("$title", ({ root }) => {
  const sync = root === "" ? "/api/sync" : `${root}/sync`;
  const open = (policy = policyWith()): WatchedService => watchService("09:59:00", policy, root);

  const declare = (service: WatchedService, ...monitors: Item[]): Promise<Answer> =>
    service.ask(`${sync}`, {
      method: "POST",
      headers: { ...basic(service.key), "content-type": "application/json" },
      body: JSON.stringify({ source: "scheduler", mode: "reconcile", monitors }),
    });

  const listed = async (service: WatchedService): Promise<Item[]> =>
    (await service.ask(`${sync}/status`, { headers: basic(service.key) })).json!["monitors"] as Item[];

  test("R44: `every` registers a monitor that is missing, and each end restarts the interval", async () => {
    await using service = open();
    expect(await service.report("10:00:00", "?every=2h")).toMatchObject({ status: 200, json: { warning: null } });
    expect(service.expects()).toBe("12:00:00");
    await service.report("10:30:00");
    expect(service.expects()).toBe("12:30:00");
    await service.report("10:40:00", "/start?run_id=a");
    expect(service.expects()).toBe("12:30:00");
    await service.report("11:00:00", "/complete?run_id=a");
    expect(service.expects()).toBe("13:00:00");
    service.at("13:20:00");
    expect(service.news()).toEqual(["13:01:05 InitialFailure missed"]);
    await service.report("13:30:00");
    expect(service.news()).toEqual(["13:30:00 Recovered missed"]);
    expect(service.expects()).toBe("15:30:00");
  });

  test("R44: a worker of ten seconds alarms after them, the least grace and the time on its way", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=10s");
    service.at("10:01:14");
    expect(service.news()).toEqual([]);
    service.at("10:01:15");
    expect(service.news()).toEqual(["10:01:15 InitialFailure missed"]);
  });

  test("R44: what is no duration, or too short or long, is 400 and nothing is recorded", async () => {
    await using service = open();
    for (const [every, problem] of [
      ["", '"" is not a duration'],
      ["25", '"25" is not a duration'],
      ["1.5h", '"1.5h" is not a duration'],
      ["9s", '"9s" is too short'],
      ["367d", '"367d" is too long'],
    ]) {
      const { status, json } = await service.report("10:00:00", `?every=${every}`);
      expect([status, json?.["error"]]).toEqual([400, "INVALID_SCHEDULE"]);
      expect(json?.["message"]).toStartWith(`every: ${problem}, write a duration such as 90s, 15m, 25h or 7d`);
    }
    expect(await listed(service)).toEqual([]);
  });

  test("R44: a schedule and an interval in one report or entry are refused, naming both", async () => {
    await using service = open();
    const both = await service.report("10:00:00", "?every=2h&schedule=0+2+*+*+*");
    expect(both.status).toBe(400);
    expect(both.json).toMatchObject({
      error: "INVALID_SCHEDULE",
      message: "schedule, every: both are given, name one of them",
    });
    const { json } = await declare(service, { key: "job", schedule: "0 2 * * *", every: "2h" });
    expect(json!["errors"]).toEqual([{ key: "job", error: "schedule, every: both are given, name one of them" }]);
    expect(await listed(service)).toEqual([]);
  });

  test("R12, R44: another interval, and a schedule instead of one, replace it at once, and `warning` says so", async () => {
    await using service = open();
    const warned = async (time: string, query: string) => (await service.report(time, query)).json?.["warning"];
    await service.report("10:00:00", "?every=2h");
    expect(await warned("10:10:00", "?every=120m")).toBeNull();
    expect(await warned("10:20:00", "?every=25h")).toBe("The schedule changed from every 2h to every 25h.");
    expect(await warned("10:30:00", "?schedule=0+*+*+*+*")).toBe('The schedule changed from every 25h to "0 * * * *".');
    expect(service.expects()).toBe("11:00:00");
    expect(await warned("10:40:00", "?every=1h")).toBe('The schedule changed from "0 * * * *" to every 1h.');
    expect(service.expects()).toBe("11:40:00");
    expect(await warned("10:50:00", "?period=1h&interval=1h")).toBe(
      'The parameters "period", "interval" are unknown and were ignored; did you mean "every"?',
    );
  });

  test("R44: a registry declares it, and one that never reports is told after an interval", async () => {
    await using service = open();
    service.at("10:00:00");
    expect(
      (await declare(service, { key: "job", every: "1d" }, { key: "cron", schedule: "0 2 * * *" })).json,
    ).toMatchObject({
      errors: [],
    });
    const [cron, job] = (await listed(service)).toSorted((a, b) =>
      String(a["monitorKey"]) < String(b["monitorKey"]) ? -1 : 1,
    );
    expect(job).toMatchObject({ monitorKey: "job", schedule: null, every: "1d", gracePeriod: 60, status: "pending" });
    expect(cron).not.toHaveProperty("every");
    service.at("03-03 10:01:05");
    expect(service.news()).toEqual(["03-03 10:01:05 NeverExecuted missed"]);
  });

  test("R29, R44: an interval that is no duration withholds removal, as an invalid schedule does", async () => {
    await using service = open();
    await declare(service, { key: "job", every: "2h" });
    const { json } = await declare(service, { key: "other", every: "soon" }, { key: "third", every: 90 });
    expect(json!["errors"]).toMatchObject([
      { key: "other", error: expect.stringContaining('every: "soon" is not a duration') },
      { key: "third", error: expect.stringContaining("every: it is a number, a duration as a text") },
    ]);
    expect(service.status()).toBe("pending");
  });

  test("R31, R44: what is configured takes back the other that is declared", async () => {
    await using service = open(policyWith({ monitors: { job: { everySeconds: 7_200 } } }));
    expect(service.expects()).toBe("11:59:00");
    await service.report("10:00:00", "?schedule=0+2+*+*+*");
    expect(service.expects()).toBe("12:00:00");
    const { settings } = granted(service.engine.operate("monitor show", JOB));
    expect(settings).toMatchObject({
      schedule: { value: null, declared: "0 2 * * *" },
      everySeconds: { value: 7_200, from: "configuration" },
    });
  });

  test("R24, R44: a pause's end restarts the interval when the slot fell into the pause", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=2h");
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 3_600 });
    service.at("11:00:00");
    expect(service.expects()).toBe("12:00:00");
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 3 * 3_600 });
    service.at("14:00:00");
    expect(service.expects()).toBe("16:00:00");
    service.at("16:01:05");
    expect(service.news()).toEqual(["16:01:05 InitialFailure missed"]);
  });

  test("R44: what the rate limit refuses is evidence of life here too: the slot moves, and is unknown until a report", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=2h");
    service.at("11:30:00");
    service.engine.intake.rateLimited(ping(), "limits.v1_per_hour");
    service.instance.endTurns();
    expect(service.expects()).toBe("13:30:00");
    expect(service.status()).toBe("warning");
    service.at("13:31:04");
    expect(service.news()).toEqual([]);
    service.at("13:31:05");
    expect(service.news()).toEqual(["13:31:05 InitialFailure missed"]);
    await service.report("13:40:00");
    expect(service.status()).toBe("healthy");
  });

  test("R33, R44: of several reports that are refused in a minute the last counts too, and two of them are looked at", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=30m");
    const expected: [isLookedAt: boolean, slot: string | null][] = [];
    for (const time of ["10:20:05", "10:20:10", "10:20:50", "10:20:58", "10:21:01"]) {
      service.at(time);
      service.engine.intake.rateLimited(ping(), "limits.v1_per_minute");
      const isLookedAt = service.instance.endTurn();
      service.instance.endTurns();
      expected.push([isLookedAt, service.expects()]);
    }
    expect(expected).toEqual([
      [true, "10:50:05"],
      [true, "10:51:00"],
      [false, "10:51:00"],
      [false, "10:51:00"],
      [true, "10:51:01"],
    ]);
    // Half an hour and its grace after the last report, not after the first one of its minute.
    service.at("10:52:05");
    expect(service.news()).toEqual([]);
    service.at("10:52:06");
    expect(service.news()).toEqual(["10:52:06 InitialFailure missed"]);
  });

  test("R44: a pause in an open incident of a miss begins the interval again too", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=2h");
    service.at("12:30:00");
    expect(service.news()).toEqual(["12:01:05 InitialFailure missed"]);
    service.engine.operate("monitor pause", JOB);
    service.at("15:30:00");
    service.engine.operate("monitor resume", JOB);
    expect(service.expects()).toBe("17:30:00");
  });

  test("R12, R44: a shorter interval that has passed gives the job one of its length, and never more than the old one", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=25h");
    service.at("16:00:00");
    await declare(service, { key: "job", every: "2h" });
    expect(service.expects()).toBe("18:00:00");
    service.at("17:00:00");
    await declare(service, { key: "job", every: "3h" });
    expect(service.expects()).toBe("18:00:00");
    service.at("18:01:04");
    expect(service.news()).toEqual([]);
    service.at("18:01:05");
    expect(service.news()).toEqual(["18:01:05 InitialFailure missed"]);
  });

  test("R18: a job whose miss was closed by hand is `warning` until it reports", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=2h");
    service.at("12:30:00");
    service.engine.operate("incident resolve", { id: 1 });
    expect(service.status()).toBe("warning");
    await service.report("12:40:00");
    expect(service.status()).toBe("healthy");
  });

  test("R43, R44: a late end counts from when it happened and heals the miss", async () => {
    await using service = open();
    await service.report("10:00:00", "?every=2h");
    service.at("12:30:00");
    expect(service.news()).toEqual(["12:01:05 InitialFailure missed"]);
    await service.report("13:00:00", "/complete?run_id=a&age=3600");
    expect(service.news()).toEqual(["13:00:00 Recovered missed"]);
    expect(service.expects()).toBe("14:00:00");
  });
});
