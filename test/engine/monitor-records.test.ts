// Monitors as the engine loads them: what is stored, and what the policy says of them.

import { expect, test } from "bun:test";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import {
  type ApplicationRules,
  type MonitorRules,
  monitorPolicy,
  type Policy,
  watchOf,
} from "../../src/domain/settings/policy.ts";
import { monitorWithPolicy, namedMonitorWithPolicy } from "../../src/views/completed-monitors.ts";
import { openTestStore } from "../support/database.ts";

const CREATED = 1_772_330_400_000;
const window = (schedule: string) => ({ schedule, timezone: null, durationSeconds: 7200 });

const policyWith = (rules: ApplicationRules): Policy => ({
  timezone: "UTC",
  machineTimezone: null,
  reminders: { after: [], every: 0, max: 0 },
  team: { name: null, destinations: [], members: [] },
  destinations: new Map(),
  applications: new Map([["prod", rules]]),
});

test("R31: a monitor is loaded with what was put in force, and with the policy of its own application and key", () => {
  const store = openTestStore();
  const before = policyWith({
    monitors: new Map([["job", { graceSeconds: 300, maintenance: [window("0 2 * * *")] }]]),
  });
  const own = { graceSeconds: 600, maintenance: [window("0 3 * * *")], alertAfterMisses: 9 };
  const now = policyWith({
    name: "Production",
    monitors: new Map<string, MonitorRules>([
      ["job", own],
      ["other", { alertAfterMisses: 7 }],
    ]),
  });
  for (const slug of ["prod", "test"]) {
    const application = store.applications.create(slug, CREATED);
    const watch = watchOf(monitorPolicy(before, slug, "job"));
    const { id } = store.monitors.insert(application, "job", NOTHING_DECLARED, newMonitor(watch, CREATED), null);
    const loaded = monitorWithPolicy({ store, policy: now }, id)!;
    expect(namedMonitorWithPolicy({ store, policy: now }, application.id, "job", null)).toEqual(loaded);
    const isProd = slug === "prod";
    expect(loaded.monitor.watch).toEqual({ ...watch, alertAfterMisses: isProd ? 9 : 1 });
    expect([loaded.policy.own, loaded.policy.application.name]).toEqual(isProd ? [own, "Production"] : [{}, undefined]);
  }
  expect(namedMonitorWithPolicy({ store, policy: now }, 1, "other", null)).toBeNull();
});

test("R31: monitors whose stored settings are the same keep what the configuration says of each, also after a reload", () => {
  const store = openTestStore();
  const rulesOf = (ofFirst: number, ofSecond: number) =>
    policyWith({
      monitors: new Map<string, MonitorRules>([
        ["first", { alertAfterMisses: ofFirst }],
        ["second", { alertAfterMisses: ofSecond }],
      ]),
    });
  const application = store.applications.create("prod", CREATED);
  const watch = watchOf(monitorPolicy(rulesOf(2, 3), "prod", "third"));
  const keys = ["first", "second", "third"];
  for (const key of keys) store.monitors.insert(application, key, NOTHING_DECLARED, newMonitor(watch, CREATED), null);
  const watched = (policy: Policy) =>
    keys.map((key) => namedMonitorWithPolicy({ store, policy }, application.id, key, null)!.monitor.watch);
  const misses = (policy: Policy) => watched(policy).map(({ alertAfterMisses }) => alertAfterMisses);
  const [before, now] = [rulesOf(2, 3), { ...rulesOf(4, 5), reminders: { after: [60_000], every: 0, max: 1 } }];
  store.known.memory.begin();
  for (let time = 0; time < 2; time++) expect(misses(before)).toEqual([2, 3, 1]);
  for (let time = 0; time < 2; time++) expect(misses(now)).toEqual([4, 5, 1]);
  expect(watched(now).map(({ reminders }) => reminders)).toEqual(keys.map(() => now.reminders));
});
