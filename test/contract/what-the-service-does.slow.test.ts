// The contract's "What the service does" and its behaviour rules 1 to 3: when a monitor is made, what identifies it,
// and what a report of each kind does to it. Rule 5 is in "Runs". By reports over HTTP, in both versions.

import { describe, expect, test } from "bun:test";
import { policyWith } from "../support/engine.ts";
import { basic } from "../support/http-client.ts";
import { granted } from "../support/service.ts";
import { instantOf } from "../support/timeline-table.ts";
import { VERSIONS } from "../support/versions.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const HOURLY = "schedule=0+*+*+*+*";
const OPERATIONS = ["", "/start", "/complete", "/fail"];
const NO_MONITOR = { status: 404, json: { error: "MONITOR_NOT_FOUND" } };

const keysOf = ({ engine }: WatchedService, application: string | null = null): string[] =>
  granted(engine.operate("monitor list", { application })).monitors.map(({ key }) => key);

describe.each(VERSIONS)("$title", ({ root }) => {
  const open = (): WatchedService => watchService("09:59:00", policyWith(), root);

  describe("rule 1: a missing monitor without a schedule", () => {
    test.each(OPERATIONS)("is 404 MONITOR_NOT_FOUND and is not made: %p", async (operation) => {
      await using service = open();
      expect(await service.report("10:00:00", operation)).toMatchObject(NO_MONITOR);
      expect(keysOf(service)).toEqual([]);
    });
  });

  describe("rule 2: a missing monitor with a schedule", () => {
    test.each([
      ["", "healthy"],
      ["/start", "pending"],
      ["/complete", "healthy"],
      ["/fail", "critical"],
    ])("is made and the request goes on: %p leaves it %s", async (operation, status) => {
      await using service = open();
      expect(await service.report("10:00:00", `${operation}?${HOURLY}`)).toMatchObject({ status: 200 });
      expect([service.status(), service.expects()]).toEqual([status, "11:00:00"]);
    });

    test("is known from then on: later requests may omit it", async () => {
      await using service = open();
      await service.report("10:00:00", `/start?${HOURLY}`);
      for (const operation of OPERATIONS) {
        expect(await service.report("10:30:00", operation)).toMatchObject({ status: 200 });
      }
      expect(keysOf(service)).toEqual(["job"]);
    });

    test("has a grace of 60 seconds and a name made from its key, unless the request says otherwise", async () => {
      await using service = open();
      const path = `${root}/ping/nightly_data-base/${service.key}`;
      await service.ask(`${path}?${HOURLY}`);
      await service.report("10:00:00", `?${HOURLY}&gracePeriod=900&name=The+other+job`);
      expect(granted(service.engine.operate("monitor list", {})).monitors).toMatchObject([
        { key: "job", name: "The other job", graceSeconds: 900 },
        { key: "nightly_data-base", name: "Nightly data base", graceSeconds: 60 },
      ]);
    });
  });

  describe("rule 3: a malformed schedule", () => {
    test.each(OPERATIONS)("is 400 INVALID_SCHEDULE; nothing is made and nothing recorded: %p", async (operation) => {
      await using service = open();
      const malformed = { status: 400, json: { error: "INVALID_SCHEDULE" } };
      expect(await service.report("10:00:00", `${operation}?schedule=often`)).toMatchObject(malformed);
      expect(keysOf(service)).toEqual([]);
      await service.report("10:01:00", `?${HOURLY}`);
      expect(await service.report("10:02:00", `${operation}?schedule=often`)).toMatchObject(malformed);
      expect(service.status()).toBe("healthy");
      expect(service.instance.count("pings")).toBe(1);
    });
  });

  test("a monitor is identified by application and key: the same key elsewhere is another one", async () => {
    await using service = open();
    granted(service.engine.operate("app create", { slug: "test" }));
    const { key } = granted(service.engine.operate("key create", { application: "test" }));
    await service.report("10:00:00", `?${HOURLY}`);
    const path = `${root}/ping/job`;
    expect(await service.ask(path, { headers: basic(key) })).toMatchObject(NO_MONITOR);
    await service.ask(`${path}/fail?${HOURLY}`, { headers: basic(key) });
    expect(granted(service.engine.operate("monitor list", {})).monitors).toMatchObject([
      { application: "prod", key: "job", status: "healthy" },
      { application: "test", key: "job", status: "critical" },
    ]);
  });

  test("R25: a deleted monitor is made again by the next report with a schedule, and by no other", async () => {
    await using service = open();
    await service.report("10:00:00", `/start?${HOURLY}`);
    await service.report("10:01:00", "/fail");
    expect(service.news()).toEqual(["10:01:00 InitialFailure failed"]);
    service.engine.operate("monitor delete", { application: "prod", key: "job" });
    expect(service.news()).toEqual(["10:01:00 Recovered failed (deleted)"]);
    expect(await service.report("10:02:00")).toMatchObject(NO_MONITOR);
    await service.report("10:03:00", `/start?${HOURLY}`);
    expect(service.status()).toBe("pending");
    expect(service.engine.operate("monitor show", { application: "prod", key: "job" })).toMatchObject({
      incident: null,
      pings: [{ kind: "start" }],
    });
  });

  test("R12: a report may change schedule, grace, name, zone and longest run of a monitor that exists", async () => {
    await using service = open();
    await service.report("10:00:00", `?${HOURLY}`);
    const changes = "schedule=30+9+*+*+*&gracePeriod=120&name=New&timezone=Europe/Berlin&maxRuntime=600";
    await service.report("10:01:00", `/start?${changes}`);
    expect(service.engine.operate("monitor show", { application: "prod", key: "job" })).toMatchObject({
      schedule: "30 9 * * *",
      graceSeconds: 120,
      name: "New",
      timezone: "Europe/Berlin",
      maxRuntimeSeconds: 600,
    });
    expect(service.expects()).toBe("03-03 08:30:00");
  });

  test("R12: overdue deadlines are settled under the old schedule; the open slots of that are forgotten", async () => {
    await using service = open();
    await service.report("10:00:00", `?${HOURLY}`);
    const path = `${root}/ping/job/${service.key}`;
    // Nobody looks at the clock in between.
    service.instance.at(instantOf("11:00:30"));
    await service.ask(`${path}?schedule=30+*+*+*+*`);
    expect([service.expects(), ...service.news()]).toEqual(["11:30:00"]);

    service.instance.at(instantOf("12:30:30"));
    await service.ask(`${path}/start?${HOURLY}`);
    expect(service.news().slice(0, 1)).toEqual(["11:31:05 InitialFailure missed"]);
    expect([service.status(), service.expects()]).toEqual(["critical", "13:00:00"]);
  });

  test("R12: a report that shortens the grace raises no alarm of its own", async () => {
    await using service = open();
    await service.report("10:00:00", `?${HOURLY}&gracePeriod=3600`);
    await service.report("11:10:00", "?gracePeriod=60");
    expect([service.status(), service.expects(), ...service.news()]).toEqual(["healthy", "12:00:00"]);
  });
});
