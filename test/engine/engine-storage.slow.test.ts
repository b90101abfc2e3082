// What a database that cannot be written does to the engine: nothing is answered as recorded, nothing in memory runs
// ahead of the disk, and all goes on by itself afterwards.

import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { STORAGE_FAULT_WORDS } from "../../src/domain/storage-fault.ts";
import { HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { changeRows } from "../support/database.ts";
import { MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";
import { wholly } from "../support/sync-status.ts";

const HOURLY = "0 * * * *";
const CLOSES = NOON + HOUR + MINUTE + 5 * SECOND;
const UNAVAILABLE = { refusal: "STORAGE_UNAVAILABLE" };
const TROUBLE = STORAGE_FAULT_WORDS.other;

/** Holds the write lock until it is let go. */
function lock(service: Service): () => void {
  const other: Database = service.connect();
  other.run("BEGIN IMMEDIATE");
  return () => other.run("ROLLBACK");
}

async function watched(): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: HOURLY }));
  return service;
}

describe("R1: a batch that cannot be committed", () => {
  test("is answered STORAGE_UNAVAILABLE as a whole and leaves nothing", async () => {
    using service = await watched();
    const before = service.monitor();
    const unlock = lock(service);
    const answers = await service.send(ping(), ping({ monitorKey: "new", schedule: HOURLY }), ping({ kind: "fail" }));
    expect(answers).toMatchObject([UNAVAILABLE, UNAVAILABLE, UNAVAILABLE]);
    expect(service.engine.troubles()).toEqual([TROUBLE]);
    unlock();
    expect([service.count("pings"), service.count("monitors"), service.count("alerts")]).toEqual([1, 1, 0]);
    expect(service.monitor()).toEqual(before);
    expect(service.nudges).toBe(0);

    expect(await service.send(ping({ monitorKey: "new", schedule: HOURLY }))).toMatchObject([{ kind: "heartbeat" }]);
    expect(service.engine.troubles()).toEqual([]);
  });

  test("leaves the wheel as it was; R26: the slot whose report it lost is in doubt, the next one is not", async () => {
    using service = await watched();
    service.at(NOON + HOUR);
    const unlock = lock(service);
    await service.send(ping({ kind: "start" }), ping({ monitorKey: "never", schedule: "* * * * *" }));
    unlock();
    service.look(CLOSES);
    service.look(CLOSES + HOUR);
    expect(service.notified().map(({ monitor, at }) => [monitor, at])).toEqual([["job", toIso(CLOSES + HOUR)]]);
  });

  test("on a full disk is the same", async () => {
    using service = await watched();
    const { database } = service.store;
    const { page_count } = database.query<{ page_count: number }, []>("PRAGMA page_count").get()!;
    database.run(`PRAGMA max_page_count = ${page_count}`);
    const fill = Array.from({ length: 500 }, () => ping({ kind: "log", message: "x".repeat(1_000) }));
    const answers = await service.send(ping(), ...fill);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject(UNAVAILABLE);
    expect([service.count("pings"), service.engine.troubles()]).toEqual([1, [expect.stringMatching(/^disk full, /)]]);
    database.run("PRAGMA max_page_count = 100000");
    expect(await service.send(ping())).toMatchObject([{ kind: "heartbeat" }]);
    expect(service.engine.troubles()).toEqual([]);
  });

  test("is logged once, however many follow, and so is that it works again", async () => {
    using service = await watched();
    const unlock = lock(service);
    for (let second = 1; second <= 5; second++) {
      service.look(NOON + second * SECOND);
      await service.send(ping());
    }
    expect(service.logged.map(({ level, event }) => [level, event])).toEqual([["error", "storage_failed"]]);
    unlock();
    await service.send(ping(), ping());
    expect(service.logged.slice(1)).toMatchObject([
      { level: "info", event: "storage_works" },
      { level: "warn", event: "gap", fields: { reason: "storage" } },
    ]);
  });

  test("does not end the process, whatever is to be written once a second, and all of it is written afterwards", async () => {
    using service = await watched();
    const { engine } = service;
    granted(engine.operate("key create", { application: "prod" }));
    granted(engine.operate("app suspend", { slug: "prod" }));
    engine.intake.heardFrom(ping().caller, "job", { client: () => "192.0.2.1", headers: { get: () => null } });
    const unlock = lock(service);
    for (let second = 1; second <= 70; second++) service.look(NOON + second * SECOND);
    expect(service.monitor().pauses.suspension).toBe(false);
    unlock();
    for (let second = 71; second <= 73; second++) service.look(NOON + second * SECOND);
    expect(service.monitor().pauses.suspension).toBe(true);
    engine.intake.heardFrom(ping().caller, "job", { client: () => "192.0.2.2", headers: { get: () => null } });
    service.look(NOON + 100 * SECOND);
    expect(granted(engine.operate("key show", { id: 1 })).lastUse).toMatchObject({ address: "192.0.2.2" });
  });

  test("is no trouble any more once storage works, though nobody reports", async () => {
    using service = await watched();
    const unlock = lock(service);
    await service.send(ping());
    service.look(NOON + SECOND);
    expect(service.engine.troubles()).toEqual([TROUBLE]);
    unlock();
    service.look(NOON + 2 * SECOND);
    expect(service.engine.troubles()).toEqual([]);
  });
});

