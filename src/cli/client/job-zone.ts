// Finds the time zone of a job's schedule. This file is loaded only when a job gives a schedule and no zone.

import { type MachineZone, schedulerZone } from "../machine-zone.ts";
import { useNewerZones } from "../zone-source.ts";

export function zoneOfRun(environment: Parameters<typeof useNewerZones>[0]): MachineZone {
  useNewerZones(environment);
  return schedulerZone();
}
