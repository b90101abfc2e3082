// How a job, and a whole application, stand in the words of a status page: plainer than the dashboard's, for people who
// know neither rollcall nor the jobs.

import type { Instant } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { PastMonitor } from "../../views/look-back.ts";
import type { Tone } from "../assets/assets.ts";
import { healthOf } from "../overview/job-health.ts";

export const STANDINGS = ["failing", "late", "warning", "unknown", "waiting", "well", "paused"] as const;

export type PublicHealth = (typeof STANDINGS)[number];

export const TONES: Readonly<Record<PublicHealth, Tone>> = {
  failing: "bad",
  late: "late",
  warning: "late",
  unknown: "quiet",
  waiting: "quiet",
  well: "well",
  paused: "quiet",
};

export function publicHealth({ monitor, unheard }: Pick<PastMonitor, "monitor" | "unheard">, now: Instant) {
  const health = healthOf(monitor, now);
  switch (health) {
    case "critical":
      return "failing";
    case "warning":
      return unheard ? "unknown" : "warning";
    case "pending":
      return "waiting";
    case "healthy":
    case "running":
      return "well";
    default:
      return health satisfies PublicHealth;
  }
}

export interface Summary {
  readonly health: PublicHealth;
  /** `2 of 12 jobs are failing.` */
  readonly sentence: string;
  /** `2 failing`. */
  readonly short: string;
}

/** Of all jobs of a page: the worst counts. One that is paused says nothing about the others. */
export function summaryOf(jobs: readonly { readonly health: PublicHealth }[]): Summary {
  const health = STANDINGS.find((one) => jobs.some((job) => job.health === one));
  if (health === undefined) return { health: "unknown", sentence: "There is no job here yet.", short: "no jobs" };
  const count = jobs.filter((job) => job.health === health).length;
  const isAll = count === jobs.length;
  const calm = jobs.filter((job) => job.health === "well" || job.health === "paused").length === jobs.length;
  if (calm && health === "well")
    return { health, sentence: isAll ? allAre(count, "well") : "All watched jobs are well.", short: "well" };
  if (isAll) return { health, sentence: allAre(count, SAID[health]), short: health };
  const some = `${count} of ${counted(jobs.length, "job")} ${count === 1 ? "is" : "are"} ${SAID[health]}.`;
  return { health, sentence: some, short: `${count} ${health}` };
}

const SAID: Readonly<Record<PublicHealth, string>> = {
  failing: "failing",
  late: "late",
  warning: "in doubt",
  unknown: "unknown, because rollcall could not hear",
  waiting: "waiting for the first report",
  well: "well",
  paused: "paused",
};

const allAre = (count: number, said: string): string =>
  count === 1 ? `The job is ${said}.` : `All ${count} jobs are ${said}.`;
