// The zone in which a job's schedule is read. It is loaded only for a job that has a schedule and names no zone.

import { type MachineZone, schedulerZone } from "../machine-zone.ts";
import { useNewerZones } from "../zone-source.ts";

export function jobZone(environment: Parameters<typeof useNewerZones>[0]): MachineZone {
  useNewerZones(environment);
  return schedulerZone();
}
