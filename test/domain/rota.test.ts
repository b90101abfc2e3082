// R38: whose week it is, for every rota, zone and instant.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AlertKind } from "../../src/domain/message/alert.ts";
import { offsetPeriodAt } from "../../src/domain/schedule/zone.ts";
import { alertRoutesOf, reachOf, routesOf } from "../../src/domain/settings/alert-routes.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { monitorPolicy, type Policy } from "../../src/domain/settings/policy.ts";
import { onCall, parseRotaSince } from "../../src/domain/telling/rota.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import { ZONES } from "./slots-arbitraries.ts";

const WEEK = 7 * DAY;
const NAMES = ["ada", "grace", "alan", "edsger"];
const rotaOf = (since: number, count = 2) => ({ name: "oncall", turns: NAMES.slice(0, count), since, hears: {} });
const wallOf = (timezone: string, at: Instant): number => at + offsetPeriodAt(timezone, at).offset;

/** A minute of the years 1990 to 2040, written as a wall-clock time. */
const aSince = fc
  .integer({ min: Date.UTC(1990, 0, 1) / MINUTE, max: Date.UTC(2040, 0, 1) / MINUTE })
  .map((minute) => minute * MINUTE);

test("R38: each instant is one's week, which ends at the wall-clock time of `since`, also where clocks change", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      aSince,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 60 * WEEK }),
      (timezone, since, count, later) => {
        const rota = rotaOf(since, count);
        const at = since + later;
        const { name, until } = onCall(rota, timezone, at);
        expect(until).toBeGreaterThan(at);
        const passed = wallOf(timezone, until) - since;
        // A time that a change skips is the first after it.
        const skipped = wallOf(timezone, until) - wallOf(timezone, until - 1) - 1;
        expect(skipped > 0 ? passed % WEEK <= skipped : passed % WEEK === 0).toBe(true);
        const week = Math.floor(passed / WEEK);
        expect(name).toBe(rota.turns[(week - 1) % count]!);
        expect(onCall(rota, timezone, until - 1)).toEqual({ name, until });
        const next = onCall(rota, timezone, until);
        expect(next.name).toBe(rota.turns[week % count]!);
        expect(next.until).toBeGreaterThan(until);
      },
    ),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 1_000) },
  );
});

test("R38: a week of Berlin changes at nine, in winter and in summer, and the first is on call before it begins", () => {
  const rota = rotaOf(parseRotaSince("2026-03-23T09:00")!);
  const shown = (at: string) => {
    const { name, until } = onCall(rota, "Europe/Berlin", Date.parse(at));
    return [name, toIso(until)];
  };
  expect(shown("2026-01-01T00:00Z")).toEqual(["ada", "2026-03-30T07:00:00.000Z"]);
  expect(shown("2026-03-23T08:00Z")).toEqual(["ada", "2026-03-30T07:00:00.000Z"]);
  expect(shown("2026-03-30T06:59:59Z")).toEqual(["ada", "2026-03-30T07:00:00.000Z"]);
  expect(shown("2026-03-30T07:00Z")).toEqual(["grace", "2026-04-06T07:00:00.000Z"]);
  expect(shown("2026-10-24T12:00Z")).toEqual(["ada", "2026-10-26T08:00:00.000Z"]);
});

test("R38: a week that begins in the hour that clocks show twice, or skip, has its turn once", () => {
  const autumn = rotaOf(parseRotaSince("2026-10-18T02:30")!);
  const first = Date.parse("2026-10-25T00:30Z");
  expect(onCall(autumn, "Europe/Berlin", first - 1).name).toBe("ada");
  for (const later of [0, 20 * MINUTE, 40 * MINUTE, HOUR, 2 * HOUR])
    expect(onCall(autumn, "Europe/Berlin", first + later).name).toBe("grace");
  const spring = rotaOf(parseRotaSince("2026-03-22T02:30")!);
  const change = Date.parse("2026-03-29T01:00Z");
  expect(onCall(spring, "Europe/Berlin", change - 1)).toEqual({ name: "ada", until: change });
  expect(onCall(spring, "Europe/Berlin", change).name).toBe("grace");
});

