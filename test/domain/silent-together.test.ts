// Many jobs that fell silent together are one sentence: how many, from when to when, and what they have in common.

import { expect, test } from "bun:test";
import { type Silent, silentTogether } from "../../src/domain/monitor/silent-together.ts";
import { MINUTE } from "../../src/domain/time.ts";

const NINE = Date.parse("2026-03-04T09:00:00Z");

const silent = (minute: number, changes: Partial<Silent> = {}): Silent => ({
  openedAt: NINE + minute * MINUTE,
  address: "192.0.2.7",
  source: null,
  application: "web",
  ...changes,
});

test("five that began within minutes are named by their computer, else their source, else their application", () => {
  const five = [4, 0, 8, 2, 6].map((minute) => silent(minute));
  const span = { from: NINE, to: NINE + 8 * MINUTE };
  const oldestFirst = (some: readonly Silent[]) => some.toSorted((a, b) => a.openedAt - b.openedAt);
  expect(silentTogether(five)).toEqual({
    ...span,
    members: oldestFirst(five),
    shared: { of: "address", name: "192.0.2.7" },
  });
  const apart = five.map((one, place) => ({ ...one, address: `192.0.2.${place}` }));
  expect(silentTogether(apart)?.shared).toEqual({ of: "application", name: "web" });
  expect(silentTogether(apart.map((one) => ({ ...one, source: "cron" })))?.shared?.of).toBe("source");
  const mixed = apart.map((one, place) => ({ ...one, application: `app-${place}` }));
  expect(silentTogether<Silent>(mixed)).toEqual({ ...span, members: oldestFirst(mixed), shared: null });
});

test("one of another computer, unknown senders, and those of another hour are not said to be the same", () => {
  const five = [0, 1, 2, 3, 4].map((minute) => silent(minute));
  expect(silentTogether([...five, silent(5, { address: null })])?.shared?.of).toBe("application");
  expect(silentTogether([...five, silent(90), silent(91)])).toMatchObject({ members: five, to: NINE + 4 * MINUTE });
  expect(silentTogether(five.slice(1))).toBeNull();
  expect(silentTogether([0, 11, 22, 33, 44].map((minute) => silent(minute)))).toBeNull();
  expect(silentTogether([])).toBeNull();
});
