// Words for one maintenance in lists, pages and commands. Pure.

import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import { cleanLine } from "../../domain/text.ts";
import { isCalledOff } from "../../domain/wording/paused.ts";
import type { ShownMaintenance } from "../schemas/maintenance-schemas.ts";
import type { RowPart } from "./rows.ts";

/** The jobs that a maintenance is for: `web` means all of an application, `backup-* of web` some of its jobs. */
export const jobsUnder = ({ application, monitors }: Pick<ShownMaintenance, "application" | "monitors">): string =>
  monitors.length === 0 ? application : `${cleanLine(monitors.join(", "), MESSAGE_LENGTH)} of ${application}`;

export const maintenanceState = (one: ShownMaintenance): string => (isCalledOff(one) ? "called off" : one.state);

/** When a maintenance is, such as `Monday 22:00 until Tuesday 02:00`; while it lasts, only until when. */
export function maintenanceTimes(one: ShownMaintenance): RowPart[] {
  const { state, next, endedAt } = one;
  // Of repeated maintenance that is over, only the end is known.
  const from: RowPart[] = state === "now" || next === null ? [] : [{ at: next.from, as: "when" }];
  const until = endedAt ?? next?.until ?? null;
  if (until === null) return from;
  return isCalledOff(one) ? [...from, ", called off"] : [...from, " until ", { at: until, as: "when" }];
}