describe("R19: a look that cannot be saved", () => {
  test("is taken again a second later, and tells what became true when it did", async () => {
    using service = await watched();
    const unlock = lock(service);
    service.look(CLOSES);
    service.look(CLOSES + SECOND);
    expect([service.engine.troubles(), service.nudges]).toEqual([[TROUBLE], 0]);
    unlock();
    service.look(CLOSES + 2 * SECOND - 1);
    expect(service.notified()).toEqual([]);
    service.look(CLOSES + 2 * SECOND);
    expect(service.notified()).toMatchObject([{ kind: "InitialFailure", at: toIso(CLOSES) }]);
    expect(service.engine.troubles()).toEqual([]);
    service.look(CLOSES + 3 * SECOND);
    expect(service.notified()).toHaveLength(1);
  });

  test("leaves the report before it refused, and its slot in doubt until the next one is heard (R26)", async () => {
    using service = await watched();
    // So late after its slot a report is likely when this one is lost.
    service.at(NOON + 30 * SECOND);
    await service.send(ping());
    service.at(CLOSES);
    service.engine.tick();
    const unlock = lock(service);
    const answer = service.engine.intake.ingest(ping());
    service.endTurns();
    expect(await answer).toMatchObject(UNAVAILABLE);
    unlock();
    service.look(CLOSES + SECOND);
    await service.send(ping());
    service.look(CLOSES + 2 * MINUTE);
    expect([service.notified(), service.count("unknowns")]).toEqual([[], 0]);
  });
});

describe("what an operator does while nothing can be written", () => {
  test("throws, and keys stay as they were", () => {
    using service = openService();
    const made = service.engine.operate("key create", { application: "prod" }) as { key: string; id: number };
    expect(service.engine.intake.authenticate(made.key)).toMatchObject({ application: "prod" });
    const unlock = lock(service);
    expect(() => service.engine.operate("key revoke", { id: made.id })).toThrow("locked");
    expect(() => service.engine.operate("key create", { application: "prod" })).toThrow("locked");
    expect(() => service.engine.operate("app create", { slug: "staging" })).toThrow("locked");
    unlock();
    expect(service.engine.intake.authenticate(made.key)).toMatchObject({ application: "prod" });
    expect(service.engine.operate("key list", {})).toMatchObject({ keys: [{ id: 1 }] });
    expect(service.engine.operate("app create", { slug: "staging" })).toMatchObject({ slug: "staging" });
  });
});

test("the hourly work that fails is taken up with the next hour, and hints are healed all the same", async () => {
  using service = await watched();
  service.look(NOON + HOUR - SECOND);
  changeRows(service.store, "update monitor_states set wake_at = ?, expected_at = ?", [CLOSES - HOUR, NOON]);
  const made = service.engine.operate("key create", { application: "prod" }) as { key: string };
  service.engine.intake.authenticate(made.key);
  const unlock = lock(service);
  service.look(NOON + HOUR);
  expect(service.logged).toMatchObject([{ event: "storage_failed" }]);
  unlock();
  service.look(NOON + HOUR + SECOND);
  expect(service.notified()).toMatchObject([{ kind: "InitialFailure", at: toIso(CLOSES - HOUR) }]);
  service.look(NOON + 2 * HOUR);
  expect(service.store.database.query("select last_used_at as used from api_keys").get()).toEqual({
    used: NOON + HOUR - SECOND,
  });
});

test("a stop that cannot write when keys were last used ends all the same", async () => {
  using service = await watched();
  const made = service.engine.operate("key create", { application: "prod" });
  service.engine.intake.authenticate("key" in made ? made.key : "");
  const unlock = lock(service);
  expect(() => service.engine.stop(service.now)).not.toThrow();
  unlock();
  expect(service.engine.operate("key list", { application: "prod" })).toMatchObject({ keys: [{ lastUsedAt: NOON }] });
});

test("storage works again only once a ping could be stored", async () => {
  using service = await watched();
  service.store.database.run("CREATE TRIGGER refuse BEFORE INSERT ON pings BEGIN SELECT RAISE(FAIL, 'no'); END");
  const unlock = lock(service);
  await service.send(ping());
  unlock();
  service.look(NOON + SECOND);
  expect(service.engine.troubles()).toEqual([TROUBLE]);
  service.store.database.run("DROP TRIGGER refuse");
  service.look(NOON + 2 * SECOND);
  expect(service.engine.troubles()).toEqual([]);
  expect(service.count("pings")).toBe(1);
});

