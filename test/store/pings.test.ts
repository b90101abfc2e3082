// Pings as rows: chained per monitor, and old ones gone in bounded steps.

import { beforeEach, describe, expect, test } from "bun:test";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { NO_HEADS } from "../../src/store/monitor-state.ts";
import type { StoredMonitor } from "../../src/store/monitors.ts";
import type { StoredPing } from "../../src/store/pings.ts";
import type { Store } from "../../src/store/store.ts";
import { openTestStore } from "../support/database.ts";
import { PLAIN_WATCH } from "../support/watch.ts";

let store: Store;

beforeEach(() => {
  store = openTestStore();
  store.applications.create("prod", 0);
});

function createMonitor(key: string): StoredMonitor {
  const application = store.applications.find("prod")!;
  return store.monitors.insert(application, key, NOTHING_DECLARED, newMonitor(PLAIN_WATCH, 0), null);
}

const reload = ({ id }: StoredMonitor): StoredMonitor => store.monitors.loadById(id)!;

/** Appends a ping as the engine does: the row, then the heads, which the monitor's own row has before we prune. */
function append(
  monitor: StoredMonitor,
  at: number,
  kind: StoredPing["kind"] = "heartbeat",
  message: string | null = null,
) {
  const { id: monitorId, heads, facts } = reload(monitor);
  const number = heads.pingCount + 1;
  const ping = {
    monitorId,
    number,
    at,
    kind,
    previousId: heads.lastPingId,
    runRow: null,
    attempt: 2,
    durationSeconds: 3,
    message,
    outcomes: null,
    happenedAt: kind === "fail" ? 1 : null,
    verdict: kind === "complete" ? ("wrong" as const) : null,
  };
  const id = store.pings.append(ping);
  const lastFailurePingId = kind === "fail" ? id : heads.lastFailurePingId;
  store.monitors.saveState(monitorId, facts, { ...heads, pingCount: number, lastPingId: id, lastFailurePingId }, null);
  store.states.follow(monitorId);
  return { ...ping, id };
}

const last = (monitor: StoredMonitor, limit: number): StoredPing[] =>
  store.pings.last(monitor.id, reload(monitor).heads.lastPingId, limit);

const numbersOf = (monitor: StoredMonitor): number[] =>
  store.database
    .query<{ number: number }, [number]>("SELECT number FROM pings WHERE monitor_id = ? ORDER BY id")
    .all(monitor.id)
    .map(({ number }) => number);

/** Prunes to the end, `limit` rows at a time, and answers how many each step deleted. */
function pruneAll(before: number, limit: number): number[] {
  const deleted: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const step = store.pings.prune(before, after, limit);
    deleted.push(step.deleted);
    after = step.after;
  }
  return deleted;
}

const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("a monitor's last pings", () => {
  test("are read newest first along its chain, whatever other monitors report in between", () => {
    const [one, other] = [createMonitor("one"), createMonitor("other")];
    const pings = upTo(1, 30).map((at) => {
      append(other, at);
      return append(one, at, "fail", `message ${at} ☂`);
    });
    expect(last(one, 20)).toEqual(pings.slice(10).reverse());
    expect(last(one, 100)).toEqual(pings.toReversed());
    expect(last(one, 1)).toEqual([pings[29]!]);
  });

  test("are none before the first", () => {
    expect(last(createMonitor("one"), 20)).toEqual([]);
  });

  test("end where the chain is broken, and never go on in another monitor's", () => {
    const [one, other] = [createMonitor("one"), createMonitor("other")];
    const first = append(one, 1);
    const second = append(one, 2);
    store.database.run("DELETE FROM pings WHERE id = ?", [first.id]);
    store.database.run("UPDATE pings SET id = ? WHERE id = ?", [first.id, append(other, 3).id]);
    expect(last(one, 20)).toEqual([second]);
  });
});

