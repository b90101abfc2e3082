// People and the audit: what operations do with people, what each role may do of the one table of operations, and what
// is remembered of who did what.

import { describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import { type Actor, type Person, ROLES, type Role } from "../../src/domain/people/person.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";
import { type Operation, roleFor } from "../../src/engine/operations/operation.ts";
import { OPERATIONS, type OperationName } from "../../src/engine/operations/operations.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(43)}$${"B".repeat(43)}`;

const as = (person: Partial<Person>): Actor => ({
  kind: "person",
  person: { id: 99, name: "Ada", role: "admin", applications: null, ...person },
  address: "192.0.2.1",
});

const auditOf = (service: Service) => granted(service.engine.operate("audit", {})).entries;

describe("a person", () => {
  test("gets a link when no password is given: one that lasts a day and takes the place of an earlier one", () => {
    using service = openService();
    const made = granted(service.engine.operate("user create", { name: "Ada", role: "admin" }));
    expect(made).toEqual({
      name: "Ada",
      role: "admin",
      applications: null,
      link: { path: expect.stringMatching(/^\/sign-in\/link\/[a-z]{43}$/), address: null, expiresAt: NOON + DAY },
    });
    const again = granted(service.engine.operate("user passwd", { name: "ADA" }));
    expect(again.link!.path).not.toBe(made.link!.path);
    expect(service.count("sign_in_links")).toBe(1);
    const stored = service.store.database.query("select hex(hash) as hash from sign_in_links").get();
    const token = again.link!.path.split("/").at(-1)!;
    expect(stored).toEqual({ hash: Bun.SHA256.hash(token, "hex").toUpperCase() });
  });

  test("keeps one name, however it is spelled, and a list says what is known", () => {
    using service = openService();
    granted(service.engine.operate("user create", { name: "Ada", passwordHash: HASH }));
    expect(service.engine.operate("user create", { name: "aDA" })).toMatchObject({ refusal: "INVALID_REQUEST" });
    granted(service.engine.operate("user create", { name: "ben", role: "operator", applications: "prod, prod" }));
    expect(granted(service.engine.operate("user list", {})).people).toEqual([
      {
        id: 1,
        name: "Ada",
        role: "viewer",
        applications: null,
        createdAt: NOON,
        signedInAt: null,
        hasPassword: true,
        linkExpiresAt: null,
        sessions: 0,
        passkeys: 0,
        account: null,
      },
      expect.objectContaining({ name: "ben", applications: ["prod"], hasPassword: false, linkExpiresAt: NOON + DAY }),
    ]);
  });

  test.each([
    [{ name: "<b>" }, "name: "],
    [{ name: "Ada", applications: "nowhere" }, "application: "],
    [{ name: "Ada", passwordHash: "correct horse battery" }, "passwordHash: "],
  ])("%j is refused, and nobody is made", (given, field) => {
    using service = openService();
    const refused = service.engine.operate("user create", given);
    expect(refused).toMatchObject({
      refusal: expect.any(String),
      message: expect.stringMatching(new RegExp(`^${field}`)),
    });
    expect(JSON.stringify(refused)).not.toContain("correct horse");
    expect(service.count("people") + service.count("audit")).toBe(0);
  });

  test("is deleted with sessions and links, by another; the audit keeps the name", () => {
    using service = openService();
    granted(service.engine.operate("user create", { name: "Ada", role: "admin" }));
    const ada = service.store.people.named("ada")!;
    service.store.sessions.insert(
      { personId: ada.id, createdAt: NOON, address: "::1", agent: "" },
      Bun.SHA256.hash("a") as Uint8Array,
      20,
    );
    expect(service.engine.as(as({ id: ada.id })).operate("user delete", { name: "ada" })).toMatchObject({
      refusal: "INVALID_REQUEST",
    });
    const last = service.engine.as(as({ name: "Ben" })).operate("user delete", { name: "ada" });
    expect(last).toMatchObject({ message: expect.stringContaining("the last administrator of all applications") });
    granted(service.engine.operate("user create", { name: "Ben", role: "admin", passwordHash: HASH }));
    granted(service.engine.as(as({ name: "Ben" })).operate("user delete", { name: "ada" }));
    expect(["people", "sessions", "sign_in_links"].map(service.count)).toEqual([1, 0, 0]);
    expect(auditOf(service)[0]).toMatchObject({ name: "Ben", action: "user delete", details: { name: "ada" } });
  });
});

describe("what a person may do", () => {
  const people = (service: Service) =>
    granted(service.engine.operate("user list", {})).people.map(({ name, role, applications }) => [
      name,
      role,
      applications,
    ]);

  test("is changed at once, and only what is said of it", () => {
    using service = openService();
    const { engine } = service;
    granted(engine.operate("user create", { name: "Ada", role: "admin" }));
    granted(engine.operate("user create", { name: "Ben", applications: "prod", passwordHash: HASH }));
    const { token } = engine.people.signIn(engine.people.known("Ben")!, { address: "::1", agent: "" })!;
    expect(granted(engine.operate("user change", { name: "ben", role: "operator" }))).toEqual({
      name: "Ben",
      role: "operator",
      applications: ["prod"],
    });
    expect(engine.people.sessionOf(token)!.person.role).toBe("operator");
    granted(engine.operate("user change", { name: "ben", allApplications: true }));
    expect(people(service)).toEqual([
      ["Ada", "admin", null],
      ["Ben", "operator", null],
    ]);
    for (const [asked, why] of [
      [{ applications: "nowhere" }, '"nowhere"'],
      [{ applications: "prod", allApplications: true }, "not both"],
      [{ name: "Cat" }, "there is no"],
    ] as const)
      expect(engine.operate("user change", { name: "ben", ...asked })).toMatchObject({
        message: expect.stringContaining(why),
      });
  });

  test("the last administrator of all applications stays one, whoever asks", () => {
    using service = openService();
    const { engine } = service;
    granted(engine.operate("user create", { name: "Ada", role: "admin" }));
    granted(engine.operate("user create", { name: "Ben", role: "admin", applications: "prod" }));
    for (const change of [{ role: "operator" }, { applications: "prod" }] as const)
      expect(engine.operate("user change", { name: "Ada", ...change })).toMatchObject({
        message: expect.stringContaining("the last administrator of all applications"),
      });
    expect(engine.operate("user delete", { name: "Ada" })).toMatchObject({ refusal: "INVALID_REQUEST" });
    granted(engine.operate("user change", { name: "Ben", allApplications: true }));
    granted(engine.operate("user change", { name: "Ada", role: "viewer" }));
    expect(people(service)).toEqual([
      ["Ada", "viewer", null],
      ["Ben", "admin", null],
    ]);
  });

  test("a person is signed out everywhere, and may sign in again", () => {
    using service = openService();
    const { engine } = service;
    granted(engine.operate("user create", { name: "Ben", passwordHash: HASH }));
    const signIn = () => engine.people.signIn(engine.people.known("Ben")!, { address: "::1", agent: "" })!.token;
    const tokens = [signIn(), signIn()];
    expect(granted(engine.operate("user sign-out", { name: "ben" }))).toEqual({ name: "Ben", sessions: 2 });
    expect(tokens.map((token) => engine.people.sessionOf(token))).toEqual([null, null]);
    expect(engine.people.sessionOf(signIn())).not.toBeNull();
  });
});

/** The roles that may do it, as people read it in docs/dashboard.md. */
const MAY: Readonly<Record<OperationName, Role>> = {
  "app create": "admin",
  "app list": "viewer",
  "app suspend": "admin",
  "app resume": "admin",
  "app rename": "admin",
  "app delete": "admin",
  "key create": "admin",
  "key list": "admin",
  "key show": "admin",
  "key label": "admin",
  "key rotate": "admin",
  "key revoke": "admin",
  "address add": "admin",
  "address list": "admin",
  "address revoke": "admin",
  "import preview": "admin",
  import: "admin",
  "monitor create": "admin",
  "monitor set": "operator",
  "monitor rename": "admin",
  "monitor deleted": "viewer",
  "monitor undelete": "admin",
  "monitor list": "viewer",
  "monitor show": "viewer",
  advise: "admin",
  why: "viewer",
  replay: "viewer",
  "monitor history": "viewer",
  "monitor pause": "operator",
  "monitor resume": "operator",
  "monitor delete": "admin",
  "maintenance plan": "operator",
  "maintenance list": "viewer",
  "maintenance end": "operator",
  "incident list": "viewer",
  "incident show": "viewer",
  "incident ack": "operator",
  "incident unack": "operator",
  "incident ack-all": "operator",
  "incident resolve": "operator",
  "status-page add": "admin",
  "status-page list": "admin",
  "status-page remove": "admin",
  "destination add": "admin",
  "destination set": "admin",
  "destination rename": "admin",
  "destination export": "admin",
  "destination route": "admin",
  "destination trial": "admin",
  "destination kinds": "admin",
  "destination list": "admin",
  "destination remove": "admin",
  "member add": "admin",
  "member set": "admin",
  "member remove": "admin",
  "member list": "admin",
  "config set": "admin",
  "config addresses": "admin",
  "notify test": "operator",
  "notify list": "viewer",
  "notify explain": "viewer",
  "notify show": "viewer",
  "notify resend": "operator",
  "app syncs": "viewer",
  "monitor refused": "viewer",
  "user create": "admin",
  "user list": "admin",
  "user passwd": "admin",
  "user change": "admin",
  "user sign-out": "admin",
  "user unbind": "admin",
  "user delete": "admin",
  "admin-key create": "admin",
  "admin-key list": "admin",
  "admin-key revoke": "admin",
  audit: "admin",
  status: "viewer",
  backup: "admin",
  "backup show": "admin",
  backups: "admin",
  reload: "admin",
  "reload show": "admin",
};

const IMPORTED = {
  ...NOTHING_DECLARED,
  key: "moved",
  schedule: "0 2 * * *",
  pausedBecause: null,
  addresses: ["/ping/22222222-2222-4333-8444-555555555555"],
};

const GIVEN: Partial<Readonly<Record<OperationName, object>>> = {
  "app create": { slug: "staging" },
  "app suspend": { slug: "prod" },
  "app resume": { slug: "prod" },
  "app rename": { slug: "prod", name: "Production" },
  "app delete": { slug: "other" },
  "key create": { application: "prod" },
  "key show": { id: 1 },
  "key label": { id: 1, label: "web" },
  "status-page add": { slug: "prod" },
  "status-page remove": { slug: "prod" },
  "key rotate": { id: 1 },
  "key revoke": { id: 1 },
  "address add": { address: "/ping/11111111-2222-4333-8444-555555555555", key: "job" },
  "address revoke": { id: 2 },
  "import preview": { service: "Healthchecks", application: "prod", monitors: [IMPORTED] },
  import: { service: "Healthchecks", application: "prod", monitors: [IMPORTED] },
  "monitor create": { application: "prod", key: "made", schedule: "0 2 * * *" },
  "monitor show": { key: "job" },
  "monitor history": { key: "job" },
  advise: {},
  why: { key: "job" },
  replay: { key: "job" },
  "monitor pause": { key: "job" },
  "monitor resume": { key: "job" },
  "monitor set": { key: "job", graceSeconds: 600 },
  "monitor rename": { key: "old", newKey: "new" },
  "monitor delete": { key: "job" },
  "monitor undelete": { key: "gone" },
  "maintenance plan": { application: "prod", durationSeconds: 3_600, reason: "a new disk" },
  "maintenance end": { id: 1 },
  "incident show": { id: 1 },
  "incident ack": { id: 1 },
  "incident unack": { id: 1 },
  "incident ack-all": { application: "prod" },
  "incident resolve": { id: 1 },
  "destination add": { name: "phone", type: "ntfy" },
  "destination set": { name: "phone", settings: ["topic=t"] },
  "destination trial": { id: 1 },
  "destination rename": { name: "phone", newName: "mobile" },
  "destination route": { destinations: ["phone"] },
  "destination remove": { name: "phone" },
  "member add": { name: "Ada", email: "ada@example.org" },
  "member set": { email: "ada@example.org", events: ["Recovered"] },
  "member remove": { email: "ada@example.org" },
  "config set": { timezone: "Europe/Berlin" },
  "notify test": { destination: "hook" },
  "notify show": { id: 1 },
  "notify explain": { key: "job" },
  "notify resend": { id: 1 },
  "user create": { name: "Ben" },
  "user passwd": { name: "Cat" },
  "user change": { name: "Cat", role: "operator" },
  "user sign-out": { name: "Cat" },
  "user unbind": { name: "Cat" },
  "user delete": { name: "Cat" },
  "admin-key revoke": { id: 1 },
  "backup show": { id: 1 },
  "reload show": { id: 1 },
};

/**
 * Applications prod, test and other; prod with the key 1, the address 2, the job `job` and its open incident 1; and
 * Cat.
 */
async function filled(): Promise<Service> {
  const service = openService();
  for (const slug of ["test", "other"]) granted(service.engine.operate("app create", { slug }));
  granted(service.engine.operate("key create", { application: "prod" }));
  granted(service.engine.operate("user create", { name: "Cat" }));
  await service.send(ping({ schedule: "0 2 * * *" }), ping({ kind: "fail" }));
  granted(service.engine.operate("address add", { address: "/api/push/Wd4Kq8Zt1x", key: "job" }));
  for (const monitorKey of ["old", "gone"]) await service.send(ping({ monitorKey, schedule: "0 2 * * *" }));
  granted(service.engine.operate("monitor delete", { key: "gone" }));
  return service;
}

const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][];

