// How a job, and a whole application, stand in the words of a status page: plainer than the dashboard's, for people who
// know neither rollcall nor the jobs.

import type { Instant } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { PastMonitor } from "../../views/look-back.ts";
import { standingOf } from "../overview/standing.ts";
import type { Tone } from "../tone.ts";

export const STANDINGS = ["failing", "late", "warning", "unknown", "waiting", "well", "paused"] as const;

export type PublicStanding = (typeof STANDINGS)[number];

export const TONES: Readonly<Record<PublicStanding, Tone>> = {
  failing: "bad",
  late: "late",
  warning: "late",
  unknown: "quiet",
  waiting: "quiet",
  well: "well",
  paused: "quiet",
};

export function publicStanding({ monitor, unheard }: Pick<PastMonitor, "monitor" | "unheard">, now: Instant) {
  const standing = standingOf(monitor, now);
  switch (standing) {
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
      return standing satisfies PublicStanding;
  }
}

export interface Summary {
  readonly standing: PublicStanding;
  /** `2 of 12 jobs are failing.` */
  readonly sentence: string;
  /** `2 failing`. */
  readonly short: string;
}

/** Of all jobs of a page: the worst counts. One that is paused says nothing about the others. */
export function summaryOf(jobs: readonly { readonly standing: PublicStanding }[]): Summary {
  const standing = STANDINGS.find((one) => jobs.some((job) => job.standing === one));
  if (standing === undefined) return { standing: "unknown", sentence: "There is no job here yet.", short: "no jobs" };
  const count = jobs.filter((job) => job.standing === standing).length;
  const isAll = count === jobs.length;
  const calm = jobs.filter((job) => job.standing === "well" || job.standing === "paused").length === jobs.length;
  if (calm && standing === "well")
    return { standing, sentence: isAll ? allAre(count, "well") : "All watched jobs are well.", short: "well" };
  if (isAll) return { standing, sentence: allAre(count, SAID[standing]), short: standing };
  const some = `${count} of ${counted(jobs.length, "job")} ${count === 1 ? "is" : "are"} ${SAID[standing]}.`;
  return { standing, sentence: some, short: `${count} ${standing}` };
}

const SAID: Readonly<Record<PublicStanding, string>> = {
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
