// Whose a key is, and what an operator does with keys and applications, through the engine and its tables.

import { describe, expect, test } from "bun:test";
import { KEY_LENGTH_MAX } from "../../src/domain/api-key.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import type { KeyScope } from "../../src/engine/api.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const NOBODY = { refusal: "AUTHENTICATION_REQUIRED" };

const createKey = (service: Service, scope: KeyScope = "all", application = "prod") =>
  granted(service.engine.operate("key create", { application, scope }));

describe("R2: a key", () => {
  test("has the contract's form, and only its hash is stored", () => {
    using service = openService();
    const { key, ...row } = createKey(service, "ping");
    expect(key).toBe(`ck_app_prod_${"a".repeat(32)}`);
    expect(row).toEqual({
      id: 1,
      application: "prod",
      scope: "ping",
      label: null,
      createdAt: NOON,
      lastUsedAt: null,
      lastUse: null,
      worksUntil: null,
      revokedAt: null,
    });
    const [stored] = service.store.database.query<{ hash: Uint8Array }, []>("select hash from api_keys").all();
    expect(Buffer.from(stored!.hash).toString("hex")).toBe(new Bun.CryptoHasher("sha256").update(key).digest("hex"));
    expect(JSON.stringify(service.store.database.query("select * from api_keys").all())).not.toContain("aaaa");
  });

  test("of the longest slug is taken, and none is longer", () => {
    using service = openService();
    const slug = "a".repeat(40);
    service.engine.operate("app create", { slug });
    const { key } = createKey(service, "all", slug);
    expect(key).toHaveLength(KEY_LENGTH_MAX);
    expect(service.engine.intake.authenticate(key)).toMatchObject({ application: slug });
    expect(service.engine.intake.authenticate(`${key}a`)).toMatchObject(NOBODY);
  });

  test("says whose it is and what it may, again and again, and after a restart", () => {
    using service = openService();
    service.engine.operate("app create", { slug: "staging" });
    const key = createKey(service, "sync", "staging").key;
    const caller = { applicationId: 2, application: "staging", keyId: 1, scope: "sync" } as const;
    for (let time = 0; time < 3; time++) expect(service.engine.intake.authenticate(key)).toEqual(caller);
    service.restart();
    expect(service.engine.intake.authenticate(key)).toEqual(caller);
  });

  test("R3: that is unknown, of another form, or not whole is refused with one and the same answer", () => {
    using service = openService();
    const { key } = createKey(service);
    const wrong = [
      "",
      "rubbish",
      "ck_app_",
      "CK_APP_prod_x",
      `${key}x`,
      key.slice(0, -1),
      key.toUpperCase(),
      ` ${key}`,
    ];
    const answers = wrong.map((each) => service.engine.intake.authenticate(each));
    expect(answers[0]).toMatchObject(NOBODY);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  test("is looked up whatever follows the prefix, and without it never", () => {
    using service = openService();
    for (const key of ["ck_app_from an older version", "from elsewhere"]) {
      const hash = new Bun.CryptoHasher("sha256").update(key).digest();
      service.store.keys.insert({ applicationId: 1, hash, scope: "all", label: null, createdAt: NOON });
    }
    expect(service.engine.intake.authenticate("ck_app_from an older version")).toMatchObject({ application: "prod" });
    expect(service.engine.intake.authenticate("from elsewhere")).toMatchObject(NOBODY);
  });
});

describe("R3: a revoked key", () => {
  test("is refused at once, though it was in use a moment before; the application's other one is not", () => {
    using service = openService();
    const [first, second] = [createKey(service), createKey(service)];
    expect(service.engine.intake.authenticate(first.key)).toMatchObject({ keyId: 1 });
    service.at(NOON + MINUTE);
    expect(service.engine.operate("key revoke", { id: 1 })).toMatchObject({ id: 1, revokedAt: NOON + MINUTE });
    expect(service.engine.intake.authenticate(first.key)).toEqual(service.engine.intake.authenticate("ck_app_unknown"));
    expect(service.engine.intake.authenticate(second.key)).toMatchObject({ keyId: 2 });
  });

  test("keeps the time of its first revocation, and is listed on", () => {
    using service = openService();
    createKey(service);
    service.engine.operate("key revoke", { id: 1 });
    service.at(NOON + HOUR);
    expect(service.engine.operate("key revoke", { id: 1 })).toMatchObject({ revokedAt: NOON });
    expect(service.engine.operate("key list", { application: "prod" })).toMatchObject({
      keys: [{ id: 1, revokedAt: NOON }],
    });
  });

  test("that was never there is refused by its id", () => {
    using service = openService();
    expect(service.engine.operate("key revoke", { id: 7 })).toMatchObject({
      refusal: "NOT_FOUND",
      message: expect.stringContaining("no key 7"),
    });
  });
});

describe("when a key was last used", () => {
  test("is shown by every list, and kept by a stop", () => {
    using service = openService();
    const [first, second] = [createKey(service), createKey(service)];
    service.at(NOON + MINUTE);
    service.engine.intake.authenticate(first.key);
    expect(service.engine.operate("key list", {})).toMatchObject({
      keys: [{ lastUsedAt: NOON + MINUTE }, { lastUsedAt: null }],
    });
    service.at(NOON + 2 * MINUTE);
    service.engine.intake.authenticate(first.key);
    service.engine.intake.authenticate(second.key);
    service.engine.stop(service.now);
    service.restart();
    const expected = { lastUsedAt: NOON + 2 * MINUTE };
    expect(service.engine.operate("key list", { application: "prod" })).toMatchObject({
      keys: [expected, expected],
    });
  });

  test("is written once an hour, not with every report", async () => {
    using service = openService();
    const lastUsed = () => service.store.database.query("select last_used_at as at from api_keys").get();
    const { key } = createKey(service);
    service.at(NOON + 59 * MINUTE);
    service.engine.intake.authenticate(key);
    await service.send(ping({ schedule: "0 * * * *" }));
    expect(lastUsed()).toEqual({ at: null });
    service.look(NOON + HOUR);
    expect(lastUsed()).toEqual({ at: NOON + 59 * MINUTE });
  });
});

describe("an application", () => {
  test("is created once, under a slug that fits into a key", () => {
    using service = openService();
    service.at(NOON + MINUTE);
    expect(service.engine.operate("app create", { slug: "my-app-2" })).toMatchObject({
      slug: "my-app-2",
      createdAt: NOON + MINUTE,
    });
    const wrong = ["my-app-2", "prod", "", "My-App", "my_app", "ä", "a".repeat(41), "a b"];
    for (const slug of wrong) {
      expect(service.engine.operate("app create", { slug })).toMatchObject({
        refusal: "INVALID_REQUEST",
        message: expect.stringMatching(/^slug: /),
      });
    }
    expect(service.count("applications")).toBe(2);
  });

  test("that does not exist has no keys and gets none", () => {
    using service = openService();
    const unknown = { refusal: "NOT_FOUND", message: expect.stringContaining('"nowhere"') };
    expect(service.engine.operate("key create", { application: "nowhere" })).toMatchObject(unknown);
    expect(service.engine.operate("key list", { application: "nowhere" })).toMatchObject(unknown);
    expect(service.count("api_keys")).toBe(0);
  });

  test("lists its own keys alone, and all lists all", () => {
    using service = openService();
    service.engine.operate("app create", { slug: "staging" });
    createKey(service);
    createKey(service, "all", "staging");
    const ids = (application: string | null) =>
      granted(service.engine.operate("key list", { application })).keys.map(({ id }) => id);
    expect(ids("prod")).toEqual([1]);
    expect(ids("staging")).toEqual([2]);
    expect(ids(null)).toEqual([1, 2]);
  });
});

describe("a key that is rotated", () => {
  test("works beside the new one, of the same application, scope and label, until the overlap ends", () => {
    using service = openService();
    const old = granted(service.engine.operate("key create", { application: "prod", scope: "ping", label: "web" }));
    const made = granted(service.engine.operate("key rotate", { id: 1, overlapSeconds: 3600 }));
    expect(made).toMatchObject({ id: 2, application: "prod", scope: "ping", label: "web", worksUntil: null });
    expect(made.replaces).toMatchObject({ id: 1, worksUntil: NOON + HOUR, revokedAt: null });
    service.at(NOON + HOUR - 1);
    for (const { key } of [old, made])
      expect(service.engine.intake.authenticate(key)).toMatchObject({ application: "prod" });
    service.at(NOON + HOUR);
    expect(service.engine.intake.authenticate(old.key)).toMatchObject(NOBODY);
    expect(service.engine.intake.authenticate(made.key)).toMatchObject({ keyId: 2 });
    expect(granted(service.engine.operate("key list", {})).keys[0]).toMatchObject({ revokedAt: NOON + HOUR });
  });

  test("ends at once without an overlap, and earlier if it is revoked meanwhile", () => {
    using service = openService();
    const [first, second] = [createKey(service), createKey(service)];
    granted(service.engine.operate("key rotate", { id: 1, overlapSeconds: 0 }));
    expect(service.engine.intake.authenticate(first.key)).toMatchObject(NOBODY);
    granted(service.engine.operate("key rotate", { id: 2 }));
    expect(service.engine.intake.authenticate(second.key)).toMatchObject({ keyId: 2 });
    service.at(NOON + MINUTE);
    expect(service.engine.operate("key revoke", { id: 2 })).toMatchObject({ revokedAt: NOON + MINUTE });
    expect(service.engine.intake.authenticate(second.key)).toMatchObject(NOBODY);
    expect(service.engine.operate("key rotate", { id: 2 })).toMatchObject({ refusal: "INVALID_REQUEST" });
  });
});

describe("what used a key", () => {
  const origin = (address: string, agent: string | null) => ({
    client: () => address,
    headers: { get: (name: string) => (name === "user-agent" ? agent : null) },
  });

  test("is where its last report came from, and which monitors it last reported, within seconds", async () => {
    using service = openService();
    const { caller } = ping();
    createKey(service);
    createKey(service);
    await service.send(ping({ schedule: "0 * * * *" }), ping({ monitorKey: "b", schedule: "0 * * * *" }));
    service.engine.intake.heardFrom(caller, "job", origin("192.0.2.1", "curl/8"));
    service.engine.intake.heardFrom(caller, "b", origin("192.0.2.2", null));
    service.look(NOON + 11_000);
    expect(granted(service.engine.operate("key show", { id: 1 }))).toMatchObject({
      lastUse: { address: "192.0.2.2", agent: null, monitorKey: "b" },
      ...{ monitors: 2, monitorKeys: ["b", "job"] },
    });
    service.at(NOON + 2 * MINUTE);
    service.engine.tick();
    service.engine.intake.heardFrom({ ...caller, keyId: 2 }, "job", origin("192.0.2.1", "curl/8"));
    service.look(NOON + 3 * MINUTE);
    expect(granted(service.engine.operate("key show", { id: 1 })).monitorKeys).toEqual(["b"]);
    expect(granted(service.engine.operate("key show", { id: 2 })).monitorKeys).toEqual(["job"]);
  });

  test("is asked about once a minute for a monitor, however often it reports, and kept by a stop", async () => {
    using service = openService();
    const { caller } = ping();
    await service.send(ping({ schedule: "0 * * * *" }));
    let asked = 0;
    const counting = { ...origin("192.0.2.1", null), client: () => `192.0.2.${++asked}` };
    for (let time = 0; time < 100; time++) service.engine.intake.heardFrom(caller, "job", counting);
    expect(asked).toBe(1);
    service.engine.stop(service.now);
    expect(service.store.senders.of(1)).toMatchObject({ keyId: 1, address: "192.0.2.1" });
  });
});

test("a revoked key is known by its number, for the log; a live one and rubbish are not", () => {
  using service = openService();
  const { key } = createKey(service);
  expect(service.engine.intake.revokedKey(key)).toBeNull();
  granted(service.engine.operate("key revoke", { id: 1 }));
  expect(service.engine.intake.revokedKey(key)).toEqual({
    keyId: 1,
    scope: "all",
    applicationId: 1,
    application: "prod",
    suspended: false,
  });
  for (const rubbish of ["", "ck_app_prod_x"]) expect(service.engine.intake.revokedKey(rubbish)).toBeNull();
});
