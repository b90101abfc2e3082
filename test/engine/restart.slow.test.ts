// A process that is killed and started again on what it left on disk: no alarm is lost, none is told twice, and what
// became true meanwhile carries its own instant.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { NOON, type NotifiedAlert, openService, ping, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const CLOSES = NOON + HOUR + MINUTE + 5 * SECOND;

/** An hourly job that runs, is late, fails, is paused and comes back: every kind of state a kill can find. */
const STORY: readonly ((service: Service) => unknown)[] = [
  ({ send }) => send(ping({ schedule: HOURLY })),
  ({ at }) => at(NOON + HOUR),
  ({ send }) => send(ping({ kind: "start", runId: "one", maxRuntimeSeconds: 300 })),
  ({ at }) => at(NOON + HOUR + 2 * MINUTE),
  ({ send }) => send(ping({ kind: "complete", runId: "one" })),
  ({ look }) => look(NOON + 2 * HOUR),
  // Between the slot and its close.
  ({ look }) => look(NOON + 2 * HOUR + MINUTE),
  ({ look }) => look(CLOSES + HOUR),
  // The incident is open; its first reminder falls due.
  ({ look }) => look(CLOSES + 2 * HOUR),
  ({ send }) => send(ping({ kind: "fail", message: "disk full" })),
  ({ at }) => at(CLOSES + 2 * HOUR + MINUTE),
  ({ send }) => send(ping({ kind: "start" }), ping({ kind: "start", runId: "two" })),
  // Both runs are open until here.
  ({ look }) => look(CLOSES + 2 * HOUR + 6 * MINUTE),
  ({ send }) => send(ping()),
  (service) => {
    service.apply("job", { kind: "pause", pause: "manual", until: NOON + 7 * HOUR + 30 * MINUTE });
    service.restart();
  },
  ({ look }) => look(NOON + 6 * HOUR),
  ({ send }) => send(ping({ kind: "fail", message: "hushed" })),
  ({ look }) => look(NOON + 7 * HOUR + 30 * MINUTE),
  ({ look }) => look(NOON + 8 * HOUR + 10 * MINUTE),
  ({ send }) => send(ping({ schedule: "30 * * * *" })),
  ({ look }) => look(NOON + 9 * HOUR),
];

async function tell(killedBefore: number): Promise<unknown> {
  using service = openService();
  for (const [index, step] of STORY.entries()) {
    if (index === killedBefore) service.restart();
    await step(service);
  }
  const rows = (table: string, columns: string) =>
    service.store.database.query(`select ${columns} from ${table} order by id`).all();
  return {
    told: service.notified(),
    pings: rows("pings", "at, kind, number, previous_id, run_row, duration_seconds"),
    runs: rows("runs", "number, run_id, state, started_at, ended_at, matters"),
    incidents: rows("incidents", "id, number, causes, troubles, opened_at, closed_at, missed_slots"),
    deliveries: rows("deliveries", "alert_id, destination, created_at"),
    monitor: service.monitor(),
  };
}

test("a kill between any two steps of a monitor's life changes nothing of what is told, stored or expected", async () => {
  const undisturbed = await tell(-1);
  expect(
    (undisturbed as { told: NotifiedAlert[] }).told.map(
      ({ kind, cause, at }) => `${kind} ${cause} ${at.slice(11, 19)}`,
    ),
  ).toEqual([
    "InitialFailure missed 14:01:05",
    "ContinuedFailure missed 15:01:05",
    "ContinuedFailure failed 15:01:05",
    "ContinuedFailure unfinished 15:07:05",
    "Recovered missed 15:07:05",
    "InitialFailure failed 19:30:00",
    "ContinuedFailure missed 20:01:05",
    "Recovered failed 20:10:00",
    "InitialFailure missed 20:31:05",
  ]);
  for (let killedBefore = 0; killedBefore < STORY.length; killedBefore++) {
    expect(await tell(killedBefore)).toEqual(undisturbed);
  }
}, 120_000);

describe("a kill", () => {
  test("before the commit leaves nothing of the report, which was not answered; sent again it counts once", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.at(CLOSES - MINUTE);
    let answered = false;
    service.engine.intake.ingest(ping({ kind: "fail" })).then(() => {
      answered = true;
    });
    service.restart();
    service.endTurns();
    await Promise.resolve();
    expect([answered, service.count("pings"), service.notified()]).toEqual([false, 1, []]);
    await service.send(ping({ kind: "fail" }));
    expect([service.count("pings"), service.notified().length]).toEqual([2, 1]);
  });

  test("between the tick and the look loses no alarm", async () => {
    for (const turns of [0, 1]) {
      using service = openService();
      await service.send(ping({ schedule: HOURLY }));
      service.at(CLOSES);
      service.engine.tick();
      for (let turn = 0; turn < turns; turn++) service.endTurn();
      service.restart();
      service.endTurns();
      expect(service.notified()).toEqual([]);
      service.look(CLOSES + SECOND);
      expect(service.notified()).toEqual([told("InitialFailure", "opened", "missed", CLOSES)]);
    }
  });

  test("after the alarm was stored and before it was sent leaves its delivery to be claimed, once", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.look(CLOSES);
    service.restart();
    service.look(CLOSES + SECOND);
    const claimed = byHand(createOutbox(service.store.database, () => {})).claim(service.now);
    expect(claimed).toMatchObject([{ destination: "hook", createdAt: CLOSES, message: { at: CLOSES } }]);
    expect(service.count("deliveries")).toBe(1);
  });

  test("that is followed by another, and another, tells nothing twice", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    for (let minute = 0; minute < 10; minute++) {
      service.at(CLOSES + minute * MINUTE);
      service.restart();
      service.look(service.now + SECOND);
    }
    expect(service.notified()).toEqual([told("InitialFailure", "opened", "missed", CLOSES)]);
  });
});

