// Why a message waits, in words that stand behind the time until which it does (R38). Pure.

import type { WhyDue } from "../telling/plan.ts";

/** Null where the time says all: it is due at once, or only its turn has to come. */
const WAITS_FOR: Readonly<Record<WhyDue | "acknowledged", string | null>> = {
  now: null,
  quiet: "quiet hours",
  after: "unless someone acknowledges it",
  well: "once the job stays well",
  behind: "an earlier message goes first",
  paused: "the job is paused",
  // It waits no more.
  acknowledged: null,
};

/** `: quiet hours`; empty where there is nothing to say. */
export function whyItWaits(why: WhyDue | "acknowledged" | null): string {
  const words = why === null ? null : WAITS_FOR[why];
  return words === null ? "" : `: ${words}`;
}