describe("R36: that nothing can be stored", () => {
  const kinds = ({ unstored }: Service) =>
    unstored.map(({ message: { at, data } }) => [
      toIso(at),
      data.notice.kind === "storage" ? [data.notice.fault, data.notice.until] : data.notice.kind,
    ]);
  const DESTINATIONS = new Map([
    ["email", TEAM_MAIL],
    ["hook", MESSAGES],
    ["unused", MESSAGES],
  ]);
  const members = ["ada", "ben"].map((name) => ({
    name,
    email: `${name}@example.org`,
    events: ["Recovered" as const],
  }));

  /** Lets the database grow no further; the answer lets it. */
  function fill({ store: { database } }: Service): () => void {
    const { page_count } = database.query<{ page_count: number }, []>("PRAGMA page_count").get()!;
    database.run(`PRAGMA max_page_count = ${page_count}`);
    return () => database.run("PRAGMA max_page_count = 100000");
  }

  const sendMuch = (service: Service) =>
    service.send(...Array.from({ length: 500 }, () => ping({ kind: "log", message: "x".repeat(1_000) })));

  test("is told at once, through every destination and to everybody, and is not stored", async () => {
    const team = { name: null, destinations: ["hook"], members };
    using service = openService(policyWith({ destinations: DESTINATIONS, team }));
    await service.send(ping({ schedule: HOURLY }));
    fill(service);
    await sendMuch(service);
    service.look(NOON + SECOND);
    expect(kinds(service)).toEqual([[toIso(NOON + SECOND), ["full", null]]]);
    expect(service.unstored[0]!.routes.map(({ destination, recipient }) => [destination, recipient])).toEqual([
      ["email", "ada@example.org"],
      ["email", "ben@example.org"],
      ["hook", null],
      ["unused", null],
    ]);
    expect(service.count("alerts")).toBe(0);
  });

  test("is told once though something small can be stored now and then, and its end after a minute without trouble", async () => {
    using service = await watched();
    const empty = fill(service);
    await sendMuch(service);
    for (let second = 1; second <= 30; second++) {
      service.look(NOON + second * SECOND);
      if (second % 10 === 0) await sendMuch(service);
    }
    empty();
    for (let second = 31; second <= 91; second++) service.look(NOON + second * SECOND);
    expect(kinds(service)).toHaveLength(1);
    service.look(NOON + 92 * SECOND);
    expect(kinds(service).slice(1)).toEqual([[toIso(NOON + 92 * SECOND), ["full", toIso(NOON + 32 * SECOND)]]]);
    service.look(NOON + HOUR);
    fill(service);
    await sendMuch(service);
    service.look(NOON + HOUR + SECOND);
    expect(kinds(service)).toHaveLength(3);
  });

  test("is not told when another program holds the database for a moment", async () => {
    using service = await watched();
    const unlock = lock(service);
    await service.send(ping());
    for (let second = 1; second <= 9; second++) service.look(NOON + second * SECOND);
    expect(kinds(service)).toEqual([]);
    service.look(NOON + 10 * SECOND);
    expect(kinds(service)).toEqual([[toIso(NOON + 10 * SECOND), ["other", null]]]);
    unlock();
  });

  test("keeps nobody from looking", async () => {
    using service = await watched();
    const unlock = lock(service);
    await service.send(ping());
    const { engine } = service;
    expect(engine.operate("monitor list", {})).toMatchObject({ monitors: [{ key: "job" }] });
    expect(engine.operate("monitor show", { application: "prod", key: "job" })).toMatchObject({ key: "job" });
    expect(engine.operate("app list", {})).toMatchObject({ applications: [{ slug: "prod" }] });
    expect(engine.operate("incident list", { application: null, open: false })).toMatchObject({});
    expect(wholly(engine.views.syncStatus(ping().caller.application))).toMatchObject({ application: "prod", total: 1 });
    expect(() => engine.operate("monitor pause", { application: "prod", key: "job" })).toThrow();
    unlock();
  });
});