/** In an order in which each finds what it needs. */
const NAMES = ALL.map(([name]) => name).toSorted((a, b) => Number(a.endsWith("delete")) - Number(b.endsWith("delete")));

/** What becomes of each, and how often it was audited. */
function tried(service: Service, by: Actor, names: readonly OperationName[], about: object = {}) {
  const outcomes = names.map((name) => {
    const before = service.count("audit");
    const named = Object.hasOwn(OPERATIONS[name].input.properties, "application") ? about : {};
    const answer = service.engine.as(by).operate(name, { ...named, ...GIVEN[name] });
    const outcome = isRefusal(answer) ? answer.refusal : "done";
    return [name, [outcome, service.count("audit") - before]];
  });
  return Object.fromEntries(outcomes);
}

const DENIED = ["ACCESS_DENIED", 0];

const doneOf = (name: OperationName) => ["done", OPERATIONS[name].effect === "acts" ? 1 : 0];

const all = <Value>(names: readonly OperationName[], of: (name: OperationName) => Value) =>
  Object.fromEntries(names.map((name) => [name, of(name)]));

describe("the table of roles", () => {
  test("is what each operation says", () => {
    expect(Object.fromEntries(ALL.map(([name, operation]) => [name, roleFor(operation)]))).toEqual(MAY);
  });

  test.each(ROLES)("a %s does what it allows, which is audited, and nothing else", async (role) => {
    using service = await filled();
    const isAllowed = (name: OperationName) =>
      !name.startsWith("admin-key") && ROLES.indexOf(role) >= ROLES.indexOf(MAY[name]);
    const expected = all(NAMES, (name) => (isAllowed(name) ? doneOf(name) : DENIED));
    expect(tried(service, as({ role }), NAMES)).toEqual(expected);
  });

  /** About everything, or about no application. */
  const OF_ALL = NAMES.filter((name) =>
    /^(app (create|list|delete)|user|admin-key|audit|backup|reload|destination|member|config|notify test)/.test(name),
  );
  const OF_PROD = NAMES.filter((name) => !OF_ALL.includes(name));

  test("an administrator of prod alone does all that is about prod, and nothing that is about more", async () => {
    using service = await filled();
    const by = as({ applications: ["prod"] });
    expect(tried(service, by, OF_ALL)).toEqual(all(OF_ALL, () => DENIED));
    const lists = OF_PROD.filter((name) => GIVEN[name] === undefined);
    expect(lists).toHaveLength(11);
    expect(tried(service, by, lists)).toEqual(all(lists, () => DENIED));
    expect(tried(service, by, OF_PROD, { application: "prod" })).toEqual(all(OF_PROD, doneOf));
  });

  test("an administrator of test alone does nothing that is about prod", async () => {
    using service = await filled();
    const by = as({ applications: ["test"] });
    expect(tried(service, by, NAMES, { application: "prod" })).toEqual(all(NAMES, () => DENIED));
  });
});

