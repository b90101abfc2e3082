// Puts into words why a message waits. The words follow the time until which it waits (R38). Pure.

import type { WhyDue } from "../telling/plan.ts";

/** `null` when the time says everything: the message is due at once, or only waits for its turn. */
const WAITS_FOR: Readonly<Record<WhyDue | "acknowledged", string | null>> = {
  now: null,
  quiet: "quiet hours",
  after: "unless someone acknowledges it",
  well: "once the job stays well",
  behind: "an earlier message goes first",
  paused: "the job is paused",
  // An acknowledged message no longer waits.
  acknowledged: null,
};

/** For example `: quiet hours`; empty when there is nothing to say. */
export function whyItWaits(why: WhyDue | "acknowledged" | null): string {
  const words = why === null ? null : WAITS_FOR[why];
  return words === null ? "" : `: ${words}`;
}
