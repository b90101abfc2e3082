// Monitors of another service, as an import creates and changes them: all of it or nothing, and the second time only
// what differs.

import { describe, expect, test } from "bun:test";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const DAILY = "0 2 * * *";
const uuid = (number: number): string => `/ping/${String(number).padStart(8, "0")}-2222-4333-8444-555555555555`;

type Entry = Partial<typeof NOTHING_DECLARED> & { key?: string; pausedBecause?: string | null; addresses?: string[] };

const entry = (more: Entry = {}) => ({
  ...NOTHING_DECLARED,
  key: "backup",
  schedule: DAILY,
  graceSeconds: 1_200,
  labels: null,
  note: null,
  mailRule: null,
  pausedBecause: null,
  addresses: [uuid(1)],
  ...more,
});

const given = (...monitors: ReturnType<typeof entry>[]) => ({ service: "Healthchecks", application: "prod", monitors });

const imported = (service: Service, ...monitors: ReturnType<typeof entry>[]) =>
  service.engine.operate("import", given(...monitors));

const doneBy = (service: Service, ...monitors: ReturnType<typeof entry>[]) =>
  granted(imported(service, ...monitors)).monitors.map(({ key, done }) => `${key} ${done}`);

const keysOf = (service: Service): string[] =>
  granted(service.engine.operate("monitor list", {})).monitors.map(({ key }) => key);

const shown = (service: Service, key: string) => granted(service.engine.operate("monitor show", { key }));

const addressesOf = (service: Service) =>
  granted(service.engine.operate("address list", {})).addresses.map(
    ({ address, monitorKey }) => `${address} ${monitorKey}`,
  );

describe("an import", () => {
  test("creates monitors with their settings and addresses; the first slot is the next one", () => {
    using service = openService();
    const answer = granted(
      imported(
        service,
        entry(),
        entry({ key: "weekly", name: "Weekly", timezone: "Europe/Riga", addresses: [uuid(2), uuid(3)] }),
      ),
    );
    expect(answer).toEqual({
      application: "prod",
      monitors: [
        {
          key: "backup",
          askedAs: null,
          done: "created",
          found: "nothing",
          changes: [],
          pause: null,
          addresses: { added: 1, there: 0, revoked: 0 },
        },
        expect.objectContaining({ key: "weekly", addresses: { added: 2, there: 0, revoked: 0 } }),
      ],
      destinations: [],
      routes: [],
    });
    expect(shown(service, "backup")).toMatchObject({
      status: "pending",
      expectedAt: NOON + 14 * HOUR,
      settings: { graceSeconds: { value: 1_200, from: "declared" } },
    });
    expect(shown(service, "weekly")).toMatchObject({ name: "Weekly", timezone: "Europe/Riga" });
    expect(addressesOf(service)).toEqual(["/ping/…5555 backup", "/ping/…5555 weekly", "/ping/…5555 weekly"]);
  });

  test("alarms for a job that is dead, at the close of its first slot and not before", () => {
    using service = openService();
    granted(imported(service, entry()));
    service.look(NOON + MINUTE);
    service.look(NOON + 14 * HOUR + 19 * MINUTE);
    expect(service.alarms()).toEqual([]);
    service.look(NOON + 14 * HOUR + 21 * MINUTE);
    expect(service.alarms()).toMatchObject([{ kind: "NeverExecuted", monitor: "backup" }]);
  });

  test("changes nothing the second time, and then only what differs", () => {
    using service = openService();
    const three = [entry(), entry({ key: "b", addresses: [uuid(2)] }), entry({ key: "c", addresses: [] })];
    expect(doneBy(service, ...three)).toEqual(["backup created", "b created", "c created"]);
    const before = service.store.database.query("select * from monitors").all();
    expect(doneBy(service, ...three)).toEqual(["backup unchanged", "b unchanged", "c unchanged"]);
    expect(service.store.database.query("select * from monitors").all()).toEqual(before);
    const answer = granted(
      imported(
        service,
        entry({ graceSeconds: 600, timezone: "Europe/Riga" }),
        ...three.slice(1, 2),
        entry({ key: "c", addresses: [uuid(9)] }),
      ),
    );
    expect(answer.monitors.map(({ done }) => done)).toEqual(["changed", "unchanged", "changed"]);
    expect(answer.monitors[0]!.changes).toEqual([
      { setting: "timezone", from: null, to: "Europe/Riga", overridden: false },
      { setting: "grace", from: "1200", to: "600", overridden: false },
    ]);
    expect(shown(service, "backup")).toMatchObject({
      settings: { graceSeconds: { value: 600 } },
      expectedAt: NOON + 12 * HOUR,
    });
  });

  test("a preview answers the same and does nothing", () => {
    using service = openService();
    const preview = granted(service.engine.operate("import preview", given(entry())));
    expect(keysOf(service)).toEqual([]);
    expect(addressesOf(service)).toEqual([]);
    expect(granted(imported(service, entry()))).toEqual(preview);
  });

  test("an interval replaces a schedule, and counts from the import on", () => {
    using service = openService();
    granted(imported(service, entry()));
    const answer = granted(imported(service, entry({ schedule: null, everySeconds: 90_000 })));
    expect(answer.monitors[0]!.changes).toEqual([
      { setting: "schedule", from: DAILY, to: null, overridden: false },
      { setting: "every", from: null, to: "90000", overridden: false },
    ]);
    expect(shown(service, "backup").expectedAt).toBe(NOON + 25 * HOUR);
    expect(doneBy(service, entry({ schedule: null, everySeconds: 90_000 }))).toEqual(["backup unchanged"]);
  });

  test("says where the configuration wins over what it changes", () => {
    using service = openService(policyWith({ monitors: { backup: { graceSeconds: 60 } } }));
    const preview = entry({ graceSeconds: 900 });
    granted(imported(service, entry()));
    const [one] = granted(imported(service, preview)).monitors;
    expect(one!.changes).toEqual([{ setting: "grace", from: "1200", to: "900", overridden: true }]);
  });
});

