// How a job stands, as people think of it: its status, with `late` apart from other warnings.

import { isOverdue } from "../../domain/monitor/monitor.ts";
import type { Instant } from "../../domain/time.ts";
import type { BoardMonitor } from "../../views/board.ts";
import type { Health } from "../parts/shapes.tsx";
import type { OverviewQuery } from "./query.ts";

export const healthOf = (monitor: Pick<BoardMonitor, "status" | "expectedAt">, now: Instant): Health =>
  monitor.status === "warning" && isOverdue(monitor, now) ? "late" : monitor.status;

/** What needs attention comes first. */
const ORDER: readonly Health[] = ["critical", "late", "warning", "unknown", "running", "pending", "healthy", "paused"];

export const rankOf = (health: Health): number => ORDER.indexOf(health);

/** Which part of the list a job belongs to. */
export function partOf(health: Health): Exclude<OverviewQuery["show"], "all"> {
  switch (health) {
    case "critical":
      return "trouble";
    case "late":
    case "warning":
    case "unknown":
      return "late";
    case "pending":
      return "waiting";
    case "healthy":
    case "running":
      return "well";
    case "paused":
      return "paused";
  }
}
