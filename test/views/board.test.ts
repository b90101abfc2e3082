// The board keeps all monitors in memory while somebody looks, and lets go what is no longer there.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { CHANGES_KEPT } from "../../src/views/changes.ts";
import { recentRuns } from "../../src/views/recent-runs.ts";
import { createCatchUp } from "../../src/web/catch-up.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";
import { TURNS } from "../support/turns.ts";

/** What stands on the board after a look at it. */
function seen(service: Service): string[] {
  service.endTurns();
  for (const _ of service.engine.views.board.catchUp());
  const { board } = service.engine.views;
  return wholeOf(board.monitors(service.now, () => true))
    .map(({ application, key }) => `${application}/${key}`)
    .sort();
}

test("a monitor that is deleted goes from the board, and with an application all of its own", async () => {
  using service = openService(policyWith());
  granted(service.engine.operate("app create", { slug: "old" }));
  for (const key of ["a", "b"])
    granted(service.engine.operate("monitor create", { application: "old", key, schedule: "0 0 * * *" }));
  for (const monitorKey of ["a", "b"]) await service.send(ping({ monitorKey, schedule: "@daily" }));
  expect(seen(service)).toEqual(["old/a", "old/b", "prod/a", "prod/b"]);
  granted(service.engine.operate("monitor delete", { application: "prod", key: "a" }));
  expect(seen(service)).toEqual(["old/a", "old/b", "prod/b"]);
  granted(service.engine.operate("app delete", { slug: "old" }));
  expect(seen(service)).toEqual(["prod/b"]);
});

test("more changes at once than are noted are all seen", async () => {
  using service = openService(policyWith());
  seen(service);
  const pings = Array.from({ length: CHANGES_KEPT + 50 }, (_, place) =>
    ping({ monitorKey: `job-${place}`, schedule: "@daily" }),
  );
  await service.send(...pings.slice(0, 600));
  expect(seen(service)).toHaveLength(600);
  await service.send(...pings);
  expect(seen(service)).toHaveLength(CHANGES_KEPT + 50);
});

test("the last runs of a look that follows others are those of a first look", () => {
  const KINDS = ["heartbeat", "start", "complete", "fail", "log"] as const;
  const step = fc.record({
    job: fc.integer({ min: 0, max: 2 }),
    kind: fc.constantFrom(...KINDS),
    isNamed: fc.boolean(),
    minutes: fc.integer({ min: 0, max: 90 }),
    isLook: fc.boolean(),
  });
  return fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      using service = openService(policyWith());
      for (const job of [0, 1, 2])
        await service.send(ping({ monitorKey: `job-${job}`, schedule: "0 * * * *", maxRuntimeSeconds: 600 }));
      // A run_id that is used again leaves two starts of one run; those are not compared.
      const named = new Map<number, string>();
      for (const [place, { job, kind, isNamed, minutes, isLook }] of steps.entries()) {
        service.look(service.now + minutes * 60_000 + 1_000);
        if (kind === "start") named.set(job, `run-${place}`);
        const runId = isNamed && kind !== "log" ? (named.get(job) ?? null) : null;
        if (kind !== "start") named.delete(job);
        await service.send(ping({ monitorKey: `job-${job}`, kind, runId }));
        if (!isLook) continue;
        seen(service);
        const { board } = service.engine.views;
        const runs = board.recentRuns(wholeOf(board.monitors(service.now, () => true)).map(({ id }) => id));
        for (const { id } of wholeOf(board.monitors(service.now, () => true))) {
          const afresh = recentRuns(service.store, service.store.monitorPages.outlines([id])).get(id)!;
          expect(runs.get(id)!.slice(-afresh.length)).toEqual([...afresh]);
        }
      }
    }),
    { numRuns: 8, seed: 7, endOnFailure: true },
  );
});

test("R18: a look that follows others says of each job what a first look says, whatever came and however late it is", () => {
  const step = fc.record({
    job: fc.integer({ min: 0, max: 4 }),
    did: fc.constantFrom("heartbeat", "start", "fail", "pause", "resume", "nothing"),
    minutes: fc.integer({ min: 0, max: 40 }),
  });
  return fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      using service = openService(policyWith());
      const statuses = new Set<string>();
      for (const job of [0, 1, 2, 3, 4])
        await service.send(ping({ monitorKey: `job-${job}`, schedule: "0 * * * *", graceSeconds: 1_200 }));
      for (const { job, did, minutes } of steps) {
        service.look(service.now + minutes * 60_000 + 1_000);
        const monitorKey = `job-${job}`;
        if (did === "pause" || did === "resume")
          service.engine.operate(`monitor ${did}`, { application: "prod", key: monitorKey });
        else if (did !== "nothing") await service.send(ping({ monitorKey, kind: did }));
        seen(service);
        const { monitors } = granted(service.engine.operate("monitor list", {}));
        const board = wholeOf(service.engine.views.board.monitors(service.now, () => true)).toSorted(
          (a, b) => a.id - b.id,
        );
        expect(board).toMatchObject(monitors);
        for (const { status } of board) statuses.add(status);
      }
      expect(statuses.size).toBeGreaterThan(1);
    }),
    { numRuns: 8, seed: 18, endOnFailure: true },
  );
});

test("other settings show at the next look, also of jobs that have not changed", async () => {
  using service = openService(policyWith());
  await service.send(ping({ schedule: "@daily" }));
  const names = () => {
    seen(service);
    return wholeOf(service.engine.views.board.monitors(service.now, () => true)).map(({ name, owner }) => [
      name,
      owner,
    ]);
  };
  expect(names()).toEqual([["Job", null]]);
  service.reload(policyWith({ team: { ...policyWith().team, owner: "Ada" } }));
  expect(names()).toEqual([["Job", "Ada"]]);
});

test("what was forgotten is read again", async () => {
  using service = openService(policyWith());
  await service.send(ping({ schedule: "@daily" }));
  expect(seen(service)).toEqual(["prod/job"]);
  service.engine.views.board.forget();
  expect(wholeOf(service.engine.views.board.monitors(service.now, () => true))).toEqual([]);
  await service.send(ping({ monitorKey: "other", schedule: "@daily" }));
  expect(seen(service)).toEqual(["prod/job", "prod/other"]);
});

test("a quarter of an hour after the last look it is forgotten, and not before; a stop calls that off", async () => {
  let forgotten = 0;
  const timers = new Map<() => void, number>();
  const stopping = new AbortController();
  const catchUp = createCatchUp(
    TURNS,
    { *catchUp() {}, forget: () => void forgotten++ },
    (milliseconds, run) => {
      timers.set(run, milliseconds);
      return () => void timers.delete(run);
    },
    stopping.signal,
  );
  await catchUp();
  await Promise.all([catchUp(), catchUp()]);
  expect([...timers.values()]).toEqual([15 * 60_000]);
  stopping.abort();
  await catchUp();
  expect([timers.size, forgotten]).toEqual([0, 0]);
});