describe("what was here before", () => {
  const found = (service: Service, ...monitors: ReturnType<typeof entry>[]) =>
    granted(imported(service, ...monitors)).monitors.map((one) => `${one.key} ${one.found} ${one.done}`);

  test("a monitor that was made here by hand is told from one that was imported", () => {
    using service = openService();
    granted(service.engine.operate("monitor create", { key: "backup", schedule: DAILY, graceSeconds: 10_800 }));
    const plain = entry({ key: "plain", addresses: [] });
    expect(found(service, entry(), plain)).toEqual(["backup own changed", "plain nothing created"]);
    expect(found(service, entry({ graceSeconds: 600 }), plain)).toEqual([
      "backup other changed",
      "plain other unchanged",
    ]);
  });

  test("one that somebody has deleted is made again, and that is said before", () => {
    using service = openService();
    granted(imported(service, entry()));
    granted(service.engine.operate("monitor delete", { key: "backup" }));
    const preview = granted(service.engine.operate("import preview", given(entry())));
    expect(preview.monitors[0]).toMatchObject({ done: "created", found: "deleted" });
    expect(found(service, entry())).toEqual(["backup deleted created"]);
    expect(found(service, entry())).toEqual(["backup other unchanged"]);
  });
});

describe("a pause there", () => {
  test("is a pause by hand here, with its reason, and ends with the one there", () => {
    using service = openService();
    const paused = entry({ pausedBecause: "paused at Healthchecks" });
    expect(granted(imported(service, paused)).monitors[0]).toMatchObject({ done: "created", pause: "paused" });
    expect(shown(service, "backup")).toMatchObject({
      status: "paused",
      pauses: { manual: { until: null, asked: { reason: "paused at Healthchecks" } } },
    });
    expect(doneBy(service, paused)).toEqual(["backup unchanged"]);
    expect(granted(imported(service, entry())).monitors[0]).toMatchObject({ done: "changed", pause: "resumed" });
    expect(shown(service, "backup").status).toBe("pending");
  });

  test("that a person made here stays, also with words that are nearly ours", () => {
    using service = openService();
    granted(imported(service, entry()));
    for (const reason of ["we are moving", "paused at the customer's wish"]) {
      granted(service.engine.operate("monitor pause", { key: "backup", reason }));
      expect(doneBy(service, entry())).toEqual(["backup unchanged"]);
      expect(shown(service, "backup").status).toBe("paused");
    }
  });
});

describe("an old address", () => {
  test("says which monitor is meant, whatever that is called by now", () => {
    using service = openService();
    granted(imported(service, entry()));
    granted(service.engine.operate("monitor rename", { key: "backup", newKey: "nightly" }));
    expect(granted(imported(service, entry({ graceSeconds: 300 }))).monitors[0]).toMatchObject({
      key: "nightly",
      askedAs: "backup",
      done: "changed",
    });
    expect(keysOf(service)).toEqual(["nightly"]);
  });

  test("that somebody has revoked stays so", () => {
    using service = openService();
    granted(imported(service, entry()));
    granted(service.engine.operate("address revoke", { id: 1 }));
    expect(granted(imported(service, entry())).monitors[0]).toMatchObject({
      done: "unchanged",
      addresses: { added: 0, there: 0, revoked: 1 },
    });
    expect(granted(service.engine.operate("address list", {})).addresses).toMatchObject([{ revokedAt: NOON }]);
  });

  test("stands in no audit and no refusal", () => {
    using service = openService();
    granted(imported(service, entry()));
    const audit = JSON.stringify(service.store.database.query("select * from audit").all());
    expect(audit).toContain("Healthchecks");
    expect(audit).not.toContain("2222-4333");
    for (const wrong of [
      { ...entry(), addresses: ["/nowhere/secret-word"] },
      { ...entry(), addresses: "secret-word" },
    ])
      expect(JSON.stringify(service.engine.operate("import", given(wrong as never)))).not.toContain("secret-word");
  });
});

