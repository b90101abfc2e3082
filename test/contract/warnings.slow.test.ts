// The heartbeat's `warning` (R13, R14): one sentence or null, the most important first, in both versions. By reports
// over HTTP at times of the test's own. That of the rate limit, over a real limit, is in "Rate limits".

import { describe, expect, test } from "bun:test";
import { ping, policyWith } from "../support/engine.ts";
import { VERSIONS } from "../support/versions.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const NIGHTLY = "schedule=0+2+*+*+*";
const JOB = { application: "prod", key: "job" };
const IN_BERLIN = policyWith({ prod: { timezone: "Europe/Berlin" } });

const warningAt = async (service: WatchedService, time: string, rest = ""): Promise<unknown> =>
  (await service.report(time, rest)).json?.["warning"];

/** Three reports in a row at this time of the day, the first of which registers; their warnings. */
async function reportThrice(service: WatchedService, time: string, rest = `?${NIGHTLY}`): Promise<unknown[]> {
  const days = ["03-03", "03-04", "03-05"];
  const warnings: unknown[] = [];
  for (const day of days) warnings.push(await warningAt(service, `${day} ${time}`, rest));
  return warnings;
}

describe.each(VERSIONS)("$title", ({ root }) => {
  const open = (policy = policyWith()): WatchedService => watchService("09:59:00", policy, root);

  test("R14: is null when there is nothing to say", async () => {
    await using service = open();
    expect(await warningAt(service, "10:00:00", `?${NIGHTLY}`)).toBeNull();
    expect(await warningAt(service, "10:01:00")).toBeNull();
  });

  test("R14: is one sentence, the most important first: each of these hides all before it", async () => {
    await using service = open(IN_BERLIN);
    const [, , hint] = await reportThrice(service, "02:00:30");
    expect(hint).toStartWith("The last 3 reports came 1 hour after their scheduled time");
    service.engine.intake.rateLimited(ping({ kind: "start" }), "limits.v1_per_minute");
    service.instance.endTurns();
    expect(await warningAt(service, "03-05 02:10:00")).toStartWith("Reports of this monitor were refused");
    expect(await warningAt(service, "03-05 02:11:00", "?schedule=1+2+*+*+*")).toStartWith("The schedule changed");
    service.instance.failing.set("hook", "answered 500");
    expect(await warningAt(service, "03-05 02:12:00", `?${NIGHTLY}`)).toStartWith("Alerts of this monitor cannot be");
    service.engine.operate("monitor pause", JOB);
    expect(await warningAt(service, "03-05 02:13:00", "?schedule=1+2+*+*+*")).toStartWith("This monitor is paused");
  });

  test("R7: names unknown parameters that resemble a known one, in their order, and is silent about all others", async () => {
    await using service = open();
    const warned = (query: string) => warningAt(service, "10:00:00", `?${NIGHTLY}&${query}`);
    const one = (sent: string, meant: string) =>
      `The parameter "${sent}" is unknown and was ignored; did you mean "${meant}"?`;
    expect(await warned("grace=600&max_runtime=60")).toBe(
      'The parameters "grace", "max_runtime" are unknown and were ignored; did you mean "gracePeriod", "maxRuntime"?',
    );
    const resembling = {
      tz: "timezone",
      time_zone: "timezone",
      GracePeriod: "gracePeriod",
      "grace-period": "gracePeriod",
      graceperoid: "gracePeriod",
      runId: "run_id",
      cron: "schedule",
      shedule: "schedule",
      attempts: "attempt",
      "idempotency-key": "idempotency_key",
    };
    for (const [sent, meant] of Object.entries(resembling)) expect(await warned(`${sent}=1`)).toBe(one(sent, meant));
    for (const other of ["host=a&date=b&status=c&v=1", "", "=", "%ff=1", `${"grace".repeat(50)}=1`, "__proto__=1"])
      expect([other, await warned(other)]).toEqual([other, null]);
    expect(await warned(`${Array.from({ length: 20 }, (_, index) => `x${index}=`).join("&")}&tz=UTC`)).toBeNull();
    expect(await warned("gracePeriod=600&maxRuntime=60")).toBeNull();
  });

  test("R7: a start, a complete and a fail name them too, and warn of nothing else", async () => {
    await using service = open();
    for (const operation of ["start", "complete", "fail"]) {
      const url = `${root}/ping/job/${service.key}/${operation}?${NIGHTLY}`;
      expect((await service.ask(`${url}&grace=600`)).json?.["warning"]).toBe(
        'The parameter "grace" is unknown and was ignored; did you mean "gracePeriod"?',
      );
      expect((await service.ask(url)).json).not.toHaveProperty("warning");
    }
  });

  test("R7, R14: what was ignored stands behind the sentence about the monitor: nothing else tells of it", async () => {
    await using service = open();
    service.instance.failing.set("hook", "answered 500");
    expect(await warningAt(service, "10:00:00", `?${NIGHTLY}&tz=UTC`)).toMatch(
      /^Alerts of this monitor cannot be delivered: .*\. The parameter "tz" is unknown and was ignored; did you mean "timezone"\?$/,
    );
  });

  test("R6, R14: names the guideline for keys at the creation, unless there is something more important", async () => {
    await using service = open();
    const create = async (key: string) =>
      (await service.ask(`${root}/ping/${key}/${service.key}?${NIGHTLY}`)).json?.["warning"];
    for (const key of ["a", "nightly-backup_2.sql"]) expect([key, await create(key)]).toEqual([key, null]);
    for (const key of ["Backup", "a%20b", "%C3%BC", "a%2Fb"]) {
      expect([key, await create(key)]).toEqual([key, expect.stringContaining("guideline")]);
      expect([key, await create(key)]).toEqual([key, null]);
    }
    service.instance.failing.set("hook", "answered 500");
    expect(await create("Another")).toStartWith("Alerts of this monitor cannot be delivered");
  });

  test("R12: another spelling of the schedule is no change to warn of", async () => {
    await using service = open();
    await service.report("10:00:00", "?schedule=*/5+*+*+*+MON");
    expect(await warningAt(service, "10:05:00", "?schedule=0-59/5+*+*+*+1")).toBeNull();
    expect(await warningAt(service, "10:10:00", "?timezone=Europe/Berlin")).toBe(
      'The schedule changed from "0-59/5 * * * 1" in UTC to "0-59/5 * * * 1" in Europe/Berlin.',
    );
  });

  test("R12, R14: says from what to what the schedule changed, once", async () => {
    await using service = open();
    await service.report("10:00:00", `?${NIGHTLY}`);
    const change = 'The schedule changed from "0 2 * * *" to "0 3 * * *".';
    expect(await warningAt(service, "10:01:00", "?schedule=0+3+*+*+*")).toBe(change);
    expect(await warningAt(service, "10:02:00", "?schedule=0+3+*+*+*")).toBeNull();
  });

  test("R14, R36: says that no destination can deliver, and why", async () => {
    await using service = open(policyWith({ team: { name: null, destinations: [], members: [] } }));
    expect(await warningAt(service, "10:00:00", `?${NIGHTLY}`)).toBe(
      "Alerts of this monitor cannot be delivered: no destination is configured for them.",
    );
  });

  test("R14, R24: says that the monitor is paused, as long as it is", async () => {
    await using service = open();
    await service.report("10:00:00", `?${NIGHTLY}`);
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 60 });
    expect(await warningAt(service, "10:00:59")).toStartWith("This monitor is paused");
    expect(await warningAt(service, "10:01:00")).toBeNull();
  });

  describe("R13: the zone hint", () => {
    test("after three reports in a row names the offset, and a zone that fits", async () => {
      await using service = open(IN_BERLIN);
      expect(await reportThrice(service, "02:00:30")).toEqual([
        null,
        null,
        "The last 3 reports came 1 hour after their scheduled time in Europe/Berlin, which is on time in UTC: if the " +
          "job runs there, set timezone=UTC in its reports, or server.timezone.",
      ]);
    });

    test("names no zone where the server's, the application's and UTC do not fit", async () => {
      await using service = open();
      const [, , hint] = await reportThrice(service, "04:15:00");
      expect(hint).toStartWith("The last 3 reports came 2 hours 15 minutes after their scheduled time in UTC");
      expect(hint).not.toContain("set that as");
    });

    test.each([
      ["within two minutes of the offset counts", "04:01:59", true],
      ["three minutes beside a quarter of an hour does not", "04:03:00", false],
      ["on time does not", "02:01:59", false],
    ])("%s", async (_what, time, speaks) => {
      await using service = open();
      const warnings = await reportThrice(service, time);
      expect(warnings.map((warning) => warning !== null)).toEqual([false, false, speaks]);
    });

    test("is silent about a schedule whose hours are not fixed", async () => {
      await using service = open();
      expect(await reportThrice(service, "04:30:00", "?schedule=0+*+*+*+*")).toEqual([null, null, null]);
    });

    test("is in the alerts too", async () => {
      await using service = open(IN_BERLIN);
      await reportThrice(service, "02:00:30");
      service.at("03-06 01:05:00");
      const told = service.instance.store.database.query<{ data: string }, []>(
        "select data from alerts order by id desc",
      );
      expect(JSON.parse(told.get()!.data)).toMatchObject({
        kind: "InitialFailure",
        zoneHint: expect.stringContaining("1 hour after their scheduled time"),
      });
    });
  });
});
