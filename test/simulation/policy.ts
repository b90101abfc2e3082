// The configuration that rollcall runs under in the simulation: where alerts of each monitor go, how many troubles it
// tolerates, and the monitors that are known before their first report.

import type { DestinationRules, MonitorRules, Policy } from "../../src/domain/settings/policy.ts";
import { parseQuiet } from "../../src/domain/telling/hearing.ts";
import type { Member } from "./fleet.ts";
import { HEARERS, type Hearer, RECEIVERS, ROTA } from "./receivers.ts";
import { DAY, HOUR, SECOND } from "./units.ts";

export const policyFor = (fleet: readonly Member[]): Policy => ({
  timezone: "UTC",
  machineTimezone: null,
  reminders: { after: [HOUR, 6 * HOUR, DAY], every: DAY, max: 30 },
  team: { name: null, destinations: [], members: [] },
  destinations: new Map<string, DestinationRules>([
    // Logs, which hear each alert.
    ...RECEIVERS.map(({ name }): [string, DestinationRules] => [name, { takes: "events" }]),
    ...HEARERS.map((hearer): [string, DestinationRules] => [hearer.name, rulesOf(hearer)]),
  ]),
  rotas: new Map([
    [
      ROTA,
      {
        name: ROTA,
        turns: HEARERS.filter(({ isTurn }) => isTurn).map(({ name }) => name),
        since: Date.UTC(2026, 0, 5, 9),
        hears: {},
      },
    ],
  ]),
  applications: new Map([["prod", { monitors: new Map(fleet.map((member) => [member.key, rulesFor(member)])) }]]),
});

const rulesOf = ({ is, quiet, afterMs }: Hearer): DestinationRules => ({
  takes: is === "pager" ? "incidents" : "messages",
  hears: {
    ...(quiet.length > 0 && { quiet: quiet.map(({ from, to }) => parseQuiet(`${from}-${to}`)!) }),
    ...(afterMs !== null && { afterSeconds: afterMs / SECOND }),
  },
});

function rulesFor({
  configured,
  terms,
  timezone,
  alertAfterMisses,
  alertAfterFailures,
  destinations,
  hearers,
  spools,
}: Member): MonitorRules {
  const rules = {
    alertAfterMisses,
    alertAfterFailures,
    destinations: [...destinations, ...hearers],
    // What comes late is no word on how long a run takes.
    unusual: spools ? ("leave" as const) : ("tell" as const),
  };
  if (!configured) return rules;
  const { schedule, everySeconds, graceSeconds, maxRuntimeSeconds } = terms;
  const limit = maxRuntimeSeconds === null ? {} : { maxRuntimeSeconds };
  const rhythm = everySeconds === null ? { schedule: schedule! } : { everySeconds };
  return { ...rules, ...rhythm, timezone, graceSeconds, ...limit };
}
