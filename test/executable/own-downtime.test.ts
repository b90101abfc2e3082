// The executable through its own bad hours (R26): restarts, a stop of the process, a flood of reports that the rate limit
// refuses. Nobody is alarmed for them, one question is asked each, and a job that really died meanwhile is found. Days and
// hours pass by another clock, four times as fast; the tests run beside each other.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Folder, firstKeyOf, openFolder, report, type Service } from "../support/executable.ts";
import { type HttpSink, startHttpSink } from "../support/http-sink.ts";
import { clockFrom } from "./clock-library.ts";

setDefaultTimeout(180_000);

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

/** A tick a second then comes every four, still not long enough for a gap. */
const FAST = 4;

interface World extends AsyncDisposable {
  readonly folder: Folder;
  /** What the receiver heard: `type`, and whom it is about. */
  heard(): { readonly type: string; readonly monitors: readonly string[]; readonly notice: string | null }[];
  bodies(): ReturnType<typeof JSON.parse>[];
}

function openWorld(): World {
  const receiver: HttpSink = startHttpSink(() => new Response("ok"));
  const folder = openFolder({
    "rollcall.toml": `[team]\ndestinations = ["hook"]\n[destinations.hook]\ntype = "webhook"\nurl = "${receiver.url}"\nsecret = "${SECRET}"\n`,
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

/** Until the process has written that it is alive and delivered what it had to. */
const seconds = (count: number) => Bun.sleep(count * 1_000);

async function stopped(service: Service): Promise<void> {
  expect(await service.end("SIGTERM")).toBe(0);
}

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
    await second.logged("delivery_sent", { type: "service.notice" });
    expect(world.heard()).toEqual([question("alive", "dead")]);
    await stopped(second);

    const third = await folder.serve(clock("2026-03-03 12:58:50", FAST));
    await seconds(70 / FAST);
    expect(await report(third, key, "alive")).toBe(200);
    await third.logged("delivery_sent", { type: "monitor.initial_failure" });
    expect(world.heard()).toEqual([question("alive", "dead"), miss("dead")]);
  });

  test.concurrent("a restart of a second, 80 s after a daily slot with two minutes' grace: told as missed, and it is named", async () => {
    await using world = openWorld();
    const { folder } = world;
    const first = await folder.serve(clock("2026-03-02 13:00:05"));
    const key = firstKeyOf(first);
    expect(await report(first, key, "dead", `${encoded("0 13 * * *")}&gracePeriod=120`)).toBe(200);
    await stopped(first);
    const second = await folder.serve(clock("2026-03-03 12:58:50", FAST));
    await seconds(148 / FAST);
    await stopped(second);
    const third = await folder.serve(clock("2026-03-03 13:01:20", FAST));
    await third.logged("delivery_sent", { type: "monitor.initial_failure" });
    expect(world.heard()).toEqual([miss("dead")]);
    const { from, to } = world.bodies()[0].data.gap;
    expect([from >= "2026-03-03T13:01:10", to >= "2026-03-03T13:01:20", to < "2026-03-03T13:01:30"]).toEqual([
      ...[true, true, true],
    ]);
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
    await second.logged("delivery_sent", { type: "service.notice" });
    expect(world.heard()).toEqual([question("alive", "dead")]);
    await stopped(second);

    const third = await folder.serve(clock("2026-03-02 14:58:50", FAST));
    await seconds(70 / FAST);
    expect(await report(third, key, "alive")).toBe(200);
    await third.logged("delivery_sent", { type: "monitor.initial_failure" });
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
    await last.logged("delivery_sent", { type: "service.notice" });
    await last.logged("delivery_sent", { type: "monitor.initial_failure" });
    expect(world.heard()).toEqual([question("dead"), miss("dead")]);
    const [told, alarm] = world.bodies();
    expect(told.data.notice).toMatchObject({ reason: "stopped" });
    expect(told.data.notice.times).toBeGreaterThan(10);
    expect(told.timestamp < "2026-03-02T13:16:00").toBe(true);
    expect(alarm.timestamp < "2026-03-02T13:17:30").toBe(true);
  });

  test.concurrent("a stop of 20 s over a minute job: no alarm for it; a job that died in it is asked for, then found", async () => {
    await using world = openWorld();
    const service = await world.folder.serve(clock("2026-03-02 12:59:30", FAST));
    const key = firstKeyOf(service);
    for (const monitor of ["alive", "dead"])
      expect(await report(service, key, monitor, encoded("* * * * *"))).toBe(200);
    // The slot at 13:00:00 falls into it.
    await seconds(20 / FAST);
    process.kill(service.pid, "SIGSTOP");
    await seconds(24 / FAST);
    process.kill(service.pid, "SIGCONT");
    await service.logged("gap");
    await seconds(40 / FAST);
    expect(await report(service, key, "alive")).toBe(200);
    await service.logged("delivery_sent", { type: "monitor.initial_failure" });
    expect(world.heard()).toEqual([question("dead"), miss("dead")]);
  });

  test.concurrent("a flood of 429 over a minute job: no alarm, one notice that names the setting", async () => {
    await using world = openWorld();
    const service = await world.folder.serve(clock("2026-03-02 12:59:30", FAST));
    const key = firstKeyOf(service);
    expect(await report(service, key, "busy", encoded("* * * * *"))).toBe(200);
    // Some three of its minutes, all but the first sixty reports of it refused.
    const statuses = new Set<number>();
    for (let left = 220; left > 0; left--) {
      statuses.add(await report(service, key, "busy"));
      await seconds(0.2);
    }
    expect(statuses).toEqual(new Set([200, 429]));
    expect(world.heard()).toEqual([{ type: "service.notice", notice: "refused", monitors: ["busy"] }]);
  });
});
