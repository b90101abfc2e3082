// Applications, keys, incidents and alerts as rows.

import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AlertMessage } from "../../src/domain/message/alert.ts";
import { oneGap } from "../../src/domain/monitor/gap.ts";
import type { Store } from "../../src/store/store.ts";
import { openTestStore } from "../support/database.ts";
import { anyIncident } from "./monitor-arbitraries.ts";

let store: Store;

beforeEach(() => {
  store = openTestStore();
});

describe("applications", () => {
  test("are found by slug and listed in its order", () => {
    const test = store.applications.create("test", 2);
    const prod = store.applications.create("prod", 1);
    expect(prod).toEqual({ id: prod.id, slug: "prod", createdAt: 1, name: null, suspendedAt: null, deletedAt: null });
    expect(store.applications.find("prod")).toEqual(prod);
    expect(store.applications.find("Prod")).toBeNull();
    expect(store.applications.list()).toEqual([prod, test]);
  });

  test("cannot share a slug", () => {
    store.applications.create("prod", 1);
    expect(() => store.applications.create("prod", 2)).toThrow("UNIQUE");
    expect(store.applications.list()).toHaveLength(1);
  });
});

describe("keys", () => {
  const hashOf = (key: string): Uint8Array => Bun.SHA256.hash(key) as Uint8Array;
  const insert = (applicationId: number, key: string, scope: "all" | "ping" | "sync", createdAt: number): number =>
    store.keys.insert({ applicationId, hash: hashOf(key), scope, label: null, createdAt });

  test("R2: are found by their hash, with the application they belong to", () => {
    insert(store.applications.create("test", 1).id, "b", "all", 6);
    insert(store.applications.find("test")!.id, "d", "sync", 6);
    const prod = store.applications.create("prod", 1);
    const keyId = insert(prod.id, "a", "ping", 5);
    expect(store.keys.findByHash(hashOf("a"))).toEqual({
      keyId,
      scope: "ping",
      revokedAt: null,
      applicationId: prod.id,
      application: "prod",
      suspendedAt: null,
    });
    expect(store.keys.findByHash(hashOf("c"))).toBeNull();
    expect(store.keys.findByHash(hashOf("a").slice(0, 31))).toBeNull();
  });

  test("R3: an application may have several, and they are listed with their last use", () => {
    const [prod, other] = [store.applications.create("prod", 1), store.applications.create("other", 1)];
    const first = insert(prod.id, "a", "all", 5);
    const second = insert(other.id, "b", "sync", 6);
    const third = insert(prod.id, "c", "ping", 7);
    store.keys.setLastUsed(
      new Map([
        [first, 100],
        [third, 200],
      ]),
    );
    const row = (id: number, application: string, scope: string, createdAt: number, lastUsedAt: number | null) => ({
      ...{ id, application, scope, createdAt, lastUsedAt, label: null },
      ...{ lastAddress: null, lastAgent: null, lastMonitor: null, revokedAt: null },
    });
    const rows: unknown[] = [
      row(first, "prod", "all", 5, 100),
      row(second, "other", "sync", 6, null),
      row(third, "prod", "ping", 7, 200),
    ];
    expect<unknown[]>(store.keys.list(null)).toEqual(rows);
    expect<unknown[]>(store.keys.list(prod.id)).toEqual([rows[0], rows[2]]);
    expect<unknown>(store.keys.find(second)).toEqual(rows[1]);
    expect(store.keys.find(99)).toBeNull();
  });

  test("a revoked one keeps the time at which it was revoked first, and the others stay live", () => {
    const prod = store.applications.create("prod", 1);
    const id = insert(prod.id, "a", "all", 5);
    insert(prod.id, "b", "all", 5);
    store.keys.revoke(id, 50);
    store.keys.revoke(id, 60);
    expect(store.keys.findByHash(hashOf("a"))?.revokedAt).toBe(50);
    expect(store.keys.findByHash(hashOf("b"))?.revokedAt).toBeNull();
  });
});

describe("incidents", () => {
  test("any that is saved is loaded again, and saved over keeps its id", () => {
    fc.assert(
      fc.property(anyIncident, anyIncident, fc.nat(), (first, second, monitorId) => {
        store.database.run("DELETE FROM incidents");
        const id = store.incidents.save(monitorId, first);
        expect(store.incidents.load(id)).toEqual(first);
        const changed = { ...second, number: first.number };
        expect(store.incidents.save(monitorId, changed)).toBe(id);
        expect(store.incidents.load(id)).toEqual(changed);
      }),
    );
  });

  test("are told apart by monitor and number", () => {
    const incident = fc.sample(anyIncident, { numRuns: 1, seed: 1 })[0]!;
    const ids = [
      store.incidents.save(1, { ...incident, number: 1 }),
      store.incidents.save(1, { ...incident, number: 2 }),
      store.incidents.save(2, { ...incident, number: 1 }),
    ];
    expect(new Set(ids).size).toBe(3);
    expect(() => store.incidents.load(99)).toThrow("there is no incident 99");
  });
});

test("R37: an alert is stored as it was told, as JSON", () => {
  const incident = fc.sample(anyIncident, { numRuns: 1, seed: 1 })[0]!;
  const incidentId = store.incidents.save(1, incident);
  const data = { incidentId: "1", name: "Nächtlich ☂", links: { runbook: "https://example.org" } };
  const message = { type: "monitor.recovered", at: 1_772_330_400_000, data } as unknown as AlertMessage;
  const id = store.alerts.insert(incidentId, message);
  const row = store.database
    .query<{ data: string }, [number]>("SELECT incident_id, type, at, data FROM alerts WHERE id = ?")
    .get(id)!;
  expect<unknown>({ ...row, data: JSON.parse(row.data) }).toEqual({ incident_id: incidentId, ...message });
  expect(() => store.alerts.insert(99, message)).toThrow("FOREIGN KEY");
});

test("R26: an old gap goes with what it left unknown, a bounded piece at a time, and another's stays", () => {
  const unknown = (gapId: number, monitorId: number): void =>
    void store.database.run("INSERT INTO unknowns (gap_id, monitor_id, at, slot, slots) VALUES (?, ?, 0, 0, 1)", [
      gapId,
      monitorId,
    ]);
  for (const id of [1, 2]) store.gaps.save({ id, gap: oneGap(10 * id, 10 * id + 1, "stopped") });
  store.gaps.decide(1, 50);
  for (let monitorId = 1; monitorId <= 5; monitorId += 1) for (const gapId of [1, 2]) unknown(gapId, monitorId);
  const left = (): number[] => [1, 2].map((gapId) => store.unknowns.pending(gapId, 0, 10).length);
  const seen: number[][] = [];
  for (let after: number | null = 0; after !== null; ) {
    ({ after } = store.gaps.prune(60, after, 2));
    seen.push(left());
  }
  expect(seen).toEqual([
    [3, 5],
    [1, 5],
    [0, 5],
    [0, 5],
  ]);
  expect(store.gaps.last(10)).toMatchObject([{ from: 20 }]);
});
