// Addresses of other services, as operators add, list and revoke them, and as the engine finds them again.

import { describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import { addressOfUuid } from "../../src/domain/old-address.ts";
import type { AddressAdded } from "../../src/engine/keep-old-addresses.ts";
import { addOldAddress } from "../../src/engine/keep-old-addresses.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const UUID = "0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f";
const PATH = `/ping/${UUID}`;
const PING_KEY = "fqood6f4mmnucenztu01wx";
const DAILY = "0 2 * * *";

const add = (service: Service, address = PATH, key: string | null = "job", more: object = {}) =>
  service.engine.operate("address add", { address, key, ...more });

const listed = (service: Service, asked: object = {}) =>
  granted(service.engine.operate("address list", asked)).addresses;

async function withJob(): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: DAILY }));
  return service;
}

describe("R45: an address of another service", () => {
  test("is numbered with the keys, and stored as a hash alone", async () => {
    using service = await withJob();
    granted(service.engine.operate("key create", { application: "prod" }));
    expect(granted(add(service))).toEqual({
      id: 2,
      added: true,
      application: "prod",
      convention: "healthchecks",
      address: "/ping/…0e1f",
      monitorKey: "job",
      prefix: null,
      exists: true,
      createdAt: NOON,
      lastUsedAt: null,
      lastUse: null,
      revokedAt: null,
    });
    const { database } = service.store;
    const all = ["api_keys", "old_addresses", "audit"].map((table) => database.query(`select * from ${table}`).all());
    expect(JSON.stringify(all)).not.toContain("6a7b8c9d");
    expect(database.query("select hex(hash) as hash from api_keys where id = 2").get()).toEqual({
      hash: Bun.SHA256.hash(PATH, "hex").toUpperCase(),
    });
  });

  test("is no key: no list of keys has it, and no operation on keys finds it", async () => {
    using service = await withJob();
    const { id } = granted(add(service));
    expect(granted(service.engine.operate("key list", {})).keys).toEqual([]);
    for (const name of ["key show", "key rotate", "key revoke", "key label"] as const)
      expect(service.engine.operate(name, { id })).toMatchObject({ refusal: "NOT_FOUND" });
    expect(isRefusal(service.engine.intake.authenticate(PATH))).toBe(true);
  });

  test("that is there already is left alone; one that reports something else is refused", async () => {
    using service = await withJob();
    await service.send(ping({ monitorKey: "other", schedule: DAILY }));
    granted(add(service));
    expect(granted(add(service, `https://hc-ping.com/${UUID.toUpperCase()}`))).toMatchObject({ id: 1, added: false });
    expect(add(service, PATH, "other")).toMatchObject({
      refusal: "INVALID_REQUEST",
      message: expect.stringContaining("it is address 1 already"),
    });
    expect(listed(service)).toHaveLength(1);
  });

  test.each([
    [{ address: "nonsense" }, "address: "],
    [{ key: null }, "key: it is missing"],
    [{ key: "nobody" }, "key: there is no monitor"],
    [{ prefix: "x-" }, "prefix: "],
    [{ address: `/ping/${PING_KEY}` }, "key: a ping key alone"],
    [{ address: `/ping/${PING_KEY}`, key: null, prefix: "a\nb" }, "prefix: "],
  ])("%j is refused, and nothing is added", async (asked, field) => {
    using service = await withJob();
    const refused = add(service, PATH, "job", asked);
    expect(refused).toMatchObject({ message: expect.stringMatching(new RegExp(`^${field}`)) });
    expect(service.count("old_addresses") + service.count("api_keys")).toBe(0);
  });

  test("of a ping key alone has a prefix and no monitor", async () => {
    using service = await withJob();
    expect(granted(add(service, `/ping/${PING_KEY}`, null, { prefix: "hosts-" }))).toMatchObject({
      convention: "healthchecks-create",
      address: "/ping/…01wx/*",
      monitorKey: null,
      prefix: "hosts-",
      exists: true,
    });
  });

  test("that is revoked stays so, until somebody adds it again by hand; then it may report something else", async () => {
    using service = await withJob();
    await service.send(ping({ monitorKey: "other", schedule: DAILY }));
    granted(add(service));
    service.at(NOON + 1_000);
    expect(granted(service.engine.operate("address revoke", { id: 1 }))).toMatchObject({ revokedAt: NOON + 1_000 });
    const owner = service.store.applications.find("prod")!;
    const wanted = { address: addressOfUuid(UUID)!, owner, monitorKey: "job", prefix: null };
    expect(addOldAddress(service, wanted, service.now, false)).toEqual({ id: 1, done: "revoked" } as AddressAdded);
    expect(listed(service)).toMatchObject([{ revokedAt: NOON + 1_000 }]);
    expect(granted(add(service, PATH, "other"))).toMatchObject({ added: true, monitorKey: "other", revokedAt: null });
    expect(listed(service)).toMatchObject([{ id: 1, monitorKey: "other", createdAt: NOON + 1_000, revokedAt: null }]);
  });

  test("follows its monitor when that gets another key, and says when it is gone", async () => {
    using service = await withJob();
    granted(add(service));
    granted(service.engine.operate("monitor rename", { key: "job", newKey: "renamed" }));
    expect(listed(service)).toMatchObject([{ monitorKey: "renamed", exists: true }]);
    granted(service.engine.operate("monitor delete", { key: "renamed" }));
    expect(listed(service)).toMatchObject([{ monitorKey: "renamed", exists: false }]);
    granted(service.engine.operate("monitor undelete", { key: "renamed" }));
    expect(listed(service)).toMatchObject([{ exists: true }]);
  });

  test("goes with its application, and may then belong to another", async () => {
    using service = await withJob();
    granted(service.engine.operate("app create", { slug: "other" }));
    granted(service.engine.operate("monitor create", { application: "other", key: "far", schedule: DAILY }));
    granted(add(service, PATH, "far"));
    granted(service.engine.operate("app delete", { slug: "other" }));
    expect(listed(service)).toEqual([]);
    expect(granted(add(service))).toMatchObject({ id: 1, added: true, application: "prod" });
  });

  test("lists are narrowed to an application or a monitor, and have all of many", async () => {
    using service = await withJob();
    await service.send(ping({ monitorKey: "other", schedule: DAILY }));
    for (let number = 0; number < 600; number++)
      granted(add(service, `/api/push/token-of-monitor-${number}`, number === 7 ? "other" : "job"));
    expect(listed(service)).toHaveLength(600);
    expect(listed(service, { application: "prod" })).toHaveLength(600);
    expect(listed(service, { monitor: "other" })).toMatchObject([{ id: 8, address: "/api/push/…" }]);
    expect(service.engine.operate("address list", { application: "nowhere" })).toMatchObject({ refusal: "NOT_FOUND" });
  });
});
