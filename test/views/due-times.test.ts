// The law of due times: since when a job is late, and when it is due next, are the same wherever one looks.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import type { WordedPart } from "../../src/domain/wording/now.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const JOBS = { cron: { schedule: "*/10 * * * *" }, every: { everySeconds: 1_200 } } as const;

/** What a sentence says that a job is late since; null: it does not say that it is. */
function lateIn(parts: readonly WordedPart[]): Instant | null {
  const place = parts.findIndex(({ text }) => text.startsWith(" late"));
  return place < 1 ? null : parts[place - 1]!.at;
}

/** As each screen has it: `[late since, next due]`. */
function seen(service: Service, key: string) {
  const { engine, now } = service;
  const { views } = engine;
  const shown = granted(engine.operate("monitor show", { application: "prod", key }));
  const listed = granted(engine.operate("monitor list", { application: "prod" }));
  service.endTurns();
  for (const _ of views.board.catchUp());
  const id = views.monitorId("prod", key)!;
  const onBoard = wholeOf(views.board.monitors(now, (job) => job.key === key));
  const [state] = views.jobStates(onBoard);
  const inList = listed.monitors.find((one) => one.key === key)!;
  const times = [shown, inList, onBoard[0]!].map(({ lateSince, nextAt }) => [lateSince, nextAt]);
  const iso = (at: Instant | null) => (at === null ? null : toIso(at));
  return {
    shown,
    times,
    state: [state!.lateSince, state!.nextAt],
    expected: [iso(shown.lateSince), iso(shown.nextAt)],
    said: lateIn(views.sentencesNow([id]).get(id)!),
  };
}

const anyStep = fc.record({
  does: fc.constantFrom("heartbeat", "fail", "start", "pause", "resume", "look", "look", "aged"),
  minutes: fc.integer({ min: 0, max: 45 }),
});

test("R20: the card, the row, the lists, the job's page and JSON agree on late and next", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(JOBS) as (keyof typeof JOBS)[])),
      fc.array(anyStep, { minLength: 5, maxLength: 15 }),
      async (key, steps) => {
        using service = openService();
        const told = { monitorKey: key, ...JOBS[key] };
        await service.send(ping(told));
        for (const { does, minutes } of steps) {
          const until = service.now + minutes * MINUTE + 1_000;
          for (let at = service.now + MINUTE; at < until; at += MINUTE) service.look(at);
          service.look(until);
          if (does === "pause" || does === "resume") service.engine.operate(`monitor ${does}`, { key });
          else if (does === "aged") await service.send(ping({ ...told, ageSeconds: minutes * 30 }));
          else if (does !== "look") await service.send(ping({ ...told, kind: does }));
          const { shown, times, state, expected, said } = seen(service, key);
          const { lateSince, nextAt, status } = shown;
          expect(times).toEqual(times.map(() => [lateSince, nextAt]));
          expect(state).toEqual(expected);
          if (status === "paused") expect([lateSince, nextAt]).toEqual([null, null]);
          if (lateSince !== null) expect(lateSince).toBeLessThan(service.now);
          if (nextAt !== null) expect(nextAt).toBeGreaterThanOrEqual(service.now);
          // A failure or a run is said before the slot that waits meanwhile.
          if (said !== null) expect(said).toBe(lateSince!);
        }
      },
    ),
    { numRuns: 15 },
  ));

test("R20: a job whose miss was told is late since that slot, and its next lies ahead", async () => {
  using service = openService();
  await service.send(ping({ schedule: "0 * * * *" }));
  service.look(NOON + 3 * HOUR + 20 * MINUTE);
  const { shown, said } = seen(service, "job");
  expect([shown.lateSince, shown.nextAt, said]).toEqual([NOON + HOUR, NOON + 4 * HOUR, NOON + HOUR]);
  await service.send(ping({ kind: "fail" }));
  expect(seen(service, "job").shown).toMatchObject({ lateSince: null, nextAt: NOON + 4 * HOUR });
});
