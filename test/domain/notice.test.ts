// What a notice carries: R37's fields and its own, in order and within bounds, and where it goes.

import { expect, test } from "bun:test";
import type { ListedRefused, ListedUnknown } from "../../src/domain/message/notice.ts";
import { noticeRoutesOf, routesOf } from "../../src/domain/settings/alert-routes.ts";
import { type Member, monitorPolicy, type Policy } from "../../src/domain/settings/policy.ts";
import { MINUTE, toIso } from "../../src/domain/time.ts";
import { MESSAGES, mailTo, TEAM_MAIL } from "../support/destinations.ts";
import {
  CLOCK_NOTICE,
  GAP_FROM,
  GAP_TO,
  NOTICE_AT,
  noticeOf,
  refusalsOf,
  refusedOf,
  unheardOf,
  unknownOf,
} from "../support/notices.ts";

const FIELDS = [
  "incidentId applicationId monitorKey name kind cause reason status severity environment owner schedule timezone",
  "expectedAt openedAt recoveredAt durationSeconds missedSlots failureMessage outcomes runId links url",
]
  .join(" ")
  .split(" ");

test("R37: a notice has every field of the webhook's data, null where it does not apply, and its own beside them", () => {
  for (const { type, data } of [unheardOf(), refusalsOf(), CLOCK_NOTICE]) {
    expect(type).toBe("service.notice");
    expect(Object.keys(data).sort()).toEqual(
      [...FIELDS, "commandLine", "commandUser", "notice", "onlyApplication", "teamName"].sort(),
    );
    const applying = Object.entries(data).filter(([, value]) => value !== null);
    expect(applying.map(([field]) => field).sort()).toEqual(["links", "notice", "onlyApplication", "timezone"]);
  }
  const { data } = noticeOf({ kind: "clock", aheadSeconds: 0, exact: true, since: toIso(0), monitorsTotal: 0 }, 0, {
    teamName: "Home",
  });
  expect(data).toMatchObject({ teamName: "Home", timezone: "UTC", links: {} });
});

test("R26: a notice of a gap names for each monitor what is unknown", () => {
  const startedAt = GAP_FROM - MINUTE;
  const run = unknownOf({ key: "import", slots: null, runs: [{ runId: "r1", startedAt }], expectedAt: null });
  expect(unheardOf([run, unknownOf()]).data.notice).toEqual({
    kind: "unheard",
    from: "2026-03-01T02:00:00.000Z",
    to: "2026-03-01T04:00:00.000Z",
    seconds: 7_200,
    times: 1,
    reason: "stopped",
    awaitedTotal: 0,
    monitorsTotal: 2,
    monitors: [
      {
        applicationId: "prod",
        monitorKey: "import",
        name: "Backup",
        timezone: "Europe/Berlin",
        firstSlot: null,
        slotsTotal: 0,
        runsTotal: 1,
        runs: [{ runId: "r1", startedAt: "2026-03-01T01:59:00.000Z" }],
        expectedAt: null,
      },
      {
        applicationId: "prod",
        monitorKey: "nightly-backup",
        name: "Backup",
        timezone: "Europe/Berlin",
        firstSlot: "2026-03-01T02:30:00.000Z",
        slotsTotal: 1,
        runsTotal: 0,
        runs: [],
        expectedAt: "2026-03-02T02:30:00.000Z",
      },
    ],
  });
});

const listed = (message: ReturnType<typeof unheardOf>): readonly ListedUnknown[] =>
  message.data.notice.kind === "unheard" ? message.data.notice.monitors : [];

test("a list is in the order of application and key, whatever the order it came in", () => {
  const names = [
    ["stage", "a"],
    ["prod", "b"],
    ["prod", "a"],
    ["prod", "B"],
  ] as const;
  const monitors = names.map(([application, key]) => unknownOf({ application, key }));
  for (const order of [monitors, monitors.toReversed()]) {
    const found = listed(unheardOf(order)).map(({ applicationId, monitorKey }) => `${applicationId} ${monitorKey}`);
    expect(found).toEqual(["prod B", "prod a", "prod b", "stage a"]);
  }
});

