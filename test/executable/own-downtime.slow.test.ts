// The executable through its own bad hours (R26): restarts, a stop of the process, refused reports. Nobody is alarmed
// for them, one question is asked each, and a job that really died is found. All waits are by the other, faster clock
// that its answers show: a start may take seconds. The tests run beside each other.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Folder, firstKeyOf, openFolder, report, type Service } from "../support/executable.ts";
import { type HttpSink, startHttpSink } from "../support/http-sink.ts";
import { clockFrom, FAST } from "./clock-library.ts";

setDefaultTimeout(600_000);

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

interface World extends AsyncDisposable {
  readonly folder: Folder;
  /** What the receiver heard: `type`, and whom it is about. */
  heard(): { readonly type: string; readonly monitors: readonly string[]; readonly notice: string | null }[];
  bodies(): ReturnType<typeof JSON.parse>[];
}

function openWorld(settings = ""): World {
  const receiver: HttpSink = startHttpSink(() => new Response("ok"));
  const folder = openFolder({
    "rollcall.toml": `${settings}[team]\ndestinations = ["hook"]\n[destinations.hook]\ntype = "webhook"\nurl = "${receiver.url}"\nsecret = "${SECRET}"\n`,
  });
  return {
    folder,
    bodies: () => receiver.requests.map(({ body }) => JSON.parse(body)),
    heard: () =>
      receiver.requests.map(({ body }) => {
        const { type, data } = JSON.parse(body);
        const monitors: { monitorKey: string }[] = data.notice === undefined ? [data] : (data.notice.monitors ?? []);
        return { type, monitors: monitors.map(({ monitorKey }) => monitorKey), notice: data.notice?.kind ?? null };
      }),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const question = (...monitors: string[]) => ({ type: "service.notice", notice: "unheard", monitors });
const miss = (monitor: string) => ({ type: "monitor.initial_failure", notice: null, monitors: [monitor] });

const encoded = (schedule: string) => `?schedule=${encodeURIComponent(schedule)}`;

const seconds = (count: number) => Bun.sleep(count * 1_000);

/** Milliseconds for a few minutes of its time. */
const PATIENCE = 240_000;

/** Waits until its own clock shows this time. */
async function shows(service: Service, time: string): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const { headers } = await fetch(`${service.url}/healthz`);
    if (new Date(headers.get("date")!) >= new Date(`${time.replace(" ", "T")}Z`)) return;
    if (Date.now() > deadline) throw new Error(`its clock never shows ${time}`);
    await seconds(0.2);
  }
}

/** Reports every two seconds until `over` settles; each is answered so. */
async function reportUntil(over: Promise<unknown>, status: number, send: () => Promise<number>): Promise<void> {
  let isOver = false;
  const ended = over.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect(await send()).toBe(status);
    await Promise.race([ended, seconds(2)]);
  }
  await ended;
}

/** Stops it; answers when it had stopped, by its own clock. */
async function stopped(service: Service): Promise<string> {
  expect(await service.end("SIGTERM")).toBe(0);
  return String(service.facts("stopped")[0]!["at"]);
}

const later = (time: string, secondsLater: number): string =>
  new Date(Date.parse(time) + secondsLater * 1_000).toISOString().slice(0, 19).replace("T", " ");