describe("the audit", () => {
  test("says who did what, when, to what and from where; commands are the system's", async () => {
    using service = await filled();
    service.at(NOON + HOUR);
    granted(service.engine.as(as({})).operate("incident ack", { id: 1 }));
    granted(service.engine.operate("monitor pause", { key: "job", durationSeconds: 3600 }));
    const [paused, acknowledged] = auditOf(service);
    expect(acknowledged).toEqual({
      id: expect.any(Number),
      at: NOON + HOUR,
      by: "person",
      name: "Ada",
      address: "192.0.2.1",
      action: "incident ack",
      application: "prod",
      monitorKey: "job",
      details: { id: 1 },
    });
    expect(paused).toMatchObject({
      by: "system",
      name: "rollcall",
      address: null,
      action: "monitor pause",
      application: "prod",
      monitorKey: "job",
      details: { key: "job", durationSeconds: 3600 },
    });
  });

  test("never has a password's hash, and nothing of what was refused or only looked at", () => {
    using service = openService();
    granted(service.engine.operate("user create", { name: "Ada", passwordHash: HASH }));
    service.engine.operate("user create", { name: "Ada", passwordHash: HASH });
    granted(service.engine.operate("user list", {}));
    expect(service.store.database.query("select action, details from audit").all()).toEqual([
      { action: "user create", details: '{"name":"Ada"}' },
    ]);
  });

  test("is undone with an action that fails", () => {
    using service = openService();
    service.store.database.run("create trigger no_people before insert on people begin select raise(abort, 'no'); end");
    expect(() => service.engine.operate("user create", { name: "Ada" })).toThrow("no");
    expect(service.count("audit")).toBe(0);
  });

  test("is listed in pieces: --since, --before and --limit", () => {
    using service = openService();
    for (const [hours, name] of ["A", "B", "C"].entries()) {
      service.at(NOON + hours * HOUR);
      granted(service.engine.operate("user create", { name }));
    }
    const namesOf = (given: object) => {
      const { entries, more } = granted(service.engine.operate("audit", given));
      return [entries.map(({ details }) => details["name"]), more];
    };
    expect(namesOf({})).toEqual([["C", "B", "A"], false]);
    expect(namesOf({ limit: 2 })).toEqual([["C", "B"], true]);
    expect(namesOf({ before: 2 })).toEqual([["A"], false]);
    expect(namesOf({ sinceSeconds: 3600 })).toEqual([["C", "B"], false]);
  });

  test("is kept for a year", () => {
    using service = openService();
    granted(service.engine.operate("user create", { name: "Ada" }));
    service.look(NOON + 365 * DAY);
    expect(service.count("audit")).toBe(1);
    service.look(NOON + 365 * DAY + HOUR);
    expect(service.count("audit")).toBe(0);
  });
});