test("R38: `since` is a time of a day that there is, to the minute and without a zone", () => {
  expect(parseRotaSince("2026-11-30T09:00")).toBe(Date.UTC(2026, 10, 30, 9));
  for (const text of [
    "",
    "2026-11-30",
    "2026-11-30 09:00",
    "2026-11-30T09:00Z",
    "2026-11-30T09:00:00",
    "2026-11-31T09:00",
    "2026-11-30T24:00",
    "2026-11-30T09:60",
    "2026-13-01T09:00",
    " 2026-11-30T09:00",
  ])
    expect([text, parseRotaSince(text)]).toEqual([text, null]);
});

test("R38: where alerts arrive is what is worked out again, whatever was asked before, of whom and when", () => {
  const rota = { ...rotaOf(Date.UTC(2026, 0, 5, 9), 3), turns: ["ada", "grace", "alan"] };
  const destinations: Policy["destinations"] = new Map([
    ["ada", { takes: "messages" }],
    ["grace", { takes: "messages", hears: { severity: "critical" } }],
    ["alan", { takes: "messages", hears: { environments: ["prod"] } }],
    ["webpush", { takes: "people" }],
    ["mail", { takes: "mail", recipients: null }],
  ]);
  const members = [
    { name: "Ada", email: "ada@example.com", events: ["InitialFailure"] },
    { name: "Bob", email: "bob@example.com", events: ["ContinuedFailure", "Recovered"] },
  ] as const;
  const named = { all: ["ada", "grace", "alan", "mail"], rota: ["oncall"], none: [], few: ["grace"] };
  const wholeOf = (team: keyof typeof named, hasRota: boolean): Policy => ({
    timezone: "Europe/Berlin",
    machineTimezone: null,
    reminders: { after: [], every: DAY, max: 0 },
    team: { name: null, destinations: named[team], members },
    destinations,
    rotas: new Map(hasRota ? [["oncall", rota]] : []),
    notified: [{ name: "edsger", applications: ["shop"] }],
    applications: new Map(
      ["shop", "lab"].map((slug) => [
        slug,
        {
          monitors: new Map([
            ["own", { destinations: named.few }],
            ["staged", { environment: "test" }],
          ]),
          environment: "prod",
        },
      ]),
    ),
  });
  const wholes = (["all", "rota", "none", "few"] as const).flatMap((team) => [
    wholeOf(team, true),
    wholeOf(team, false),
  ]);
  const question = fc.record({
    whole: fc.constantFrom(...wholes),
    slug: fc.constantFrom("shop", "lab", "other"),
    key: fc.constantFrom("job", "own", "staged"),
    severity: fc.constantFrom(null, "critical", "warning"),
    kind: fc.constantFrom<AlertKind>("InitialFailure", "NeverExecuted", "ContinuedFailure"),
    at: fc.integer({ min: -20, max: 60 }).map((days) => Date.UTC(2026, 0, 5) + days * DAY + 8 * HOUR),
  });
  fc.assert(
    fc.property(fc.array(question, { minLength: 1, maxLength: 30 }), (questions) => {
      for (const { whole, slug, key, severity, kind, at } of questions) {
        const policy = monitorPolicy(whole, slug, key, { ...NOTHING_DECLARED, severity });
        const arrives = routesOf(policy, "InitialFailure", at).map(({ destination }) => destination);
        const { names, isLeftOut } = reachOf(policy, at);
        expect(names).toEqual(new Set(arrives));
        expect(isLeftOut).toBe(reachOf(policy, null).isLeftOut);
        // Of a copy nothing was asked before.
        const copy = monitorPolicy(structuredClone(whole), slug, key, { ...NOTHING_DECLARED, severity });
        expect(alertRoutesOf(policy, kind, at, [])).toEqual(alertRoutesOf(copy, kind, at, []));
      }
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) },
  );
});
