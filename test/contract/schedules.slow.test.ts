// The contract's section "Schedules" (R15 to R17): which expressions are taken, and which times they then expect,
// by reports over HTTP at times of the test's own. Every form of every field is tested in test/domain/schedule.test.ts.

import { afterAll, describe, expect, test } from "bun:test";
import { policyWith } from "../support/engine.ts";
import type { Answer } from "../support/http-client.ts";
import { VERSIONS } from "../support/versions.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const register = (service: WatchedService, schedule: string, time: string, zone = "UTC"): Promise<Answer> =>
  service.report(time, `/start?schedule=${encodeURIComponent(schedule)}&timezone=${zone}`);

/** What is expected next by a monitor that registers at this time. */
async function slotAfter(time: string, schedule: string, root: string, zone = "UTC"): Promise<string | null> {
  await using service = watchService("01-01 00:00:00", policyWith(), root);
  expect(await register(service, schedule, time, zone)).toMatchObject({ status: 200 });
  return service.expects();
}

describe.each(VERSIONS)("$title", ({ root }) => {
  /** Of which nothing is ever made. */
  const fresh = watchService("10:00:00", policyWith(), root);
  afterAll(() => fresh[Symbol.asyncDispose]());

  describe("five fields", () => {
    test.each([
      ["minute 0-59", ["0 6 * * *", "59 6 * * *"], ["60 6 * * *", "-1 6 * * *"]],
      ["hour 0-23", ["0 0 * * *", "0 23 * * *"], ["0 24 * * *"]],
      ["day of month 1-31", ["0 6 1 * *", "0 6 31 * *"], ["0 6 0 * *", "0 6 32 * *"]],
      ["month 1-12", ["0 6 * 1 *", "0 6 * 12 *"], ["0 6 * 0 *", "0 6 * 13 *"]],
      ["day of week 0-6", ["0 6 * * 0", "0 6 * * 6"], ["0 6 * * 7"]],
    ])("%s, nothing beyond", async (_field, taken, refused) => {
      await using service = watchService("10:00:00", policyWith(), root);
      for (const schedule of taken)
        expect([schedule, (await register(service, schedule, "10:00:00")).status]).toEqual([schedule, 200]);
      for (const schedule of refused) {
        const { status, json } = await register(service, schedule, "10:00:00");
        expect([schedule, status, json?.["error"]]).toEqual([schedule, 400, "INVALID_SCHEDULE"]);
      }
    });

    // 2 March 2026 is a Monday.
    test.each([
      ["10:00:00", "30 12 * * *", "12:30:00"],
      ["10:00:00", "0 6 15 * *", "03-15 06:00:00"],
      ["10:00:00", "0 6 * 7 *", "07-01 06:00:00"],
      ["10:00:00", "0 6 * * 0", "03-08 06:00:00"],
      ["10:00:00", "0 6 * * 6", "03-07 06:00:00"],
      ["10:00:00", "0 6 * dec FRI", "12-04 06:00:00"],
      ["10:00:00", "5,35 8-17 * * *", "10:05:00"],
      ["10:06:00", "5-59/15 * * * *", "10:20:00"],
      ["10:16:00", "*/15 * * * *", "10:30:00"],
    ])("at %s the next slot of %s is %s", async (time, schedule, slot) => {
      expect(await slotAfter(time, schedule, root)).toBe(slot);
    });

    test.each(["%20", "+"])("in a query a space is written %s", async (space) => {
      await using service = watchService("10:00:00", policyWith(), root);
      await service.report("10:00:00", `?schedule=${["30", "12", "*", "*", "*"].join(space)}`);
      expect(service.expects()).toBe("12:30:00");
    });
  });

  describe("R16: day of month and day of week", () => {
    test.each([
      ["both restricted: either is enough", "0 6 5 * 3", ["03-04 06:00:00", "03-05 06:00:00"]],
      ["a field with a star at its beginning is not restricted: both must match", "0 6 */2 * 2", ["03-03 06:00:00"]],
      ["the same on the other side", "0 6 10 * */2", ["03-10 06:00:00"]],
      ["a field that lists its whole range is not restricted", `0 6 1-31 * 4`, ["03-05 06:00:00", "03-12 06:00:00"]],
    ])("%s", async (_rule, schedule, [first = "", second]) => {
      expect(await slotAfter("03-02 10:00:00", schedule, root)).toBe(first);
      if (second !== undefined) expect(await slotAfter(first, schedule, root)).toBe(second);
    });
  });

  test.each([
    ...["0 0 3 * * * 2030", "0 0 3 ? * MON", "0 3 L * *", "0 3 15W * *", "0 3 * * 5#2", "H 3 * * *", "0 3 1 * +MON"],
    ...[
      "@reboot",
      "@every 5m",
      "2026-03-01T02:00:00Z",
      "0 3 * * 5-0",
      "0 3 * * FRI-SUN",
      "5/15 * * * *",
      "*/0 * * * *",
    ],
    ...["0 0 31 2 *", "0 0 30 FEB *", "", "* * * *"],
  ])("R15, R16: %p is INVALID_SCHEDULE", async (schedule) => {
    const answer = await register(fresh, schedule, "10:00:00");
    expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_SCHEDULE" } });
    expect(fresh.instance.count("monitors")).toBe(0);
  });

  describe("R13, R17: the schedule is read in the monitor's zone", () => {
    test.each([
      ["03-02 00:00:00", "0 3 * * *", "Europe/Berlin", "02:00:00"],
      ["07-01 00:00:00", "0 3 * * *", "Europe/Berlin", "07-01 01:00:00"],
      ["03-02 00:00:00", "30 9 * * *", "Asia/Kolkata", "04:00:00"],
    ])("at %s UTC the next slot of %s in %s is at %s UTC", async (time, schedule, zone, slot) => {
      expect(await slotAfter(time, schedule, root, zone)).toBe(slot);
    });

    test("a time that the clock change skips is not due that day", async () => {
      // On 29 March 2026 Berlin goes from 02:00 to 03:00.
      expect(await slotAfter("03-28 12:00:00", "30 2 * * *", root, "Europe/Berlin")).toBe("03-30 00:30:00");
    });

    test("a time that comes twice is due the first time only", async () => {
      // On 25 October 2026 Berlin goes from 03:00 back to 02:00.
      expect(await slotAfter("10-24 12:00:00", "30 2 * * *", root, "Europe/Berlin")).toBe("10-25 00:30:00");
      expect(await slotAfter("10-25 00:30:00", "30 2 * * *", root, "Europe/Berlin")).toBe("10-26 01:30:00");
    });

    test("a clock change raises no alarm, and a job that dies then is missed at its next due slot", async () => {
      await using service = watchService("03-27 00:00:00", policyWith(), root);
      await service.report("03-28 01:30:00", "?schedule=30+2+*+*+*&timezone=Europe/Berlin");
      service.at("03-30 00:30:00");
      expect(service.news()).toEqual([]);
      service.at("03-30 00:31:05");
      expect(service.news()).toEqual(["03-30 00:31:05 InitialFailure missed"]);
    });
  });
});

describe("the aliases take more", () => {
  test.each([
    ["10:00:00", "30 0 12 * * *", "12:00:30"],
    ["10:00:05", "*/10 * * * * *", "10:00:10"],
    ["10:00:00", "@hourly", "11:00:00"],
    ["10:00:00", "@daily", "03-03 00:00:00"],
    ["10:00:00", "@weekly", "03-08 00:00:00"],
    ["10:00:00", "@monthly", "04-01 00:00:00"],
  ])("at %s the next slot of %s is %s", async (time, schedule, slot) => {
    expect(await slotAfter(time, schedule, "")).toBe(slot);
  });

  test("@yearly is due on 1 January", async () => {
    await using service = watchService("10:00:00", policyWith(), "");
    await register(service, "@yearly", "10:00:00");
    expect(service.instance.monitor().expectedAt).toBe(Date.UTC(2027, 0, 1));
  });
});
