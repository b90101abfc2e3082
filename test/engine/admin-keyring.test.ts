// Which administrators' keys work, and what is remembered of their use.

import { expect, test } from "bun:test";
import { HOUR } from "../../src/domain/time.ts";
import { NOON, openService } from "../support/engine.ts";
import { granted } from "../support/service.ts";

test("the last use of a key is listed at once and written with the upkeep and at a stop; only a hash is stored", () => {
  using service = openService();
  const { engine, store } = service;
  const { key, id } = granted(engine.operate("admin-key create", { label: "laptop", scope: "admin" }));
  expect(engine.adminKeys.authenticate(key, "192.0.2.1")).toEqual({ id, label: "laptop", scope: "admin" });
  const use = { lastUsedAt: NOON, lastAddress: "192.0.2.1" };
  expect(granted(engine.operate("admin-key list", {})).keys[0]).toMatchObject(use);
  expect(store.adminKeys.find(id)).toMatchObject({ usedAt: null, usedFrom: null });
  engine.stop(service.now);
  expect(store.adminKeys.find(id)).toMatchObject({ usedAt: NOON, usedFrom: "192.0.2.1" });
  const hash = store.database.query("select hex(hash) as hash from admin_keys").get();
  expect(hash).toEqual({ hash: Bun.SHA256.hash(key, "hex").toUpperCase() });
});

test("a key works until it is revoked, and keeps the time of its first revocation", () => {
  using service = openService();
  const { engine, store } = service;
  expect(engine.adminKeys.isOpen()).toBe(false);
  const { key, id } = granted(engine.operate("admin-key create", {}));
  expect(engine.adminKeys.isOpen()).toBe(true);
  expect(engine.adminKeys.revoked(key)).toBeNull();
  granted(engine.operate("admin-key revoke", { id }));
  service.at(NOON + HOUR);
  granted(engine.operate("admin-key revoke", { id }));
  expect(store.adminKeys.find(id)).toMatchObject({ revokedAt: NOON });
  expect(engine.adminKeys.authenticate(key, "::1")).toBeNull();
  expect(engine.adminKeys.revoked(key)).toBe(id);
  expect(engine.adminKeys.isOpen()).toBe(false);
  expect(engine.operate("admin-key revoke", { id: 7 })).toMatchObject({ refusal: "NOT_FOUND" });
});