describe.skipIf(clockFrom === null)("R26, against the executable", () => {
  const clock = clockFrom!;

  test.concurrent("a restart of 30 s over a daily slot: no alarm, one question; the next day's silence is found", async () => {
    await using world = openWorld();
    const { folder } = world;
    const first = await folder.serve(clock("2026-03-02 12:58:30"));
    const key = firstKeyOf(first);
    for (const monitor of ["alive", "dead"]) expect(await report(first, key, monitor, encoded("0 13 * * *"))).toBe(200);
    await stopped(first);
    // Awake again, and gone for 30 seconds when the slot comes.
    await stopped(await folder.serve(clock("2026-03-02 12:59:50")));
    const second = await folder.serve(clock("2026-03-02 13:00:20", FAST));
    await second.logged("delivery_sent", { type: "service.notice" }, PATIENCE);
    expect(world.heard()).toEqual([question("alive", "dead")]);
    await stopped(second);

    const third = await folder.serve(clock("2026-03-03 12:58:50", FAST));
    await shows(third, "2026-03-03 12:59:10");
    expect(await report(third, key, "alive")).toBe(200);
    await third.logged("delivery_sent", { type: "monitor.initial_failure" }, PATIENCE);
    expect(world.heard()).toEqual([question("alive", "dead"), miss("dead")]);
  });

  test.concurrent("a restart of a second, 80 s after a daily slot with two minutes' grace: told as missed, and it is named", async () => {
    await using world = openWorld();
    const { folder } = world;
    const first = await folder.serve(clock("2026-03-02 13:00:05"));
    const key = firstKeyOf(first);
    expect(await report(first, key, "dead", `${encoded("0 13 * * *")}&gracePeriod=120`)).toBe(200);
    await stopped(first);
    // Awake long before the slot: the day in which it was gone excuses nothing of this one.
    const second = await folder.serve(clock("2026-03-03 12:58:00", FAST));
    await shows(second, "2026-03-03 13:01:15");
    const gone = await stopped(second);
    const back = later(gone, 1);
    const third = await folder.serve(clock(back, FAST));
    const { at: listening } = await third.logged("listening");
    await third.logged("delivery_sent", { type: "monitor.initial_failure" }, PATIENCE);
    expect(world.heard()).toEqual([miss("dead")]);
    const { from, to } = world.bodies()[0].data.gap;
    // It is alive until it stops taking requests, just before it has stopped.
    expect([from >= later(gone, -20).replace(" ", "T"), from <= gone]).toEqual([true, true]);
    expect([to >= back.replace(" ", "T"), to <= String(listening)]).toEqual([true, true]);
  });

  test.concurrent("a restart of 2 h: no alarm, one question; the job that died in it is found at its next slot", async () => {
    await using world = openWorld();
    const { folder } = world;
    const first = await folder.serve(clock("2026-03-02 12:50:00"));
    const key = firstKeyOf(first);
    for (const monitor of ["alive", "dead"]) expect(await report(first, key, monitor, encoded("0 * * * *"))).toBe(200);
    // As a power cut would end it.
    await first.end("SIGKILL");
    const second = await folder.serve(clock("2026-03-02 14:50:00", FAST));
    await second.logged("delivery_sent", { type: "service.notice" }, PATIENCE);
    expect(world.heard()).toEqual([question("alive", "dead")]);
    await stopped(second);

    const third = await folder.serve(clock("2026-03-02 14:58:50", FAST));
    await shows(third, "2026-03-02 14:59:10");
    expect(await report(third, key, "alive")).toBe(200);
    await third.logged("delivery_sent", { type: "monitor.initial_failure" }, PATIENCE);
    expect(world.heard()).toEqual([question("alive", "dead"), miss("dead")]);
  });

  test.concurrent("a crash loop: told within a quarter of an hour as what it was, and a job that died meanwhile is found then", async () => {
    await using world = openWorld();
    const { folder } = world;
    const first = await folder.serve(clock("2026-03-02 12:58:58"));
    const key = firstKeyOf(first);
    expect(await report(first, key, "dead", encoded("* * * * *"))).toBe(200);
    await first.end("SIGKILL");
    // Up for a moment and down for the rest of 50 seconds, as its clock has it.
    const at = (second: number, times?: number) =>
      clock(new Date(Date.UTC(2026, 2, 2, 12, 59, second)).toISOString().slice(0, 19).replace("T", " "), times);
    for (let second = 0; second < 14 * 60; second += 50) {
      const life = await folder.serve(at(second));
      await life.end("SIGKILL");
    }
    const last = await folder.serve(at(14 * 60 + 10, FAST));
    await last.logged("delivery_sent", { type: "service.notice" }, PATIENCE);
    await last.logged("delivery_sent", { type: "monitor.initial_failure" }, PATIENCE);
    expect(world.heard()).toEqual([question("dead"), miss("dead")]);
    const [told, alarm] = world.bodies();
    expect(told.data.notice).toMatchObject({ reason: "stopped" });
    expect(told.data.notice.times).toBeGreaterThan(10);
    expect(told.timestamp < "2026-03-02T13:16:00").toBe(true);
    expect(alarm.timestamp < "2026-03-02T13:17:30").toBe(true);
  });

  test.concurrent("a stop of 20 s over a minute job: no alarm for it; a job that died in it is asked for, then found", async () => {
    await using world = openWorld();
    const service = await world.folder.serve(clock("2026-03-02 12:59:05", FAST));
    const key = firstKeyOf(service);
    for (const monitor of ["alive", "dead"])
      expect(await report(service, key, monitor, encoded("* * * * *"))).toBe(200);
    // The slot at 13:00:00 falls into it.
    await shows(service, "2026-03-02 12:59:50");
    process.kill(service.pid, "SIGSTOP");
    await seconds(24 / FAST);
    process.kill(service.pid, "SIGCONT");
    await service.logged("gap");
    const found = service.logged("delivery_sent", { type: "monitor.initial_failure" }, PATIENCE);
    await reportUntil(found, 200, () => report(service, key, "alive"));
    expect(world.heard()).toEqual([question("dead"), miss("dead")]);
  });

  test.concurrent("a flood of 429 over a minute job: no alarm, one notice that names the setting", async () => {
    // Within an hour, as a window of a minute may end before the waits do.
    await using world = openWorld("[limits]\nv1_per_hour = 60\n");
    const service = await world.folder.serve(clock("2026-03-02 12:59:30", FAST));
    const key = firstKeyOf(service);
    expect(await report(service, key, "busy", encoded("* * * * *"))).toBe(200);
    // All reports but the first sixty are refused.
    const statuses = await Promise.all(Array.from({ length: 80 }, () => report(service, key, "busy")));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await reportUntil(shows(service, "2026-03-02 13:02:40"), 429, () => report(service, key, "busy"));
    expect(world.heard()).toEqual([{ type: "service.notice", notice: "refused", monitors: ["busy"] }]);
  });
});
