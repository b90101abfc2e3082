// The configuration in the domain's terms. Decides nothing: the domain decides precedence (R31, R38).

import type { DestinationRules, Policy } from "../domain/settings/policy.ts";
import { CHANNELS } from "./channels.ts";
import type { Config } from "./config.ts";
import type { Destination } from "./destination.ts";

/** What we know about time zones besides the configuration (R13). */
export interface Home {
  /** The zone that the first start found and keeps; null: it found none. */
  readonly timezone: string | null;
  /** This computer's; null: not known. */
  readonly machineTimezone: string | null;
}

const NOWHERE: Home = { timezone: null, machineTimezone: null };

export const policyOf = (config: Config, home: Home = NOWHERE): Policy => ({
  timezone: config.server.timezone ?? home.timezone ?? "UTC",
  machineTimezone: home.machineTimezone,
  reminders: {
    after: config.alerts.continuedAfter,
    every: config.alerts.continuedEvery,
    max: config.alerts.continuedMax,
  },
  team: config.team,
  destinations: new Map([...config.destinations].map(([name, destination]) => [name, rulesOf(destination)])),
  applications: config.applications,
});

function rulesOf(destination: Destination): DestinationRules {
  const { takes } = CHANNELS[destination.type];
  return takes === "mail" ? { takes, recipients: "to" in destination ? destination.to : null } : { takes };
}
