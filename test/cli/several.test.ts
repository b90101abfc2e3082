// Pausing and resuming several monitors by one command, and the history of one.

import { expect, test } from "bun:test";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { openRunning, type Running } from "../support/commands.ts";
import { ping } from "../support/engine.ts";

async function three(): Promise<Running> {
  const place = openRunning();
  const keys = ["backup-a", "backup-b", "report"];
  await place.service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: "0 2 * * *" })));
  return place;
}

const paused = async (place: Running): Promise<string[]> =>
  JSON.parse((await place.run("monitor", "list", "--status", "paused", "--json")).out).map(
    ({ key }: { key: string }) => key,
  );

test("a pattern pauses all that fit it, and says each", async () => {
  await using place = await three();
  const { exitCode, out } = await place.run("monitor", "pause", "backup-*", "--for", "2h");
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^paused backup-a until .+\npaused backup-b until .+$/);
  expect(await paused(place)).toEqual(["backup-a", "backup-b"]);
  expect((await place.run("monitor", "resume", "--all")).out).toBe("resumed backup-a\nresumed backup-b");
  expect(await paused(place)).toEqual([]);
});

test("a person at a terminal sees how many and which, and may refuse", async () => {
  await using place = await three();
  const { exitCode, err } = await place.runTyping(["n"], "monitor", "pause", "--all");
  expect([exitCode, err]).toEqual([1, expect.stringMatching(/^Pause 3 monitors: backup-a, backup-b, report\?/)]);
  expect(await paused(place)).toEqual([]);
  await place.runTyping(["y"], "monitor", "pause", "--all");
  expect(await paused(place)).toHaveLength(3);
  expect((await place.runTyping([], "monitor", "resume", "*-a", "--yes")).exitCode).toBe(0);
  expect(await paused(place)).toEqual(["backup-b", "report"]);
});

test("nothing named, both named, and a pattern that fits nothing are refused", async () => {
  await using place = await three();
  expect((await place.run("monitor", "pause")).exitCode).toBe(2);
  expect((await place.run("monitor", "pause", "report", "--all")).exitCode).toBe(2);
  const none = await place.run("monitor", "pause", "nothing-*");
  expect([none.exitCode, none.err]).toEqual([1, "there is no such monitor; `rollcall monitor list` shows all"]);
  expect(await paused(place)).toEqual([]);
});

test("a pattern of monitors that are so already is refused, and says so", async () => {
  await using place = await three();
  const resumed = await place.run("monitor", "resume", "backup-*");
  expect([resumed.exitCode, resumed.err]).toEqual([1, "none of these 2 monitors has a pause by hand"]);
  await place.run("monitor", "pause", "--all");
  const paused = await place.run("monitor", "pause", "report*");
  expect([paused.exitCode, paused.err]).toEqual([1, "this monitor has a pause by hand already"]);
  expect((await place.run("monitor", "pause", "--all")).err).toBe("all these 3 monitors have a pause by hand already");
});

test("R24: a pattern leaves paused what the old service had paused, and its name resumes it", async () => {
  await using place = await three();
  await place.run("monitor", "pause", "backup-a", "--reason", "paused at Healthchecks");
  await place.run("monitor", "pause", "backup-b", "--reason", "imported with --paused");
  await place.run("monitor", "pause", "report", "--reason", "paused at the customer's wish");
  const stays =
    "1 monitor will stay paused, because its old service had paused it: backup-a; `rollcall monitor resume KEY` resumes one by its name";
  expect(await place.run("monitor", "resume", "*")).toMatchObject({
    exitCode: 0,
    out: "resumed backup-b\nresumed report",
    err: expect.stringContaining(stays),
  });
  expect(await paused(place)).toEqual(["backup-a"]);
  expect(await place.run("monitor", "resume", "--all")).toMatchObject({ exitCode: 1, out: "", err: stays });
  expect(await place.run("monitor", "resume", "backup-a")).toMatchObject({ exitCode: 0, out: "resumed backup-a" });
  expect(await paused(place)).toEqual([]);
});

test("a pattern's other letters mean themselves", async () => {
  await using place = await three();
  expect((await place.run("monitor", "pause", "b.ckup*")).exitCode).toBe(1);
});

test("monitor history is a table in the monitor's zone, or JSON", async () => {
  await using place = await three();
  const { service } = place;
  service.at(service.now + 60_000);
  await service.send(ping({ monitorKey: "report", kind: "fail", message: "disk full" }));
  const { out } = await place.run("monitor", "history", "report");
  expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["AT (UTC)", "WHAT", "MESSAGE"],
    ["2026-03-02 12:01:00 (now)", "fail", "disk full"],
    ["2026-03-02 12:00:00 (60 s ago)", "heartbeat", "-"],
  ]);
  const { out: json } = await place.run("monitor", "history", "report", "--limit", "1", "--json");
  expect(JSON.parse(json)).toMatchObject([{ kind: "fail", outcome: "failed", message: "disk full" }]);
});

test("R24: the history says of times in a past pause that they were paused, and of none that it was silent", async () => {
  await using place = openRunning();
  const { service } = place;
  await service.send(ping({ monitorKey: "hourly", schedule: "0 * * * *" }));
  await place.run("monitor", "pause", "hourly");
  service.look(service.now + 2 * HOUR + MINUTE);
  await place.run("monitor", "resume", "hourly");
  service.look(service.now + HOUR - MINUTE);
  await service.send(ping({ monitorKey: "hourly" }));
  const { out } = await place.run("monitor", "history", "hourly");
  expect(out.split("\n").filter((line) => line.includes("paused"))).toHaveLength(2);
  expect(out).not.toContain("silent");
});
