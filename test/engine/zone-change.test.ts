// R12: when the rules of a zone change, every schedule in it has changed: no alarm comes of the change itself, whether
// rollcall runs or not, and a job that dies is still told of.

import { afterEach, expect, test } from "bun:test";
import { COMPILED, useZones } from "../../src/domain/schedule/zone.ts";
import { zoneRules } from "../../src/domain/schedule/zone-rules.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { rulesByTemporal } from "../support/runtime-zones.ts";

const ZONE = "America/Vancouver";
/** At two by its clocks the job reports: 10:00 UTC, or 09:00 once its clocks are an hour further on. */
const TWO = { monitorKey: "van", schedule: "0 2 * * *", timezone: ZONE, graceSeconds: 60 };
const POLICY = policyWith({});

/** The zone's clocks show so many hours more than UTC, for ever. */
const rulesWith = (hours: number): void =>
  useZones({
    ...COMPILED,
    version: `2099${hours}`,
    rulesOf: (name) => (name === ZONE ? zoneRules(hours * HOUR, [], false) : COMPILED.rulesOf(name)),
  });
afterEach(() => useZones(COMPILED));

const MIDNIGHT = NOON + DAY - 12 * HOUR;
const at = (hours: number, minutes = 0): Instant => MIDNIGHT + hours * HOUR + minutes * MINUTE;

async function watched(): Promise<Service> {
  rulesWith(-8);
  const service = openService(POLICY);
  service.look(at(-11, 5));
  await service.send(ping(TWO));
  return service;
}

function changeAt(service: Service, how: "running" | "restart", when: Instant): void {
  service.look(when);
  if (how === "running") {
    rulesWith(-7);
    service.engine.zonesChanged();
    service.look(when + 1_000);
    return;
  }
  service.kill();
  rulesWith(-7);
  service.at(when + 5_000);
  service.start(POLICY);
  service.look(when + 6_000);
}

const expectedOf = (service: Service): string | null => {
  const { expectedAt } = service.monitor("van");
  return expectedAt === null ? null : toIso(expectedAt);
};
const incidents = ({ store }: Service): number =>
  store.database.query<{ n: number }, []>("SELECT count(*) AS n FROM incidents").get()!.n;

test.each(["running", "restart"] as const)("before either slot, the next is by the new rules (%s)", async (how) => {
  using service = await watched();
  changeAt(service, how, at(8, 5));
  expect(expectedOf(service)).toBe(toIso(at(9)));
  service.look(at(9));
  await service.send(ping(TWO));
  service.look(at(11));
  expect(incidents(service)).toBe(0);
  service.look(at(33, 2));
  expect(incidents(service)).toBe(1);
});

test.each(["running", "restart"] as const)("between both slots, none is missed (%s)", async (how) => {
  using service = await watched();
  changeAt(service, how, at(9, 30));
  expect(expectedOf(service)).toBe(toIso(at(33)));
  service.look(at(10, 5));
  expect(incidents(service)).toBe(0);
});

test.each(["running", "restart"] as const)(
  "an open slot that only the old rules had is forgotten (%s)",
  async (how) => {
    using service = await watched();
    changeAt(service, how, at(10, 0) + 5_000);
    expect(expectedOf(service)).toBe(toIso(at(33)));
    service.look(at(12));
    expect(incidents(service)).toBe(0);
  },
);

test("an open slot that both rules have stays open, is told, and no message names former rules", async () => {
  using service = await watched();
  await service.send(ping({ ...TWO, schedule: "0 * * * *", graceSeconds: 1_800 }));
  changeAt(service, "running", at(-10, 2));
  expect(expectedOf(service)).toBe(toIso(at(-10)));
  service.look(at(-9, -25));
  const messages = service.store.database.query<{ data: string }, []>("SELECT data FROM alerts").all();
  expect(messages.map(({ data }) => JSON.parse(data))).toMatchObject([{ timezone: ZONE }]);
});

test("a zone that no release has any more goes on as it was, and a start names it", async () => {
  using service = await watched();
  service.kill();
  useZones({ ...COMPILED, spell: (name) => (name === ZONE ? null : COMPILED.spell(name)) });
  service.at(at(8));
  service.start(POLICY);
  service.look(at(8) + 1_000);
  expect(service.logged.filter(({ event }) => event === "zone_unknown").map(({ fields }) => fields)).toMatchObject([
    { zone: ZONE },
  ]);
  service.look(at(10, 3));
  expect(incidents(service)).toBe(1);
});

test.each(["running", "restart"] as const)(
  "maintenance whose times were named in a zone moves with its rules, one that was named as instants stays (%s)",
  async (how) => {
    using service = await watched();
    const plan = (from: string, more: Readonly<Record<string, unknown>>) =>
      service.engine.operate("maintenance plan", { reason: "move", timezone: ZONE, from, ...more });
    plan("2026-03-03 02:00", { until: "2026-03-03 04:00" });
    plan("2026-03-03 02:00", { durationSeconds: 3_600 });
    plan("2026-03-03T10:00:00Z", { until: "2026-03-03T12:00:00Z" });
    const planned = (): string[] =>
      service.store.maintenances.open(service.now).map(({ window }) => {
        if (!("from" in window)) throw new Error("it comes once");
        return `${toIso(window.from).slice(11, 16)}-${toIso(window.until).slice(11, 16)}`;
      });
    expect(planned()).toEqual(["10:00-12:00", "10:00-11:00", "10:00-12:00"]);
    changeAt(service, how, at(8));
    expect(planned()).toEqual(["09:00-11:00", "09:00-10:00", "10:00-12:00"]);
    service.look(at(9, 5));
    expect(service.monitor("van").pauses.manual).toEqual({ until: at(11) });
  },
);

test("the first start after a version that went by the runtime's rules takes ours as a changed schedule", async () => {
  const byRuntime = rulesByTemporal(ZONE);
  useZones({ ...COMPILED, rulesOf: (name) => (name === ZONE ? byRuntime : COMPILED.rulesOf(name)) });
  // The release that is compiled in has other clocks there in winter.
  const night = Date.UTC(2026, 11, 2);
  using service = openService(POLICY, night - 4 * HOUR);
  await service.send(ping(TWO));
  expect(expectedOf(service)).toBe(toIso(night + 10 * HOUR));
  service.look(night + 8 * HOUR);
  service.kill();
  const before = service.connect();
  before.run("DELETE FROM zone_rules");
  useZones(COMPILED);
  service.start(POLICY);
  service.look(service.now + 1_000);
  expect(expectedOf(service)).toBe(toIso(night + 9 * HOUR));
  expect(service.logged).toContainEqual(expect.objectContaining({ event: "zones_changed", fields: { zones: [ZONE] } }));
  service.look(night + 9 * HOUR + 3_000);
  await service.send(ping(TWO));
  service.look(night + 12 * HOUR);
  expect(incidents(service)).toBe(0);
});
