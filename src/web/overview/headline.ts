// The sentence on top of the overview: whether somebody may go back to bed. Words and their tone; knows no page.

import type { Instant } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { BoardMonitor } from "../../engine/reads/board.ts";
import type { Headline, Overview } from "./model.ts";

export function headlineOf(jobs: readonly BoardMonitor[], counts: Overview["counts"], now: Instant): Headline {
  return { ...saying(counts), next: nextOf(jobs, now) };
}

function saying({ all, trouble, late, waiting, well, paused }: Overview["counts"]): Omit<Headline, "next"> {
  const of = `of ${counted(all, "job")}`;
  if (all === 0) return { sentence: "No job has reported yet.", title: "No jobs yet", tone: "quiet" };
  if (trouble > 0)
    return {
      sentence:
        all === trouble && all > 1
          ? `All ${all} jobs need you.`
          : `${trouble} ${of} ${trouble === 1 ? "needs" : "need"} you.`,
      title: `${trouble} ${trouble === 1 ? "needs" : "need"} you`,
      tone: "bad",
    };
  if (late > 0)
    return {
      sentence: `${late} ${of} ${late === 1 ? "is" : "are"} late or unsure; none needs you yet.`,
      title: `${late} late`,
      tone: "late",
    };
  if (paused === all)
    return {
      sentence: all === 1 ? "The only job is paused." : `All ${all} jobs are paused.`,
      title: "Paused",
      tone: "quiet",
    };
  if (waiting > 0)
    return {
      sentence:
        well === 0
          ? `${counted(waiting, "job")} ${waiting === 1 ? "waits" : "wait"} for the first report.`
          : `${well} ${of} answered; ${waiting} ${waiting === 1 ? "waits" : "wait"} for the first report.`,
      title: "All well",
      tone: well === 0 ? "quiet" : "well",
    };
  return {
    sentence:
      all === 1
        ? "The only job answered."
        : paused > 0
          ? `All ${well} watched jobs answered.`
          : `All ${all} jobs answered.`,
    title: "All well",
    tone: "well",
  };
}

function nextOf(jobs: readonly BoardMonitor[], now: Instant): Headline["next"] {
  let next: Headline["next"] = null;
  for (const { application, key, name, timezone, expectedAt, status } of jobs) {
    if (expectedAt === null || expectedAt < now || status === "paused") continue;
    if (next === null || expectedAt < next.at) next = { application, key, name, timezone, at: expectedAt };
  }
  return next;
}
