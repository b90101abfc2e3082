// When a gap is decided (R26): not before the last slot or run it leaves in doubt is judged, and then for certain,
// whatever becomes of single monitors; many of them cost a ping, a second and a turn of the event loop little.

import { describe, expect, test } from "bun:test";
import { oneGap } from "../../src/domain/monitor/gap.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import { changeRows } from "../support/database.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const SLOT = NOON + HOUR;
const BACK = SLOT + 30 * SECOND;
const JOB = { application: "prod", key: "job" };

/**
 * `job`, `other` and `patient`, whose grace is half an hour: the process is away for 31 seconds over a slot of each.
 */
async function awayOverASlot(): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: HOURLY }), ping({ monitorKey: "other", schedule: HOURLY }));
  await service.send(ping({ monitorKey: "patient", schedule: HOURLY, graceSeconds: 1_800 }));
  return service;
}

function away(service: Service, from: Instant, to: Instant): void {
  service.look(from);
  service.kill();
  service.at(to);
  service.start();
}

function runUntil(service: Service, until: Instant): void {
  for (let at = service.now + SECOND; at <= until; at += SECOND) service.look(at);
}

const undecided = (service: Service): number => service.store.gaps.undecided().length;

const notifiedOf = (service: Service): string[][] =>
  service
    .notices()
    .map(({ data: { notice } }) => ("monitors" in notice ? notice.monitors : []).map(({ monitorKey }) => monitorKey));

const unreadable = (service: Service, key: string): void =>
  changeRows(
    service.store,
    "update monitor_states set open_incident_id = 99 where monitor_id = (select id from monitors where key = ?)",
    [key],
  );

describe("R26: a monitor that cannot be read", () => {
  test("while it is in doubt keeps nobody waiting", async () => {
    using service = await awayOverASlot();
    away(service, SLOT - SECOND, BACK);
    runUntil(service, SLOT + 5 * MINUTE);
    unreadable(service, "patient");
    runUntil(service, SLOT + 32 * MINUTE);
    expect(notifiedOf(service)).toEqual([["job", "other"]]);
  });

  test("after it was judged keeps nobody untold", async () => {
    using service = await awayOverASlot();
    away(service, SLOT - SECOND, BACK);
    runUntil(service, SLOT + 5 * MINUTE);
    unreadable(service, "job");
    runUntil(service, SLOT + 32 * MINUTE);
    expect(notifiedOf(service)).toEqual([["other", "patient"]]);
  });
});

describe("R26: a paused monitor with an open run", () => {
  test("keeps nobody waiting once the deadline has passed under the pause", async () => {
    using service = await awayOverASlot();
    await service.send(ping({ kind: "start", maxRuntimeSeconds: 7_200 }));
    away(service, SLOT - SECOND, BACK);
    service.engine.operate("monitor pause", JOB);
    runUntil(service, SLOT + 32 * MINUTE);
    expect(undecided(service)).toBe(1);
    service.look(NOON + 2 * HOUR + MINUTE);
    service.look(NOON + 3 * HOUR);
    service.look(NOON + 3 * HOUR + SECOND);
    expect(notifiedOf(service)).toEqual([["other", "patient"]]);
  });

  test("is asked for when the pause ends before the deadline, and no alarm is raised", async () => {
    using service = await awayOverASlot();
    await service.send(ping({ kind: "start", maxRuntimeSeconds: 7_200 }));
    away(service, SLOT - SECOND, BACK);
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 1_800 });
    runUntil(service, SLOT + 31 * MINUTE);
    await service.send(ping({ monitorKey: "other" }), ping({ monitorKey: "patient" }));
    runUntil(service, NOON + 2 * HOUR + 2 * SECOND);
    expect(notifiedOf(service)).toEqual([["job", "other", "patient"]]);
    expect(service.alarms()).toEqual([]);
  });
});

test("R26: a gap is decided although every monitor in doubt reports at once, and others all the time", async () => {
  const keys = Array.from({ length: 450 }, (_, number) => `job-${number}`);
  using service = openService();
  await service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: HOURLY, graceSeconds: 3_600 })));
  away(service, SLOT - SECOND, BACK);
  runUntil(service, BACK + 62 * SECOND);
  expect(undecided(service)).toBe(1);
  await service.send(...keys.map((monitorKey) => ping({ monitorKey })));
  service.look(service.now + SECOND);
  expect(undecided(service)).toBe(0);
  expect(service.notices()).toEqual([]);
});

test("R26: what a gap left unknown about very many monitors is told once, wherever the process dies meanwhile", async () => {
  const keys = Array.from({ length: 410 }, (_, number) => `job-${number}`);
  const seen = new Set<number>();
  for (let turns = 1, isOver = false; !isOver; turns += 1) {
    using service = openService();
    await service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: HOURLY })));
    away(service, SLOT - SECOND, BACK);
    runUntil(service, BACK + 60 * SECOND);
    service.at(BACK + 61 * SECOND);
    service.engine.tick();
    for (let turn = 0; turn < turns; turn += 1) isOver = !service.endTurn();
    seen.add(service.notices().length);
    service.kill();
    service.start();
    runUntil(service, BACK + 70 * SECOND);
    expect(service.notices()).toMatchObject([{ data: { notice: { kind: "unheard", monitorsTotal: keys.length } } }]);
    expect([undecided(service), service.alarms()]).toEqual([0, []]);
  }
  // It died before it was told, and after that.
  expect([...seen]).toEqual([0, 1]);
});

describe("R26: hundreds of gaps that one patient monitor leaves undecided", () => {
  const GAPS = 1_030;

  /** Short ones in the slot of a monitor with a day of grace; a new process finds them. */
  async function withGaps(): Promise<Service> {
    const service = openService();
    // Without a success nobody knows when its report is likely: any gap in its window leaves the slot in doubt.
    await service.send(ping({ kind: "fail", schedule: HOURLY, graceSeconds: 86_400 }));
    await service.send(ping({ kind: "log" }));
    service.engine.operate("incident resolve", { id: 1 });
    service.look(SLOT + GAPS * 30 * SECOND);
    service.kill();
    service.start();
    const { gaps } = service.store;
    for (let number = 0; number < GAPS; number++) {
      const from = SLOT + number * 30 * SECOND;
      gaps.save({ id: gaps.lastId() + 1, gap: oneGap(from, from + SECOND, "stalled") });
    }
    service.restart();
    return service;
  }

  test("are kept up to a thousand: the oldest are decided, and the slot is excused all the same", async () => {
    using service = await withGaps();
    runUntil(service, service.now + 5 * SECOND);
    expect(undecided(service)).toBe(1_000);
    service.look(SLOT + 25 * HOUR);
    expect(service.alarms().filter(({ cause }) => cause === "missed")).toEqual([]);
    expect(service.count("unknowns")).toBe(1);
  });

  test("are decided a few a turn when it reports", async () => {
    using service = await withGaps();
    runUntil(service, service.now + 5 * SECOND);
    await service.send(ping());
    service.look(service.now + SECOND);
    expect(undecided(service)).toBe(980);
    runUntil(service, service.now + MINUTE);
    expect(undecided(service)).toBe(0);
  });
});
