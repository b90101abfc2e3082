// Finds the time zone of schedules for which no other setting names one (R13). The first start keeps it, and each start
// logs it.

import type { Config } from "../../config/all-keys.ts";
import type { Home } from "../../config/read-policy.ts";
import type { Log } from "../../domain/log.ts";
import { zonesInForce } from "../../domain/schedule/zone.ts";
import { isFirstStart } from "../../engine/first-start.ts";
import type { Store } from "../../store/store.ts";
import { machineZone, ZONE_RULE } from "../machine-zone.ts";
import { sayDamagedZones } from "../zone-source.ts";

/** Returns the zone that the first start kept; at the first start itself, the zone of this machine. */
export function homeZoneOf(store: Store): Home {
  const machine = machineZone().timezone;
  return { timezone: isFirstStart(store) ? machine : store.liveness.timezone(), machineTimezone: machine };
}

/**
 * Logs which zone is in force and where it comes from. If the configuration names no zone, it also warns when this
 * machine's zone is another one or in doubt.
 */
export function sayZone({ server }: Config, { timezone: kept, machineTimezone: machine }: Home, log: Log): void {
  const timezone = server.timezone ?? kept ?? "UTC";
  const from = server.timezone !== null ? "server.timezone" : kept !== null ? "the first start" : "the default";
  log("info", "timezone", { timezone, from });
  sayZoneRules(log);
  const { doubt } = machineZone();
  if (doubt !== null && server.timezone === null) log("warn", "timezone_unread", { doubt, timezone, rule: ZONE_RULE });
  if (server.timezone !== null || machine === null || machine === timezone) return;
  log("warn", "timezone_differs", { timezone, machine, rule: "set server.timezone to the zone of your schedules" });
}

/** Logs which time-zone rules are in force. `machine` is the release of the machine's own zone files. */
export function sayZoneRules(log: Log): void {
  const { version, origin, machine } = zonesInForce();
  log("info", "zone_rules", { version, origin, machine });
  sayDamagedZones(log);
}

export const homeZoneSentence = (timezone: string): string =>
  `Schedules are read in ${timezone}. Set server.timezone for another zone, or timezone=… in the reports of a job.`;
