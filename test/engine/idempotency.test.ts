// R11: what the engine does with pings that carry an idempotency key. Duplicates in one batch, in several, across
// restarts and failures; how long answers are kept, and whose they are.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { changeRows } from "../support/database.ts";
import { NOON, openService, type PingChanges, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const JOB = { application: null, key: "job" };
const HOURLY = { schedule: "0 * * * *" };
/** Later than any slot of these tests. */
const RARELY = { schedule: "0 0 29 2 *" };

/** A ping whose answer, if it is the one that is kept, is `text`. */
const keyed = (text: string, changes: PingChanges = {}, key = "key"): Ping =>
  ping({ idempotency: { key, textOf: () => text }, ...changes });

const FIRST = { text: "first" };

async function withJob(): Promise<Service> {
  const service = openService();
  await service.send(ping(RARELY));
  return service;
}

describe("duplicates", () => {
  test("in one batch: one is applied, all get its answer", async () => {
    using service = await withJob();
    const kinds = ["start", "fail", "complete", "log", "heartbeat"] as const;
    const answers = await service.send(keyed("first"), ...kinds.map((kind) => keyed("other", { kind })));
    expect(answers).toEqual([FIRST, FIRST, FIRST, FIRST, FIRST, FIRST]);
    expect([service.count("pings"), service.count("runs"), service.count("incidents")]).toEqual([2, 0, 0]);
  });

  test("in later batches get it too, and change nothing of the monitor", async () => {
    using service = await withJob();
    await service.send(keyed("first", { kind: "start", runId: "a" }));
    const before = service.monitor();
    service.at(NOON + MINUTE);
    const repeat = keyed("other", { kind: "fail", runId: "a", message: "disk full", schedule: "* * * * *" });
    expect(await service.send(repeat)).toEqual([FIRST]);
    expect(service.monitor()).toEqual(before);
    expect([service.count("pings"), service.count("alerts")]).toEqual([2, 0]);
  });

  test("fill no slot: a repeat is no sign that the job lives", async () => {
    using service = openService();
    await service.send(keyed("first", HOURLY));
    service.at(NOON + HOUR);
    expect(await service.send(keyed("other"))).toEqual([FIRST]);
    service.look(NOON + HOUR + MINUTE + 5 * SECOND);
    expect(service.notified().map(({ kind }) => kind)).toEqual(["InitialFailure"]);
  });

  test("get the answer as it was stored, not as it would read today", async () => {
    using service = await withJob();
    const changing = ["first", "second"];
    const textOf = () => changing.shift() ?? "third";
    const answers = await service.send(ping({ idempotency: { key: "key", textOf } }));
    expect([...answers, ...(await service.send(keyed("other")))]).toEqual([FIRST, FIRST]);
  });

  test("of a ping that creates its monitor need no schedule", async () => {
    using service = openService();
    const answers = await service.send(keyed("first", RARELY), keyed("other"), keyed("other", RARELY));
    expect(answers).toEqual([FIRST, FIRST, FIRST]);
    expect([service.count("monitors"), service.count("pings")]).toEqual([1, 1]);
  });

  test("are answered though the monitor cannot be read any more", async () => {
    using service = await withJob();
    await service.send(keyed("first"));
    changeRows(service.store, "update monitors set schedule = 'rubbish'");
    expect(await service.send(ping(), keyed("other"))).toMatchObject([{ refusal: "INTERNAL_ERROR" }, FIRST]);
  });
});

describe("a kill", () => {
  test("before the commit leaves neither the ping nor its answer: sent again it is applied", async () => {
    using service = await withJob();
    void service.engine.intake.ingest(keyed("lost"));
    service.restart();
    expect(await service.send(keyed("first"))).toEqual([FIRST]);
    expect(service.count("pings")).toBe(2);
  });

  test("after the commit leaves both: who did not hear the answer gets it", async () => {
    using service = await withJob();
    void service.engine.intake.ingest(keyed("first"));
    service.endTurn();
    service.restart();
    expect(await service.send(keyed("other"))).toEqual([FIRST]);
    expect(service.count("pings")).toBe(2);
  });
});

describe("only accepted pings are remembered", () => {
  test("not what was refused: sent again with what it lacked, it is applied", async () => {
    using service = openService();
    const answers = await service.send(
      keyed("other"),
      keyed("other", { ...RARELY, kind: "log" }),
      keyed("first", RARELY),
    );
    expect(answers).toMatchObject([{ refusal: "MONITOR_NOT_FOUND" }, { refusal: "MONITOR_NOT_FOUND" }, FIRST]);
  });

  test("not what a failed commit lost", async () => {
    using service = await withJob();
    const other = service.connect();
    other.run("BEGIN IMMEDIATE");
    const lost = await service.send(keyed("lost"), keyed("lost"));
    other.run("ROLLBACK");
    expect(lost).toMatchObject([{ refusal: "STORAGE_UNAVAILABLE" }, { refusal: "STORAGE_UNAVAILABLE" }]);
    expect([service.count("pings"), service.count("idempotency_answers")]).toEqual([1, 0]);
    expect(await service.send(keyed("first"))).toEqual([FIRST]);
  });

  test("not what threw, in a batch whose others are applied once although it was repeated for its sake", async () => {
    using service = await withJob();
    const thrower = keyed("", {}, "thrower");
    const broken = { ...thrower, idempotency: { key: "thrower", textOf: () => JSON.parse("{") } };
    const answers = await service.send(keyed("first"), broken, keyed("other"), keyed("second", {}, "thrower"));
    expect(answers).toMatchObject([FIRST, { refusal: "INTERNAL_ERROR" }, FIRST, { text: "second" }]);
    expect([service.count("pings"), service.count("idempotency_answers")]).toEqual([3, 2]);
  });

  test("and a ping without a key writes nothing for it", async () => {
    using service = await withJob();
    await service.send(ping(), ping({ kind: "fail" }));
    expect(service.count("idempotency_answers")).toBe(0);
  });
});

describe("an answer belongs to the monitor", () => {
  test("not to another of the same application, nor to its namesake in another", async () => {
    using service = await withJob();
    granted(service.engine.operate("app create", { slug: "other" }));
    const { id } = service.store.applications.list().find(({ slug }) => slug === "other")!;
    const caller = { ...ping().caller, applicationId: id, application: "other" };
    const answers = await service.send(
      keyed("first"),
      keyed("second", { monitorKey: "job-2", ...RARELY }),
      keyed("third", { caller, ...RARELY }),
      keyed("other", { caller }),
      keyed("other"),
    );
    expect(answers).toEqual([FIRST, { text: "second" }, { text: "third" }, { text: "third" }, FIRST]);
  });

  test("R25: one that is deleted takes its answers with it: the next report is new", async () => {
    using service = openService();
    await service.send(keyed("old", RARELY));
    granted(service.engine.operate("monitor delete", JOB));
    expect(await service.send(keyed("other"))).toMatchObject([{ refusal: "MONITOR_NOT_FOUND" }]);
    expect(await service.send(keyed("first", RARELY), keyed("other"))).toEqual([FIRST, FIRST]);
    expect(granted(service.engine.operate("monitor show", JOB)).pings).toHaveLength(1);
  });
});

describe("R11: answers are kept for seven days", () => {
  test("to the millisecond, whether or not the old ones are gone yet", async () => {
    using service = await withJob();
    await service.send(keyed("first"));
    service.at(NOON + 7 * DAY);
    expect(await service.send(keyed("other"))).toEqual([FIRST]);
    service.at(NOON + 7 * DAY + 1);
    expect(await service.send(keyed("second"), keyed("other"))).toEqual([{ text: "second" }, { text: "second" }]);
    expect([service.count("pings"), service.count("idempotency_answers")]).toEqual([3, 2]);
    service.look(NOON + 14 * DAY);
    expect(service.count("idempotency_answers")).toBe(1);
    expect(await service.send(keyed("other"))).toEqual([{ text: "second" }]);
  });

  test("and go within the hour after, a bounded number a turn, while reports are taken in between", async () => {
    using service = await withJob();
    for (let count = 0; count < 1_200; count++) void service.engine.intake.ingest(keyed("old", {}, `key ${count}`));
    service.endTurn();
    service.at(NOON + DAY);
    await service.send(keyed("first"));
    service.look(NOON + 7 * DAY);
    expect(service.count("idempotency_answers")).toBe(1_201);

    service.at(NOON + 7 * DAY + HOUR);
    service.engine.tick();
    const steps: number[] = [];
    for (let before = 1_201; service.endTurn(); ) {
      const after = service.count("idempotency_answers");
      steps.push(before - after);
      before = after;
      if (steps.length === 2) void service.engine.intake.ingest(ping());
    }
    expect(Math.max(...steps)).toBeLessThanOrEqual(500);
    expect(steps.filter((deleted) => deleted > 0).length).toBe(3);
    expect(service.count("idempotency_answers")).toBe(1);
    expect(service.count("pings")).toBe(1 + 1_200 + 1 + 1);
    expect(await service.send(keyed("other"))).toEqual([FIRST]);
  });

  test("a clock that is set back forgets none", async () => {
    using service = await withJob();
    await service.send(keyed("first"));
    service.stepClock(-DAY);
    expect(await service.send(keyed("other"))).toEqual([FIRST]);
  });
});

describe("R26: a repeat that the rate limit refuses", () => {
  const MISSED = NOON + HOUR + MINUTE + 5 * SECOND;
  const refuse = (service: Service, ...pings: Ping[]): void => {
    for (const each of pings) service.engine.intake.rateLimited(each, "limits.v1_per_minute");
    service.endTurns();
  };

  test("is no evidence of life, since it would have filled nothing", async () => {
    using service = openService();
    await service.send(keyed("first", HOURLY));
    service.at(NOON + HOUR);
    refuse(service, keyed("other"));
    expect(service.count("refused_reports")).toBe(0);
    service.look(MISSED);
    expect(service.notified().map(({ kind }) => kind)).toEqual(["InitialFailure"]);
  });

  test("hides no report after it that is new", async () => {
    using service = openService();
    await service.send(keyed("first", HOURLY));
    service.at(NOON + HOUR);
    refuse(service, keyed("other"));
    refuse(service, ping());
    expect(service.count("refused_reports")).toBe(1);
    service.look(MISSED);
    expect(service.alarms()).toEqual([]);
  });

  test("is not remembered: accepted later it is applied", async () => {
    using service = await withJob();
    refuse(service, keyed("refused"));
    expect(await service.send(keyed("first"))).toEqual([FIRST]);
    expect(service.count("pings")).toBe(2);
  });
});