describe("R26: a failure that could not be stored", () => {
  const fail = (changes = {}) => ping({ kind: "fail", message: "no space left", ...changes });
  const notices = ({ unstored }: Service) => unstored.map(({ message: { data } }) => data.notice);
  const stored = (service: Service) => service.notices().map(({ data }) => data.notice);
  const listed = ({ engine }: Service) => granted(engine.operate("monitor refused", {})).refused;

  /** Storage fails from NOON + 1 s until NOON + `seconds`, and is looked at for two minutes after that. */
  async function refusedFor(service: Service, seconds: number, meanwhile: () => Promise<unknown>): Promise<void> {
    const unlock = lock(service);
    service.at(NOON + SECOND);
    expect((await service.send(fail()))[0]).toMatchObject(UNAVAILABLE);
    for (let second = 2; second < seconds; second++) service.look(NOON + second * SECOND);
    await meanwhile();
    unlock();
    for (let second = seconds; second < seconds + 120; second++) service.look(NOON + second * SECOND);
  }

  test("R26: is named by the notice that storage works again, and by no other; monitor refused has it all the time", async () => {
    using service = await watched();
    await refusedFor(service, 30, async () => {
      await service.send(ping(), ping({ monitorKey: "other", kind: "fail", schedule: HOURLY }));
      expect(listed(service)).toMatchObject([
        { monitorKey: "job", report: "heartbeat", status: 503, at: NOON + 29 * SECOND },
        { monitorKey: "other", report: "fail", at: NOON + 29 * SECOND },
        { monitorKey: "job", report: "fail", status: 503, error: "STORAGE_UNAVAILABLE", at: NOON + SECOND, times: 1 },
      ]);
      expect(service.count("refused_reports")).toBe(0);
    });
    const [, over] = notices(service);
    expect(over).toMatchObject({
      kind: "storage",
      failingTotal: 2,
      monitors: [
        { monitorKey: "job", refused: [{ at: toIso(NOON + SECOND), report: "fail", error: "STORAGE_UNAVAILABLE" }] },
        { monitorKey: "other", refused: [{ at: toIso(NOON + 29 * SECOND), report: "fail" }] },
      ],
    });
    expect(listed(service)).toHaveLength(3);
    expect(service.count("refused_reports")).toBe(3);
    service.look(NOON + HOUR / 2);
    expect([notices(service).length, stored(service)]).toEqual([2, []]);
  });

  test("R26: is told in a notice of its own where the trouble was too short to be told", async () => {
    using service = await watched();
    await refusedFor(service, 5, async () => {});
    expect(notices(service)).toEqual([]);
    expect(stored(service)).toMatchObject([{ kind: "refused", failingTotal: 1, monitors: [{ monitorKey: "job" }] }]);
  });

  test("R26: is told after a restart, too", async () => {
    using service = await watched();
    const unlock = lock(service);
    service.at(NOON + SECOND);
    await service.send(fail());
    for (let second = 2; second < 30; second++) service.look(NOON + second * SECOND);
    unlock();
    service.look(NOON + 30 * SECOND);
    service.look(NOON + 31 * SECOND);
    service.restart();
    service.look(NOON + 32 * SECOND);
    service.look(NOON + 2 * MINUTE);
    expect(stored(service)).toMatchObject([{ kind: "refused", failingTotal: 1, monitors: [{ monitorKey: "job" }] }]);
  });

  test("R26: is not told where its client has sent it again", async () => {
    using service = await watched();
    const unlock = lock(service);
    service.at(NOON + SECOND);
    await service.send(fail(), fail({ monitorKey: "late", ageSeconds: 60 }));
    for (let second = 2; second < 30; second++) service.look(NOON + second * SECOND);
    unlock();
    service.at(NOON + 30 * SECOND);
    await service.send(fail({ ageSeconds: 30 }));
    for (let second = 31; second < 120; second++) service.look(NOON + second * SECOND);
    expect(service.alarms()).toMatchObject([{ kind: "InitialFailure", cause: "failed" }]);
    expect(notices(service)).toMatchObject([{ until: null }, { failingTotal: 0, monitors: [] }]);
    expect(stored(service)).toEqual([]);
  });

  test("R26: is remembered of each job, of 200 of an application at most, and the log has the rest", async () => {
    using service = await watched();
    const unlock = lock(service);
    service.at(NOON + SECOND);
    const jobs = Array.from({ length: 1_000 }, (_, job) => ({ monitorKey: `job-${job}` }));
    await service.send(...jobs.map((job) => ping(job)), ...jobs.map(fail));
    for (let second = 2; second < 30; second++) service.look(NOON + second * SECOND);
    unlock();
    for (let second = 30; second < 120; second++) service.look(NOON + second * SECOND);
    expect(notices(service)[1]).toMatchObject({ kind: "storage", failingTotal: 200 });
    expect(service.logged.find(({ event }) => event === "more_reports_refused")?.fields).toEqual({ times: 1_600 });
  });
});

test("R26: status names that nothing can be stored, and is never without trouble while /readyz has one", async () => {
  using service = await watched();
  const status = () => granted(service.engine.operate("status", {}));
  expect(status().troubles).toEqual([]);
  const unlock = lock(service);
  await service.send(ping());
  expect(status().troubles).toEqual([TROUBLE]);
  unlock();
  service.look(NOON + SECOND);
  expect(status().troubles).toEqual([]);
});
