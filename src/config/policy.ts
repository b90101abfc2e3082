// The configuration as the domain reads it. Decides nothing: precedence is the domain's (R31, R38).

import type { Policy } from "../domain/settings/policy.ts";
import type { Config } from "./config.ts";

/** What is known of time zones besides the configuration (R13). */
export interface Home {
  /** The zone that the first start found, and keeps; null: it did not. */
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
  destinations: new Map(
    [...config.destinations].map(([name, destination]) => [
      name,
      { type: destination.type, recipients: destination.type === "email" ? destination.to : null },
    ]),
  ),
  applications: config.applications,
});

/** Every value that must never be seen in a log, an error or a page (R40). */
export function secretsOf(config: Config): string[] {
  const password = config.smtp?.login?.password;
  const key = config.server.tls?.key;
  const ofDestinations = [...config.destinations.values()].flatMap((destination) => {
    switch (destination.type) {
      case "email":
        return [];
      case "slack":
      case "discord":
      case "teams":
        return [destination.url];
      // Not the topic, which may be a word of every day: what we log says nothing of it.
      case "ntfy":
        return [destination.url, destination.token];
      case "pagerduty":
        return [destination.integrationKey, destination.url];
      case "webhook":
        return [destination.url, destination.secret];
      default:
        return destination satisfies never;
    }
  });
  return [password, key, ...ofDestinations].filter((secret) => typeof secret === "string");
}