const many = <Made>(count: number, make: (key: string) => Made): Made[] =>
  Array.from({ length: count }, (_, index) => make(`job-${String(index).padStart(5, "0")}`));

test("a list holds at most 1,000 monitors, and as many of their runs, with the totals", () => {
  const runs = Array.from({ length: 100 }, (_, index) => ({ runId: null, startedAt: GAP_TO - index }));
  const { notice } = unheardOf(many(1_200, (key) => unknownOf({ key, runs }))).data;
  expect(notice).toMatchObject({ monitorsTotal: 1_200, monitors: { length: 1_000 } });
  const monitors = listed(unheardOf(many(1_200, (key) => unknownOf({ key, runs })))).values();
  for (const { runsTotal, runs } of monitors) {
    expect(runsTotal).toBe(100);
    expect(runs).toEqual([{ runId: null, startedAt: "2026-03-01T03:59:59.901Z" }]);
  }
  expect(listed(unheardOf([unknownOf({ runs })]))[0]!.runs).toHaveLength(100);
});

const refusedList = (message: ReturnType<typeof refusalsOf>): readonly ListedRefused[] =>
  message.data.notice.kind === "refused" ? message.data.notice.monitors : [];

test("R33: monitors whose failure was refused stand first, and none of them gives way to one without", () => {
  const fails = [
    { at: GAP_FROM, message: "first" },
    { at: GAP_TO, message: "second" },
  ];
  const monitors = [...many(1_000, (key) => refusedOf({ key })), refusedOf({ key: "zzz", fails })];
  const message = refusalsOf(monitors);
  expect(message.data.notice).toMatchObject({ monitorsTotal: 1_001, failingTotal: 1 });
  expect(refusedList(message)).toHaveLength(1_000);
  expect(refusedList(message)[0]).toMatchObject({
    monitorKey: "zzz",
    refused: [
      { at: "2026-03-01T04:00:00.000Z", message: "second" },
      { at: "2026-03-01T02:00:00.000Z", message: "first" },
    ],
  });
});

test("R26: a notice of the clock says by how much, since when and for how many", () => {
  expect(CLOCK_NOTICE.data.notice).toEqual({
    kind: "clock",
    aheadSeconds: 10_800,
    exact: true,
    since: "2026-03-01T03:51:00.000Z",
    monitorsTotal: 12,
  });
  expect(CLOCK_NOTICE.at).toBe(NOTICE_AT);
});

const member = (name: string, events: Member["events"]): Member => ({ name, email: `${name}@example.org`, events });

const POLICY: Policy = {
  timezone: "UTC",
  machineTimezone: null,
  reminders: { after: [], every: 1, max: 0 },
  team: { name: null, destinations: ["email"], members: [member("ada", ["Recovered"]), member("bob", [])] },
  destinations: new Map([
    ["email", TEAM_MAIL],
    ["boss", mailTo("boss@example.org")],
    ["hook", MESSAGES],
  ]),
  applications: new Map([["prod", { monitors: new Map([["own", { destinations: ["hook", "boss", "hook"] }]]) }]]),
};

test("R38: a notice goes where the monitor's alerts go, by mail to every member whatever alerts they want", () => {
  const all = ["ada@example.org", "bob@example.org"].map((recipient) => ({ destination: "email", recipient }));
  expect(noticeRoutesOf(monitorPolicy(POLICY, "prod", "nightly-backup"), 0)).toEqual(all);
  expect(routesOf(monitorPolicy(POLICY, "prod", "nightly-backup"), "Recovered", 0)).toEqual(all.slice(0, 1));
  expect(noticeRoutesOf(monitorPolicy(POLICY, "prod", "own"), 0)).toEqual([
    { destination: "hook", recipient: null },
    { destination: "boss", recipient: "boss@example.org" },
  ]);
});