describe("while nothing ran", () => {
  /** Alive and killed at this instant, with what had been due by then not looked at. */
  async function killedAt(instant: Instant, ...reports: ReturnType<typeof ping>[]): Promise<Service> {
    const service = openService();
    await service.send(ping({ schedule: HOURLY }), ...reports);
    service.at(instant);
    service.kill();
    return service;
  }

  function startedAt(service: Service, instant: Instant): void {
    service.at(instant);
    service.start();
    service.look(instant + SECOND);
  }

  test("R26: what was due before alarms as usual, stamped with its close, however many slots closed after it", async () => {
    using service = await killedAt(CLOSES);
    startedAt(service, NOON + 2.5 * HOUR);
    expect(service.notified()).toEqual([told("InitialFailure", "opened", "missed", CLOSES)]);
    await service.send(ping());
    expect(service.notified()).toHaveLength(2);
  });

  test("R26: two days of slots alarm nobody; the first slot after them does, if nothing comes", async () => {
    using service = await killedAt(NOON);
    startedAt(service, NOON + 2 * DAY + 30 * MINUTE);
    service.look(NOON + 2 * DAY + 32 * MINUTE);
    expect(service.alarms()).toEqual([]);
    service.look(CLOSES + 2 * DAY);
    expect(service.alarms()).toEqual([told("InitialFailure", "opened", "missed", CLOSES + 2 * DAY)]);
  });

  test("R23: an open incident goes on: reminders that fell into the gap are not made up, its recovery comes", async () => {
    using service = await killedAt(NOON + MINUTE, ping({ kind: "fail" }));
    startedAt(service, NOON + 90 * MINUTE);
    service.look(NOON + 6 * HOUR);
    await service.send(ping());
    expect(service.alarms()).toEqual([
      told("InitialFailure", "opened", "failed", NOON),
      told("ContinuedFailure", "new_cause", "missed", CLOSES + HOUR),
      told("ContinuedFailure", "reminder", "missed", NOON + 6 * HOUR),
      told("Recovered", "success", "failed", NOON + 6 * HOUR),
    ]);
  });

  test("R26: a run whose deadline passed is unknown, its late end pairs all the same", async () => {
    const start = ping({ kind: "start", runId: "a", maxRuntimeSeconds: 5_400 });
    using service = await killedAt(NOON + MINUTE, start);
    startedAt(service, NOON + 91 * MINUTE);
    service.look(NOON + 92 * MINUTE);
    const [answer] = await service.send(ping({ kind: "complete", runId: "a" }));
    expect(answer).toMatchObject({ durationSeconds: 92 * 60 });
    expect(service.alarms()).toEqual([]);
    expect(service.count("unknowns")).toBe(1);
  });

  test("R24: a pause that ended counts as ended at its instant: the first slot after it is expected", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY }));
    service.apply("job", { kind: "pause", pause: "manual", until: NOON + 2 * HOUR + 10 * MINUTE });
    service.kill();
    startedAt(service, NOON + 150 * MINUTE);
    // The clock has to stand first: it may be wrong after a start (R26).
    expect(service.monitor().pauses.manual).not.toBeNull();
    service.look(NOON + 160 * MINUTE + SECOND);
    expect(service.monitor()).toMatchObject({ pauses: { manual: null }, expectedAt: NOON + 3 * HOUR });
  });
});

test("a start waits with every alarm for the first look, so that a report that waits at the door is heard first", async () => {
  using service = openService();
  await service.send(ping({ schedule: HOURLY }));
  service.at(CLOSES);
  service.kill();
  service.at(CLOSES + MINUTE);
  service.start();
  expect(service.notified()).toEqual([]);
  const answer = service.engine.intake.ingest(ping());
  service.look(CLOSES + MINUTE + SECOND);
  await answer;
  expect(service.notified().map(({ kind }) => kind)).toEqual(["InitialFailure", "Recovered"]);
});

test("a stop commits what waits, and says when keys were last used", async () => {
  using service = openService();
  const made = service.engine.operate("key create", { application: "prod" }) as { key: string };
  service.engine.intake.authenticate(made.key);
  const answer = service.engine.intake.ingest(ping({ schedule: HOURLY }));
  service.engine.stop(service.now);
  expect(await answer).toMatchObject({ kind: "heartbeat" });
  service.restart();
  expect(service.count("pings")).toBe(1);
  expect(service.engine.operate("key list", {})).toMatchObject({ keys: [{ lastUsedAt: NOON }] });
});

const told = (
  kind: NotifiedAlert["kind"],
  reason: NotifiedAlert["reason"],
  cause: NotifiedAlert["cause"],
  at: Instant,
): NotifiedAlert => ({
  monitor: "job",
  kind,
  reason,
  cause,
  at: toIso(at),
});