describe("is refused as a whole, and nothing was done", () => {
  const refusals: readonly (readonly [string, readonly Entry[], string])[] = [
    [
      "a schedule",
      [{ key: "b", schedule: "61 * * * *", addresses: [] }],
      'monitors[1] ("b").schedule: minute field "61"',
    ],
    ["a key", [{ key: "..", addresses: [] }], "monitors[1].key"],
    ["a zone", [{ key: "b", timezone: "Mars/Base", addresses: [] }], 'monitors[1] ("b").timezone'],
    ["a grace", [{ key: "b", graceSeconds: 5, addresses: [] }], 'monitors[1] ("b").graceSeconds'],
    [
      "both",
      [{ key: "b", everySeconds: 90, addresses: [] }],
      'monitors[1] ("b").schedule, everySeconds: both are given',
    ],
    ["an address", [{ key: "b", addresses: ["/x"] }], 'monitors[1] ("b").addresses'],
    ["a ping key alone", [{ key: "b", addresses: ["/ping/pingkeypingkeypingkey1"] }], "reports no single monitor"],
    ["an address twice", [{ key: "b" }], 'monitors[0] ("backup"), monitors[1] ("b"): both have the address'],
    ["a key twice", [{ addresses: [] }], 'monitors[0] ("backup"), monitors[1] ("backup"): both are monitor "backup"'],
  ];
  test.each(refusals)("%s", (_, more, words) => {
    using service = openService();
    const answer = imported(service, entry(), ...more.map((one) => entry(one)));
    expect(answer).toMatchObject({ message: expect.stringContaining(words) });
    expect([keysOf(service), addressesOf(service)]).toEqual([[], []]);
  });

  test("an address that reports another application's monitor", async () => {
    using service = openService();
    await service.send(ping({ schedule: DAILY }));
    granted(service.engine.operate("app create", { slug: "spare" }));
    granted(service.engine.operate("address add", { address: uuid(1), key: "job" }));
    expect(service.engine.operate("import", { ...given(entry()), application: "spare" })).toMatchObject({
      message: expect.stringContaining(
        'monitors[0] ("backup").addresses: it is address 1 already, which reports monitor "job"',
      ),
    });
  });

  test("more active monitors than the application may have; paused ones take no room", () => {
    using service = openService(policyWith({ prod: { maxActiveMonitors: 1 } }));
    expect(imported(service, entry(), entry({ key: "b", addresses: [] }))).toMatchObject({
      refusal: "PLAN_LIMIT_REACHED",
      message: expect.stringContaining("2 more would be active"),
    });
    expect(keysOf(service)).toEqual([]);
    expect(doneBy(service, entry(), entry({ key: "b", addresses: [], pausedBecause: "paused there" }))).toEqual([
      "backup created",
      "b created",
    ]);
  });

  test("an application that is not there, and none where there are several", () => {
    using service = openService();
    granted(service.engine.operate("app create", { slug: "spare" }));
    expect(service.engine.operate("import", { ...given(entry()), application: "gone" })).toMatchObject({
      refusal: "NOT_FOUND",
    });
    expect(service.engine.operate("import", { ...given(entry()), application: null })).toMatchObject({
      message: expect.stringContaining("name one with --app"),
    });
  });
});

test("a preview of many is made in many turns, and may be refused in any of them", () => {
  using service = openService();
  const many = Array.from({ length: 2_000 }, (_, number) => entry({ key: `job-${number}`, addresses: [uuid(number)] }));
  const turns = (...monitors: typeof many) => {
    const work = service.engine.ask("import preview", given(...monitors));
    let count = 1;
    for (let step = work.next(); ; step = work.next(), count++) if (step.done) return { count, answer: step.value };
  };
  const { count, answer } = turns(...many);
  expect(count).toBeGreaterThan(50);
  expect(answer).toMatchObject({ monitors: { length: 2_000 } });
  expect(turns(...many.slice(1), entry({ key: "b", graceSeconds: 5 })).answer).toMatchObject({
    refusal: "INVALID_REQUEST",
  });
  expect(keysOf(service)).toEqual([]);
});

test("two thousand monitors are taken at once, and one more is refused", () => {
  using service = openService();
  const many = Array.from({ length: 2_001 }, (_, number) => entry({ key: `job-${number}`, addresses: [uuid(number)] }));
  for (const wrong of [many, []])
    expect(imported(service, ...wrong)).toMatchObject({
      message:
        "monitors: what was sent is refused, it must be a list of 1 to 2000 things, each with exactly the described fields",
    });
  granted(imported(service, ...many.slice(1)));
  expect(keysOf(service)).toHaveLength(2_000);
});