describe("the lengths of a monitor's last runs", () => {
  const lengths = (monitor: StoredMonitor, walked: number, limit: number) =>
    store.pings.lengths(monitor.id, reload(monitor).heads.lastPingId, walked, limit);

  test("are those of ends that went well, newest first, among so many of its reports", () => {
    const [one, other] = [createMonitor("one"), createMonitor("other")];
    for (const at of upTo(1, 20)) {
      append(other, at);
      append(one, at, (["start", "complete", "fail", "heartbeat"] as const)[at % 4]);
    }
    expect(lengths(one, 100, 100).map(({ endedAt }) => endedAt)).toEqual([19, 17, 15, 13, 11, 9, 7, 5, 3, 1]);
    expect(lengths(one, 6, 100)).toEqual([19, 17, 15].map((endedAt) => ({ endedAt, seconds: 3 })));
    expect(lengths(one, 100, 2).map(({ endedAt }) => endedAt)).toEqual([19, 17]);
  });

  test("leave out reports without one, and are none before the first or beyond a deleted report", () => {
    const [one, other] = [createMonitor("one"), createMonitor("other")];
    expect(lengths(one, 100, 100)).toEqual([]);
    const first = append(one, 1);
    append(one, 2);
    store.database.run("UPDATE pings SET duration_seconds = NULL WHERE id = ?", [append(one, 3).id]);
    store.database.run("DELETE FROM pings WHERE id = ?", [first.id]);
    store.database.run("UPDATE pings SET id = ? WHERE id = ?", [first.id, append(other, 4).id]);
    expect(lengths(one, 100, 100)).toEqual([{ endedAt: 2, seconds: 3 }]);
  });
});

describe("retention", () => {
  test("deletes what is old, but a monitor's last 20 pings and its last failure stay", () => {
    const [busy, quiet] = [createMonitor("busy"), createMonitor("quiet")];
    for (const at of upTo(1, 5)) append(quiet, at);
    for (const at of upTo(1, 50)) append(busy, at, at === 3 || at === 7 ? "fail" : "heartbeat");
    pruneAll(1_000, 10);
    expect(numbersOf(busy)).toEqual([7, ...upTo(31, 50)]);
    expect(numbersOf(quiet)).toEqual(upTo(1, 5));
    expect(last(busy, 20).map(({ number }) => number)).toEqual(upTo(31, 50).reverse());
  });

  test("keeps what is not old", () => {
    const monitor = createMonitor("one");
    for (const at of upTo(1, 50)) append(monitor, at);
    pruneAll(11, 7);
    expect(numbersOf(monitor)).toEqual(upTo(11, 50));
  });

  test("looks at no more rows at a time than it may, and goes on behind them", () => {
    const monitor = createMonitor("one");
    for (const at of upTo(1, 50)) append(monitor, at);
    expect(store.pings.prune(1_000, 0, 10)).toEqual({ deleted: 10, after: 10 });
    expect(store.pings.prune(1_000, 10, 25)).toEqual({ deleted: 20, after: 35 });
    expect(store.pings.prune(1_000, 35, 25)).toEqual({ deleted: 0, after: null });
  });

  test("ends at the first piece without an old ping, not at the first ping that is not old", () => {
    const monitor = createMonitor("one");
    append(monitor, 999_999);
    for (const at of upTo(2, 50)) append(monitor, at);
    expect(pruneAll(25, 5)).toEqual([4, 5, 5, 5, 4, 0]);
    expect(numbersOf(monitor)).toEqual([1, ...upTo(25, 50)]);
  });

  test("deletes the pings of a monitor that is gone", () => {
    const monitor = createMonitor("one");
    for (const at of upTo(1, 5)) append(monitor, at);
    store.database.run("DELETE FROM monitor_states");
    expect(pruneAll(1_000, 100)).toEqual([5]);
  });

  test("the heads of a new monitor name nothing", () => {
    expect(createMonitor("one").heads).toEqual(NO_HEADS);
  });
});
