// What lists, pages and commands say of one maintenance. Pure.

import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import { cleanLine } from "../../domain/text.ts";
import { isCalledOff } from "../../domain/wording/paused.ts";
import type { ShownMaintenance } from "../answers/maintenances.ts";
import type { RowPart } from "./rows.ts";

/** `web`, or `backup-* of web`. */
export const jobsUnder = ({ application, monitors }: Pick<ShownMaintenance, "application" | "monitors">): string =>
  monitors.length === 0 ? application : `${cleanLine(monitors.join(", "), MESSAGE_LENGTH)} of ${application}`;

/** `called off`, `now`, `ahead`, `past`. */
export const maintenanceState = (one: ShownMaintenance): string => (isCalledOff(one) ? "called off" : one.state);

/** `Monday 22:00 until Tuesday 02:00`; of one that lasts only until when. */
export function maintenanceTimes(one: ShownMaintenance): RowPart[] {
  const { state, next, endedAt } = one;
  // Of one that came again and again only its end is known.
  const from: RowPart[] = state === "now" || next === null ? [] : [{ at: next.from, as: "when" }];
  const until = endedAt ?? next?.until ?? null;
  if (until === null) return from;
  return isCalledOff(one) ? [...from, ", called off"] : [...from, " until ", { at: until, as: "when" }];
}
