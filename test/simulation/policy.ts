// The configuration that rollcall runs under in the simulation: where alerts of each monitor go, how many troubles it
// tolerates, and the monitors that are known before their first report.

import type { MonitorRules, Policy } from "../../src/domain/settings/policy.ts";
import type { Member } from "./fleet.ts";
import { RECEIVERS } from "./receivers.ts";
import { DAY, HOUR } from "./units.ts";

export const policyFor = (fleet: readonly Member[]): Policy => ({
  timezone: "UTC",
  machineTimezone: null,
  reminders: { after: [HOUR, 6 * HOUR, DAY], every: DAY, max: 30 },
  team: { name: null, destinations: [], members: [] },
  // Machines, which hear each alert: what people are spared of a job that flaps has a law of its own.
  destinations: new Map(RECEIVERS.map(({ name }) => [name, { takes: "events" }])),
  applications: new Map([["prod", { monitors: new Map(fleet.map((member) => [member.key, rulesFor(member)])) }]]),
});

function rulesFor({
  configured,
  terms,
  timezone,
  alertAfterMisses,
  alertAfterFailures,
  destinations,
}: Member): MonitorRules {
  const rules = { alertAfterMisses, alertAfterFailures, destinations };
  if (!configured) return rules;
  const { schedule, everySeconds, graceSeconds, maxRuntimeSeconds } = terms;
  const limit = maxRuntimeSeconds === null ? {} : { maxRuntimeSeconds };
  const rhythm = everySeconds === null ? { schedule: schedule! } : { everySeconds };
  return { ...rules, ...rhythm, timezone, graceSeconds, ...limit };
}
